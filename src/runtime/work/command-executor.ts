import type { JournalEntry, WorkEvent } from '../../contracts/work/work-event.ts';
import type { RoleRunner } from '../../ports/work/role-runner.ts';
import type { AppendEvents, WorkJournal } from '../../ports/work/work-journal.ts';
import type { WorkProvider } from '../../ports/work/work-provider.ts';
import { isDiskFull } from '../../text/error-code.ts';
import { messageOf } from '../../text/error-message.ts';
import { createStartEvent, type RequestedCommand } from '../../work/engine/command.ts';
import {
  type CommandStep,
  type ExternalAnswers,
  type ExternalCall,
  failCommand,
  nextStep,
} from '../../work/engine/command-steps.ts';
import { createWorkState, evolve } from '../../work/engine/evolve.ts';
import { findRefusal, type GuardContext } from '../../work/engine/guards.ts';
import type { ExecutedCommand, Outcome } from '../../work/engine/protocol.ts';
import { createRefusalEvents, type Refusal } from '../../work/engine/refusal.ts';
import type { ReadLabels } from '../../work/items/labels.ts';
import type { StartedCommand, WorkState } from '../../work/items/state.ts';

export interface CommandExecutorDeps {
  readonly journal: WorkJournal;
  readonly provider: WorkProvider;
  readonly runner: Pick<RoleRunner, 'cancel'>;
  readonly readLabels: ReadLabels;
  readonly guards: () => GuardContext;
  /** Called for each entry once, in order, including entries of other processes. */
  readonly onEntries: (entries: readonly JournalEntry[]) => void;
}

/** The only component that writes to the journal and to the provider. */
export interface CommandExecutor {
  /** The journal's state as read so far; every call advances it. */
  readonly state: WorkState;
  readonly catchUp: () => Promise<void>;
  readonly execute: (requested: RequestedCommand) => Promise<Outcome>;
  /** Executes independent commands, none of which changes what another is checked against. */
  readonly executeBatch: (batch: readonly RequestedCommand[]) => Promise<readonly ExecutedCommand[]>;
  /** Checks the guards for a run that is about to be requested, and records a refusal. */
  readonly checkGuards: (requested: RequestedCommand) => Promise<Refusal | null>;
  /** Appends events that no command causes, after reading the journal to its end and completing unfinished commands. */
  readonly record: (events: (state: WorkState) => Promise<readonly WorkEvent[]>) => Promise<void>;
}

export function createCommandExecutor(deps: CommandExecutorDeps): CommandExecutor {
  const state = createWorkState();

  const fold = (read: readonly JournalEntry[]) => {
    // Concurrent reads may return the same entries.
    const entries = read.filter(({ seq }) => seq > state.seq);
    for (const entry of entries) evolve(state, entry);
    if (entries.length > 0) deps.onEntries(entries);
  };

  const catchUp = async () => fold(await deps.journal.read(state.seq));

  /** Under the journal's lock, a command that has started but not ended belongs to a dead process; it is completed. */
  const underLock = <T>(work: (append: AppendEvents) => Promise<T>): Promise<T> =>
    deps.journal.withLock(async (appendRaw) => {
      const append: AppendEvents = async (events) => {
        if (events.length === 0) return [];
        const entries = await appendRaw(events);
        fold(entries);
        return entries;
      };
      await catchUp();
      for (const started of state.started.values()) await append((await perform(started)).events);
      return work(append);
    });

  const perform = async (started: StartedCommand): Promise<Exclude<CommandStep, { kind: 'call' }>> => {
    try {
      let answers: ExternalAnswers = {};
      for (;;) {
        const step = nextStep(state, started, answers, deps.readLabels);
        if (step.kind !== 'call') return step;
        answers = { ...answers, ...(await callExternal(deps, step.call)) };
      }
    } catch (error) {
      // The command stays started: it is completed when there is space again.
      if (isDiskFull(error)) throw error;
      return failCommand(started, messageOf(error));
    }
  };

  const checkGuards = async (requested: RequestedCommand, append: AppendEvents): Promise<Refusal | null> => {
    const refusal = findRefusal(state, requested, deps.guards());
    if (refusal !== null) await append(createRefusalEvents(state, requested, refusal));
    return refusal;
  };

  const executeLocked = async (batch: readonly RequestedCommand[], append: AppendEvents) => {
    const outcomes = new Map<string, Outcome>();
    for (const requested of batch) {
      const refusal = state.doneKeys.has(requested.key) ? null : await checkGuards(requested, append);
      if (state.doneKeys.has(requested.key)) outcomes.set(requested.key, { kind: 'done_before' });
      else if (refusal !== null) outcomes.set(requested.key, { kind: 'refused', ...refusal });
    }
    const open = batch.filter(({ key }) => !outcomes.has(key));
    await append(open.map(createStartEvent));
    const events: WorkEvent[] = [];
    for (const { key } of open) {
      const started = state.started.get(key);
      if (started === undefined) throw new Error(`the journal has no command ${key}`);
      const end = await perform(started);
      events.push(...end.events);
      outcomes.set(
        key,
        end.kind === 'done' ? { kind: 'done' } : { kind: 'failed', reason: end.reason, help: end.help },
      );
    }
    await append(events);
    return outcomes;
  };

  const executeBatch = async (batch: readonly RequestedCommand[]): Promise<readonly ExecutedCommand[]> => {
    const outcomes = await underLock((append) => executeLocked(batch, append));
    return batch.map((requested) => ({
      requested,
      outcome: outcomes.get(requested.key) ?? { kind: 'done_before' },
    }));
  };

  return {
    state,
    catchUp,
    execute: async (requested) => (await executeBatch([requested]))[0]?.outcome ?? { kind: 'done_before' },
    executeBatch,
    checkGuards: (requested) => underLock((append) => checkGuards(requested, append)),
    record: (events) =>
      underLock(async (append) => {
        await append(await events(state));
      }),
  };
}

async function callExternal(
  { provider, runner }: Pick<CommandExecutorDeps, 'provider' | 'runner'>,
  call: ExternalCall,
): Promise<ExternalAnswers> {
  switch (call.kind) {
    case 'make_revision':
      return { make_revision: await provider.makeRevision(call.key, call.request) };
    case 'merge':
      return { merge: await provider.merge(call.key, call.request) };
    case 'cancel_run':
      await runner.cancel(call.runId, call.reason);
      return { cancel_run: true };
    case 'write':
      return { write: await provider.write(call.key, call.writes) };
  }
}
