import type { JournalEntry, WorkEvent } from '../../contracts/work-event.ts';
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
  /** Told of each entry once, in order, also of those that other processes wrote. */
  readonly onEntry: (entry: JournalEntry) => void;
}

export type Outcome =
  | { readonly kind: 'done' }
  /** The same wish was granted earlier, here or elsewhere. */
  | { readonly kind: 'done_before' }
  | ({ readonly kind: 'refused' } & Refusal)
  | { readonly kind: 'failed'; readonly reason: string; readonly help: string | null };

/** The only way to write outside. */
export interface Executor {
  /** As far as the journal has been read; it moves on with every call. */
  readonly state: WorkState;
  readonly catchUp: () => Promise<void>;
  readonly execute: (asked: AskedCommand) => Promise<Outcome>;
  /** The same for wishes of which none changes what another is judged by: they are written down at once. */
  readonly executeAll: (wishes: readonly AskedCommand[]) => Promise<readonly Outcome[]>;
  /** Only the guards, and the record of a refusal: for a run that is about to be asked for. */
  readonly permit: (asked: AskedCommand) => Promise<Refusal | null>;
  /** Appends what has happened outside. The journal is read to its end, and what was left half done is completed, before. */
  readonly record: (events: (state: WorkState) => Promise<readonly WorkEvent[]>) => Promise<void>;
}

export function createExecutor(deps: ExecutorDeps): Executor {
  const state = createWorkState();

  const fold = (entries: readonly JournalEntry[]) => {
    for (const entry of entries) {
      // Two readers of the same tail may come back one after the other.
      if (entry.seq <= state.seq) continue;
      evolve(state, entry);
      deps.onEntry(entry);
    }
  };

  const catchUp = async () => fold(await deps.journal.read(state.seq));

  /** Whoever is alone and finds a command that has started and not ended knows that its process is dead. */
  const alone = <T>(work: (append: AppendEvents) => Promise<T>): Promise<T> =>
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
    const { outcome, events } = await carryOut(started);
    await append(events);
    return outcome;
  };

  const carryOut = async (started: StartedCommand): Promise<CarriedOut> => {
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

  const refusedBy = async (asked: AskedCommand, append: AppendEvents): Promise<Refusal | null> => {
    const refusal = refusalOf(state, asked, deps.guards());
    if (refusal !== null) await append(refusalEvents(state, asked, refusal));
    return refusal;
  };

  return {
    state,
    catchUp,
    execute: (asked) =>
      alone(async (append): Promise<Outcome> => {
        const { key, by, command } = asked;
        if (state.doneKeys.has(key)) return { kind: 'done_before' };
        const refusal = await refusedBy(asked, append);
        if (refusal !== null) return { kind: 'refused', ...refusal };
        await append([{ type: 'command_started', key, ...askerOf(by), command: { ...command } }]);
        return complete(startedCommand(key), append);
      }),
    executeAll: (wishes) =>
      alone(async (append) => {
        const outcomes = new Map<string, Outcome>();
        for (const asked of wishes.filter(({ key }) => state.doneKeys.has(key)))
          outcomes.set(asked.key, { kind: 'done_before' });
        for (const asked of wishes.filter(({ key }) => !outcomes.has(key))) {
          const refusal = await refusedBy(asked, append);
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
          const done = await carryOut(startedCommand(key));
          events.push(...done.events);
          outcomes.set(key, done.outcome);
        }
        await append(events);
        return wishes.map(({ key }) => outcomes.get(key) ?? { kind: 'done_before' });
      }),
    permit: (asked) => alone((append) => refusedBy(asked, append)),
    record: (events) =>
      alone(async (append) => {
        await append(await events(state));
      }),
  };
}

function askerOf(by: Asker) {
  const from = by.kind === 'person' ? by.from : undefined;
  return { by: nameOf(by), ...(from === undefined ? {} : { from }) };
}

interface CarriedOut {
  readonly outcome: Outcome;
  readonly events: readonly WorkEvent[];
}

const UNREADABLE: Performed = {
  ok: false,
  reason: 'this version does not know the command that was started',
  help: null,
};

/** A provider that says no, or can't be reached, is nothing to die of: the command has failed and says why. */
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
