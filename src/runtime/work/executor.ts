import type { JournalEntry, WorkEvent } from '../../contracts/work/work-event.ts';
import type { AppendEvents, WorkJournal } from '../../ports/work-journal.ts';
import { type AskedCommand, type Asker, itemOf, nameOf, type WorkCommand } from '../../work/command.ts';
import { readCommand } from '../../work/command-schema.ts';
import { createWorkState, evolve } from '../../work/evolve.ts';
import { type GuardContext, refusalOf } from '../../work/guards.ts';
import type { Refusal } from '../../work/refusal.ts';
import { refusalEvents } from '../../work/refused.ts';
import type { StartedCommand, WorkState } from '../../work/state.ts';
import { type PerformDeps, type Performed, perform } from './perform.ts';

export interface ExecutorDeps extends PerformDeps {
  readonly journal: WorkJournal;
  readonly guards: () => GuardContext;
  /** Called for each entry once, in order, including entries of other processes. */
  readonly onEntry: (entry: JournalEntry) => void;
}

export type Outcome =
  | { readonly kind: 'done' }
  /** The same command was executed earlier, by this or another process. */
  | { readonly kind: 'done_before' }
  | ({ readonly kind: 'refused' } & Refusal)
  | { readonly kind: 'failed'; readonly reason: string; readonly help: string | null };

/** The only component that writes to the provider. */
export interface Executor {
  /** The journal's state as read so far; every call advances it. */
  readonly state: WorkState;
  readonly catchUp: () => Promise<void>;
  readonly execute: (asked: AskedCommand) => Promise<Outcome>;
  /** Executes independent commands, none of which changes what another is checked against, in one batch. */
  readonly executeAll: (wishes: readonly AskedCommand[]) => Promise<readonly Outcome[]>;
  /** Only checks the guards and records a refusal: for a run that is about to be requested. */
  readonly permit: (asked: AskedCommand) => Promise<Refusal | null>;
  /** Appends outside events, after reading the journal to its end and completing unfinished commands. */
  readonly record: (events: (state: WorkState) => Promise<readonly WorkEvent[]>) => Promise<void>;
}

export function createExecutor(deps: ExecutorDeps): Executor {
  const state = createWorkState();

  const fold = (entries: readonly JournalEntry[]) => {
    for (const entry of entries) {
      // Concurrent reads may return the same entries.
      if (entry.seq <= state.seq) continue;
      evolve(state, entry);
      deps.onEntry(entry);
    }
  };

  const catchUp = async () => fold(await deps.journal.read(state.seq));

  /** Under the journal's lock, a command that has started but not ended belongs to a dead process; it is completed. */
  const underLock = <T>(work: (append: AppendEvents) => Promise<T>): Promise<T> =>
    deps.journal.alone(async (appendRaw) => {
      const append: AppendEvents = async (events) => {
        if (events.length === 0) return [];
        const entries = await appendRaw(events);
        fold(entries);
        return entries;
      };
      await catchUp();
      for (const started of state.started.values()) await complete(started, append);
      return work(append);
    });

  const complete = async (started: StartedCommand, append: AppendEvents): Promise<Outcome> => {
    const { outcome, events } = await performStarted(started);
    await append(events);
    return outcome;
  };

  const performStarted = async (started: StartedCommand): Promise<CommandResult> => {
    const command = readCommand(started.recorded);
    const performed = command === null ? UNREADABLE : await tryPerform(deps, state, started, command);
    if (performed.ok)
      return {
        outcome: { kind: 'done' },
        events: [...performed.events, { type: 'command_done', key: started.key }],
      };
    const { reason, help } = performed;
    return { outcome: { kind: 'failed', reason, help }, events: [failedCommand(started, reason)] };
  };

  const startedCommand = (key: string): StartedCommand => {
    const started = state.started.get(key);
    if (started === undefined) throw new Error(`the journal has not taken the command ${key}`);
    return started;
  };

  const checkGuards = async (asked: AskedCommand, append: AppendEvents): Promise<Refusal | null> => {
    const refusal = refusalOf(state, asked, deps.guards());
    if (refusal !== null) await append(refusalEvents(state, asked, refusal));
    return refusal;
  };

  return {
    state,
    catchUp,
    execute: (asked) =>
      underLock(async (append): Promise<Outcome> => {
        const { key, by, command } = asked;
        if (state.doneKeys.has(key)) return { kind: 'done_before' };
        const refusal = await checkGuards(asked, append);
        if (refusal !== null) return { kind: 'refused', ...refusal };
        await append([{ type: 'command_started', key, ...askerOf(by), command: { ...command } }]);
        return complete(startedCommand(key), append);
      }),
    executeAll: (wishes) =>
      underLock(async (append) => {
        const outcomes = new Map<string, Outcome>();
        for (const asked of wishes.filter(({ key }) => state.doneKeys.has(key)))
          outcomes.set(asked.key, { kind: 'done_before' });
        for (const asked of wishes.filter(({ key }) => !outcomes.has(key))) {
          const refusal = await checkGuards(asked, append);
          if (refusal !== null) outcomes.set(asked.key, { kind: 'refused', ...refusal });
        }
        const open = wishes.filter(({ key }) => !outcomes.has(key));
        await append(
          open.map(({ key, by, command }) => ({
            type: 'command_started',
            key,
            ...askerOf(by),
            command: { ...command },
          })),
        );
        const events: WorkEvent[] = [];
        for (const { key } of open) {
          const done = await performStarted(startedCommand(key));
          events.push(...done.events);
          outcomes.set(key, done.outcome);
        }
        await append(events);
        return wishes.map(({ key }) => outcomes.get(key) ?? { kind: 'done_before' });
      }),
    permit: (asked) => underLock((append) => checkGuards(asked, append)),
    record: (events) =>
      underLock(async (append) => {
        await append(await events(state));
      }),
  };
}

function askerOf(by: Asker) {
  const from = by.kind === 'person' ? by.from : undefined;
  return { by: nameOf(by), ...(from === undefined ? {} : { from }) };
}

interface CommandResult {
  readonly outcome: Outcome;
  readonly events: readonly WorkEvent[];
}

const UNREADABLE: Performed = {
  ok: false,
  reason: 'this version does not know the command that was started',
  help: null,
};

/** A provider that refuses or can't be reached makes the command fail with a reason; the engine continues. */
async function tryPerform(
  deps: PerformDeps,
  state: WorkState,
  started: StartedCommand,
  command: WorkCommand,
): Promise<Performed> {
  try {
    return await perform(deps, state, started, command);
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error), help: null };
  }
}

function failedCommand(started: StartedCommand, reason: string): WorkEvent {
  const command = readCommand(started.recorded);
  return {
    type: 'command_failed',
    key: started.key,
    by: nameOf(started.by),
    kind: command?.kind ?? 'unknown',
    item_id: command === null ? null : itemOf(command),
    reason,
  };
}
