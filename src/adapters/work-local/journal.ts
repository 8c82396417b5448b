import { dirname, join } from 'node:path';
import { ExpectedFailure } from '../../contracts/expected-failure.ts';
import { FIRST_PREV } from '../../contracts/run/event.ts';
import { type JournalEntry, journalEntrySchema, type WorkEvent } from '../../contracts/work/work-event.ts';
import { sha256Hex } from '../../node/sha256.ts';
import type { Clock } from '../../ports/clock.ts';
import type { WorkJournal } from '../../ports/work/work-journal.ts';
import { parseJson } from '../../text/json.ts';
import type { Row, Tables, WorkDatabase } from './database.ts';
import { createProcessLock, type ProcessLock } from './process-lock.ts';

/** The lock is held for short work only: a merge with large files takes seconds. */
const LOCK_TIMEOUT_MS = 120_000;

export interface LocalJournalDeps {
  readonly database: WorkDatabase;
  readonly clock: Clock;
}

export function createLocalJournal({ database, clock }: LocalJournalDeps): WorkJournal {
  const folder = dirname(database.path);
  const lock = createProcessLock(join(folder, 'alone.lock'));
  /** A sender with retries may take minutes, so each target has a lock of its own. */
  const senders = new Map<string, ProcessLock>();
  const senderOf = (target: string) => {
    const known =
      senders.get(target) ?? createProcessLock(join(folder, `send-${sha256Hex(target).slice(0, 16)}.lock`));
    senders.set(target, known);
    return known;
  };
  return {
    read: async (afterSeq) =>
      (await database.read((tables) => readAfter(database.path, tables, afterSeq))) ?? [],
    withLock: (work) =>
      lock.hold(
        async () => {
          let isReleased = false;
          try {
            return await work((events) => {
              if (isReleased) throw new Error('append to the journal only while it is locked');
              const at = clock.now().toISOString();
              return database.write((tables) => append(tables, at, events));
            });
          } finally {
            isReleased = true;
          }
        },
        { timeoutMs: LOCK_TIMEOUT_MS },
      ),
    withSender: (target, signal, send) => senderOf(target).hold(send, { timeoutMs: LOCK_TIMEOUT_MS, signal }),
    close: database.close,
  };
}

/** Reads all journal entries; fails if one was changed, is missing or can't be parsed. */
export async function verifyJournal(database: WorkDatabase): Promise<number> {
  const entries = await database.read((tables) => readAfter(database.path, tables, 0));
  return entries?.length ?? 0;
}

interface StoredEntry {
  readonly seq: number;
  readonly at: string;
  readonly event: string;
  readonly prev: string;
}

function append(tables: Tables, at: string, events: readonly WorkEvent[]): readonly JournalEntry[] {
  const [last] = tables.all('SELECT * FROM journal ORDER BY seq DESC LIMIT 1').map(parseRow);
  let seq = last?.seq ?? 0;
  let prev = last === undefined ? FIRST_PREV : digestOf(last);
  return events.map((event) => {
    seq += 1;
    const stored = { seq, at, event: JSON.stringify(event), prev };
    tables.run(
      'INSERT INTO journal (seq, at, event, prev_sha256) VALUES (?, ?, ?, ?)',
      stored.seq,
      stored.at,
      stored.event,
      stored.prev,
    );
    prev = digestOf(stored);
    return { seq, at, event };
  });
}

/** Each entry contains the digest of the previous one, so that manual changes are detected. */
function readAfter(path: string, tables: Tables, afterSeq: number): JournalEntry[] {
  const rows = tables.all('SELECT * FROM journal WHERE seq >= ? ORDER BY seq', afterSeq).map(parseRow);
  const [first] = rows;
  const known = first !== undefined && first.seq === afterSeq;
  let seq = afterSeq;
  let prev = known ? digestOf(first) : afterSeq === 0 ? FIRST_PREV : null;
  const entries: JournalEntry[] = [];
  for (const row of known ? rows.slice(1) : rows) {
    seq += 1;
    if (row.seq !== seq || row.prev !== prev)
      throw new ExpectedFailure(
        `the journal in ${path} was modified outside of conductor before entry ${row.seq}: restore a copy of the file`,
      );
    entries.push(parseEntry(path, row));
    prev = digestOf(row);
  }
  return entries;
}

function parseEntry(path: string, { seq, at, event }: StoredEntry): JournalEntry {
  const parsed = journalEntrySchema.safeParse({ seq, at, event: parseJson(event) });
  if (parsed.success) return parsed.data;
  throw new ExpectedFailure(
    `entry ${seq} of the journal in ${path} can't be read by this version of conductor: update conductor, or restore a copy of the file`,
  );
}

function digestOf({ seq, at, event, prev }: StoredEntry): string {
  return sha256Hex(JSON.stringify([seq, at, event, prev]));
}

function parseRow(row: Row): StoredEntry {
  return {
    seq: Number(row.seq),
    at: String(row.at),
    event: String(row.event),
    prev: String(row.prev_sha256),
  };
}
