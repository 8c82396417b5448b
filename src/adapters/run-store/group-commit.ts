import { fstatSync, lstatSync, readSync } from 'node:fs';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ExpectedFailure } from '../../contracts/expected-failure.ts';
import { syncFolder } from '../../node/atomic-file.ts';
import { syncFile, writeAll } from './durable-file.ts';
import type { Journal } from './journal.ts';
import { readRegularFile } from './regular-file.ts';

/** One run's log, open for appending. */
export interface CommittedFile {
  /** Returns when the text is on disk. After a failure every append fails, because the end of the file is unknown. */
  readonly append: (text: string) => Promise<void>;
  /**
   * Returns when the text is written. The next append of this file, or a flush shortly after, brings it to the disk. After
   * a failure of that flush every append fails.
   */
  readonly write: (text: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface Committer {
  readonly open: (path: string, terms?: AppendTerms) => Promise<CommittedFile>;
}

/** Preconditions of each append. */
export interface AppendTerms {
  /** The expected end of the file: its size and its last line. */
  readonly end: FileEnd;
  /** Throws if this process may no longer write. */
  readonly expectHeld: () => void;
}

interface FileEnd {
  readonly bytes: number;
  readonly lastLine: Uint8Array;
}

interface OpenFile {
  readonly path: string;
  readonly expectHeld: () => void;
  end: FileEnd;
  handle: FileHandle;
  /** Whether its name in the folder survives a power cut. */
  named: boolean;
  failure: Error | null;
  /** Written and not flushed. */
  unflushed: string;
  /** Flushes `unflushed` if no append does it before. */
  timer: NodeJS.Timeout | null;
  /** Appends that are not settled. */
  pending: number;
}

interface Waiting {
  readonly file: OpenFile;
  readonly text: string;
  readonly settle: (failure: Error | null) => void;
}

/** A journal larger than this is emptied, after the files that it covers have been flushed. */
const JOURNAL_BYTES = 4 * 1024 * 1024;

/**
 * How long written text stays unflushed if no append follows. The start of the next step's process follows within this
 * time unless preparing it takes longer, and then the flush runs meanwhile.
 */
const FLUSH_AFTER_MS = 20;

const NO_TERMS: AppendTerms = { end: { bytes: 0, lastLine: new Uint8Array() }, expectHeld: () => {} };

/**
 * Makes appends to many files durable together (group commit). Appends that are requested during a flush go into the
 * next one. A batch for one file costs a flush of that file; a batch for several is written to a shared journal, which
 * also costs one flush. If a process exits before it empties its journal, the next process applies it.
 */
export function createCommitter(journal: Journal, journalBytes = JOURNAL_BYTES): Committer {
  const files = new Set<OpenFile>();
  const covered = new Set<string>();
  let queue: Waiting[] = [];
  let working: Promise<void> | null = null;

  const work = async (): Promise<void> => {
    while (queue.length > 0) {
      // If other files are open, wait one turn, so that their appends join this batch.
      if (files.size > 1) await nextTurn();
      const batch = queue;
      queue = [];
      await commit(batch, journal, covered);
      if (journal.bytes() > journalBytes) await emptyJournal(covered, journal);
    }
    working = null;
  };

  return {
    open: async (path, { end, expectHeld } = NO_TERMS) => {
      const handle = await open(path, 'a+');
      const file: OpenFile = {
        path,
        expectHeld,
        end,
        handle,
        named: false,
        failure: null,
        unflushed: '',
        timer: null,
        pending: 0,
      };
      files.add(file);
      const append = (text: string): Promise<void> => {
        stopTimer(file);
        file.pending += 1;
        return new Promise((resolve, reject) => {
          const settle = (failure: Error | null) => {
            file.pending -= 1;
            if (failure === null) resolve();
            else reject(failure);
          };
          queue.push({ file, text, settle });
          working ??= work();
        });
      };
      // A failure is that of the next append.
      const flush = (): Promise<void> => append('');
      return {
        append,
        write: async (text) => {
          // Text must not overtake an append that still waits.
          if (file.pending > 0) return append(text);
          await writeUnflushed(file, text);
          file.timer ??= setTimeout(() => {
            flush().catch(() => {});
          }, FLUSH_AFTER_MS);
        },
        close: async () => {
          if (file.unflushed !== '') await flush().catch(() => {});
          await working;
          files.delete(file);
          await file.handle.close();
          if (files.size === 0) await journal.rest();
        },
      };
    },
  };
}

function stopTimer(file: OpenFile): void {
  if (file.timer !== null) clearTimeout(file.timer);
  file.timer = null;
}

/** The lease is not checked again after the write: the append that flushes this text does it before anything follows from it. */
async function writeUnflushed(file: OpenFile, text: string): Promise<void> {
  if (file.failure !== null) throw file.failure;
  file.pending += 1;
  try {
    appendNow(file, text, await restoreIfReplaced(file));
    file.unflushed += text;
  } catch (error) {
    file.failure = asError(error);
    throw file.failure;
  } finally {
    file.pending -= 1;
  }
}

/** Never throws: each request is settled with its own result. */
async function commit(batch: readonly Waiting[], journal: Journal, covered: Set<string>): Promise<void> {
  const texts = new Map<OpenFile, string>();
  for (const { file, text } of batch)
    if (file.failure === null) texts.set(file, (texts.get(file) ?? '') + text);
  if (texts.size > 1) for (const file of texts.keys()) if (!(await isReady(file))) texts.delete(file);
  const [only] = texts.keys();
  if (only !== undefined && texts.size === 1) await commitAlone(only, texts.get(only) ?? '');
  else if (texts.size > 1) await commitTogether(texts, journal, covered);
  for (const { file, settle } of batch) settle(file.failure);
}

/** Checks a file before anything is written to the journal, which must not contain lines that the file can't take. */
async function isReady(file: OpenFile): Promise<boolean> {
  try {
    expectSize(file, await restoreIfReplaced(file));
    return true;
  } catch (error) {
    file.failure = asError(error);
    return false;
  }
}

async function commitAlone(file: OpenFile, text: string): Promise<void> {
  try {
    appendNow(file, text, await restoreIfReplaced(file));
    const name = file.named ? Promise.resolve() : syncFolder(dirname(file.path));
    await Promise.all([file.handle.datasync(), name]);
    file.unflushed = '';
    file.named = true;
    file.expectHeld();
  } catch (error) {
    file.failure = asError(error);
  }
}

async function commitTogether(
  texts: ReadonlyMap<OpenFile, string>,
  journal: Journal,
  covered: Set<string>,
): Promise<void> {
  // The journal is all that is flushed, so it also gets what was written to the files before.
  const lines = [...texts].map(([file, text]) => file.unflushed + text).join('');
  const failure = await journal.append(lines).then(() => null, asError);
  for (const [file, text] of texts)
    try {
      if (failure !== null) throw failure;
      // The path of the file was checked before the journal was written. If the file is gone since, the next append
      // restores it.
      appendNow(file, text, fstatSync(file.handle.fd).size);
      file.unflushed = '';
      covered.add(file.path);
      file.expectHeld();
    } catch (error) {
      file.failure = asError(error);
    }
}

/**
 * Checks and writes synchronously. The callers check the lease again before they acknowledge the text: a driver that
 * takes over removes the lock first and then reads the log, so it has read everything that is acknowledged. A process
 * that is stopped between this check and the write, and continues after the takeover, writes to a file that no longer
 * has a name (`settleLog`).
 */
function appendNow(file: OpenFile, text: string, size: number): void {
  file.expectHeld();
  expectSize(file, size);
  expectLastLine(file);
  if (text === '') return;
  writeAll(file.handle.fd, text);
  const lastLine = Buffer.from(text.slice(text.lastIndexOf('\n', text.length - 2) + 1));
  file.end = { bytes: file.end.bytes + Buffer.byteLength(text), lastLine };
}

function expectSize({ path, end }: OpenFile, size: number): void {
  if (size !== end.bytes)
    throw new ExpectedFailure(
      `${path} has ${size} bytes where this process left ${end.bytes}: something else wrote to it, so nothing was appended`,
    );
}

function expectLastLine({ path, handle, end }: OpenFile): void {
  const found = Buffer.alloc(end.lastLine.length);
  readSync(handle.fd, found, 0, found.length, end.bytes - found.length);
  if (!found.equals(end.lastLine))
    throw new ExpectedFailure(
      `the last line of ${path} is not the one that this process left: something else wrote to it, so nothing was appended`,
    );
}

/**
 * Restores a log that was removed or replaced: an agent without a sandbox can delete the log that reports on it, or the
 * whole record. The log is still open, so its content is written to the path again. A log that continues this one is
 * not the work of an agent: another driver has written it. Returns the size of the log.
 */
async function restoreIfReplaced(file: OpenFile): Promise<number> {
  const own = fstatSync(file.handle.fd);
  const current = lstatSync(file.path, { throwIfNoEntry: false });
  if (current?.ino === own.ino && current.dev === own.dev) return own.size;
  // Check the lease only now: a driver that takes over removes this process's lock before it replaces the log.
  file.expectHeld();
  const lines = Buffer.alloc(own.size);
  await file.handle.read(lines, 0, own.size, 0);
  const found = await readRegularFile(file.path).catch(() => null);
  if (found !== null && found.length > own.size && found.subarray(0, own.size).equals(lines))
    throw new ExpectedFailure(`another process has continued ${file.path}, so nothing was appended`);
  await mkdir(dirname(file.path), { recursive: true });
  await rm(file.path, { recursive: true, force: true });
  const restored = await open(file.path, 'ax+');
  await restored.writeFile(lines);
  await file.handle.close();
  file.handle = restored;
  file.named = false;
  return own.size;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

async function emptyJournal(covered: Set<string>, journal: Journal): Promise<void> {
  const paths = [...covered];
  const names = new Set(paths.map((path) => dirname(path)));
  try {
    await Promise.all([...paths.map(syncFile), ...[...names].map(syncFolder)]);
    await journal.empty();
    covered.clear();
  } catch {
    // The journal keeps its content and grows. The next batch tries again.
  }
}
