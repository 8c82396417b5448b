import { type FileHandle, open } from 'node:fs/promises';
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
  readonly handle: FileHandle;
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
      const file: OpenFile = { path, handle: await open(path, 'a'), named: false, failure: null };
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
      writeAll(file.handle.fd, text);
      covered.add(file.path);
    } catch (error) {
      file.failure = asError(error);
    }
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
