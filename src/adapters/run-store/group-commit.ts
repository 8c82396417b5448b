import { fstatSync, lstatSync } from 'node:fs';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { syncFile, syncFolder, writeAll } from './atomic-file.ts';
import type { Journal } from './journal.ts';

/** One run's log, open for appending. */
export interface CommittedFile {
  /** Returns when the text is on disk. After a failure nothing more is taken: the end of the file is unknown. */
  readonly append: (text: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface Committer {
  readonly open: (path: string) => Promise<CommittedFile>;
}

interface OpenFile {
  readonly path: string;
  handle: FileHandle;
  /** Its name in the folder survives a power cut. */
  named: boolean;
  failure: Error | null;
}

interface Waiting {
  readonly file: OpenFile;
  readonly text: string;
  readonly settle: (failure: Error | null) => void;
}

/** A journal of this size is emptied, after the files that it covers were flushed themselves. */
const JOURNAL_BYTES = 4 * 1024 * 1024;

/**
 * Makes appends to many files durable together. What was asked for while a flush was under way goes into
 * the next one. A batch for one file costs a flush of that file; a batch for several is written to a
 * journal that they share, which costs one flush as well. A journal that is not emptied before its process
 * ends is taken in by the next one.
 */
export function createCommitter(journal: Journal, journalBytes = JOURNAL_BYTES): Committer {
  const files = new Set<OpenFile>();
  const covered = new Set<string>();
  let queue: Waiting[] = [];
  let working: Promise<void> | null = null;

  const work = async (): Promise<void> => {
    while (queue.length > 0) {
      // Where there are others, what they are about to ask for in this turn goes along.
      if (files.size > 1) await nextTurn();
      const batch = queue;
      queue = [];
      await commit(batch, journal, covered);
      if (journal.bytes() > journalBytes) await emptyJournal(covered, journal);
    }
    working = null;
  };

  return {
    open: async (path) => {
      const file: OpenFile = { path, handle: await open(path, 'a+'), named: false, failure: null };
      files.add(file);
      return {
        append: (text) =>
          new Promise((resolve, reject) => {
            const settle = (failure: Error | null) => (failure === null ? resolve() : reject(failure));
            queue.push({ file, text, settle });
            working ??= work();
          }),
        close: async () => {
          await working;
          files.delete(file);
          await file.handle.close();
          if (files.size === 0) await journal.rest();
        },
      };
    },
  };
}

/** Never throws: each request hears for itself how it went. */
async function commit(batch: readonly Waiting[], journal: Journal, covered: Set<string>): Promise<void> {
  const texts = new Map<OpenFile, string>();
  for (const { file, text } of batch)
    if (file.failure === null) texts.set(file, (texts.get(file) ?? '') + text);
  const [only] = texts.keys();
  if (only !== undefined && texts.size === 1) await commitAlone(only, texts.get(only) ?? '');
  else if (texts.size > 1) await commitTogether(texts, journal, covered);
  for (const { file, settle } of batch) settle(file.failure);
}

async function commitAlone(file: OpenFile, text: string): Promise<void> {
  try {
    await keepInPlace(file);
    writeAll(file.handle.fd, text);
    const name = file.named ? Promise.resolve() : syncFolder(dirname(file.path));
    await Promise.all([file.handle.datasync(), name]);
    file.named = true;
  } catch (error) {
    file.failure = asError(error);
  }
}

async function commitTogether(
  texts: ReadonlyMap<OpenFile, string>,
  journal: Journal,
  covered: Set<string>,
): Promise<void> {
  const failure = await journal.append([...texts.values()].join('')).then(() => null, asError);
  for (const [file, text] of texts)
    try {
      if (failure !== null) throw failure;
      await keepInPlace(file);
      writeAll(file.handle.fd, text);
      covered.add(file.path);
    } catch (error) {
      file.failure = asError(error);
    }
}

/**
 * An agent that is not shut in can take away the log that tells of it, or the whole record. The log is still open, and is
 * written there again.
 */
async function keepInPlace(file: OpenFile): Promise<void> {
  const own = fstatSync(file.handle.fd);
  const there = lstatSync(file.path, { throwIfNoEntry: false });
  if (there?.ino === own.ino && there.dev === own.dev) return;
  const lines = Buffer.alloc(own.size);
  await file.handle.read(lines, 0, own.size, 0);
  await mkdir(dirname(file.path), { recursive: true });
  await rm(file.path, { recursive: true, force: true });
  const again = await open(file.path, 'ax+');
  await again.writeFile(lines);
  await file.handle.close();
  file.handle = again;
  file.named = false;
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
    // The journal keeps what it has and grows on; it is tried again after the next batch.
  }
}
