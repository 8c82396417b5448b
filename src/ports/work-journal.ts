import type { JournalEntry, WorkEvent } from '../contracts/work-event.ts';

/** The engine's own record. It is appended to and never changed; whoever holds it is alone. */
export interface WorkJournal {
  /** Entries after this number, oldest first. */
  readonly read: (afterSeq: number) => Promise<readonly JournalEntry[]>;
  /**
   * Runs `work` while no other process appends. It is for moments: runs of agents go on without it. Waits for whoever has it,
   * and takes over from one that died.
   */
  readonly alone: <T>(work: (append: AppendEvents) => Promise<T>) => Promise<T>;
  readonly close: () => Promise<void>;
}

/** Durable when it comes back, all of them or none. */
export type AppendEvents = (events: readonly WorkEvent[]) => Promise<readonly JournalEntry[]>;
