import type { JournalEntry, WorkEvent } from '../../contracts/work/work-event.ts';

/** The engine's append-only journal. Only one process appends at a time. */
export interface WorkJournal {
  /** Entries after this number, oldest first. */
  readonly read: (afterSeq: number) => Promise<readonly JournalEntry[]>;
  /**
   * Runs `work` under the journal's lock. Hold it briefly, not during agent runs. Waits for the process that holds the
   * lock, and takes over the lock of a dead process.
   */
  readonly withLock: <T>(work: (append: AppendEvents) => Promise<T>) => Promise<T>;
  /** Runs `send` while no other process sends notifications to the target. Throws when the signal fires before. */
  readonly withSender: (target: string, signal: AbortSignal, send: () => Promise<void>) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Appends all events or none. Durable when it returns. */
export type AppendEvents = (events: readonly WorkEvent[]) => Promise<readonly JournalEntry[]>;
