import { appendFile, lstat, mkdir } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import type { EventDraft } from '../../contracts/run/event.ts';
import { writeAtomically } from '../../node/atomic-file.ts';
import type { RunDirectory } from '../../ports/run-store.ts';
import { isRecordPath } from '../../text/paths.ts';
import type { Blob, BlobStore } from './blob-folder.ts';
import type { Query } from './database.ts';

/** A file of a run's record and its content, which the blob store has. */
export interface StoredFile extends Blob {
  readonly path: string;
}

/** What a driver stores beside its events. */
export interface AppendedFiles {
  readonly files: readonly StoredFile[];
  /** The content of status.json, if it has changed. */
  readonly status: string | null;
}

export const EVENTS_FILE = 'events.ndjson';
export const STATUS_FILE = 'status.json';
/** How many files are stored or fetched at the same time. */
const BATCH_SIZE = 8;

/** The run directory of a driver, which knows the files that have changed since they were stored. */
export interface TrackedDirectory {
  readonly directory: RunDirectory;
  /** Stores all changed files that this process knows of, and those that the events name. */
  readonly storeChanged: (drafts: readonly EventDraft[]) => Promise<readonly StoredFile[]>;
  /** Also finds the files that other programs have written into the directory. */
  readonly storeAll: () => Promise<readonly StoredFile[]>;
  /** Says what is stored now. */
  readonly settle: (stored: AppendedFiles) => void;
  /** The content of status.json that is not stored yet; null if there is none. */
  readonly pendingStatus: () => string | null;
  readonly appendLines: (text: string) => Promise<void>;
}

export function trackDirectory(
  inner: RunDirectory,
  blobs: BlobStore,
  known: ReadonlyMap<string, string>,
): TrackedDirectory {
  const changed = new Set<string>();
  /** Digests by path, and the times and sizes of files that a scan has found unchanged. */
  const stored = new Map(known);
  const scanned = new Map<string, string>();
  let status: string | null = null;
  const note = (path: string) => {
    if (isEvidence(path)) changed.add(path);
  };
  const store = async (paths: readonly string[]): Promise<readonly StoredFile[]> => {
    const files = await mapInBatches(paths, async (path) => {
      const blob = await blobs.put(inner.resolve(path));
      return blob === null ? [] : [{ path, ...blob }];
    });
    return files.flat().filter(({ path, sha256 }) => stored.get(path) !== sha256);
  };
  return {
    directory: {
      ...inner,
      write: async (path, content, options) => {
        const digest = await inner.write(path, content, options);
        if (path === STATUS_FILE) status = String(content);
        note(path);
        return digest;
      },
      digest: async (absolutePath) => {
        const digest = await inner.digest(absolutePath);
        note(relative(inner.path, absolutePath));
        return digest;
      },
      sync: async (paths) => {
        await inner.sync(paths);
        for (const path of paths) note(path);
      },
      appendText: async (path, text) => {
        await inner.appendText(path, text);
        note(path);
      },
    },
    storeChanged: async (drafts) => {
      for (const path of drafts.flatMap(namedFiles)) note(path);
      const paths = [...changed];
      changed.clear();
      return store(paths);
    },
    storeAll: async () => {
      const paths: string[] = [];
      for (const path of (await inner.list('.')).filter(isEvidence)) {
        const found = await lstat(inner.resolve(path)).catch(() => null);
        const mark = `${found?.mtimeMs} ${found?.size}`;
        if (!changed.has(path) && scanned.get(path) === mark) continue;
        scanned.set(path, mark);
        paths.push(path);
      }
      changed.clear();
      return store(paths);
    },
    settle: ({ files, status: storedStatus }) => {
      for (const { path, sha256 } of files) stored.set(path, sha256);
      if (status === storedStatus) status = null;
    },
    pendingStatus: () => status,
    appendLines: (text) => appendFile(inner.resolve(EVENTS_FILE), text),
  };
}

function namedFiles(draft: EventDraft): readonly string[] {
  if (draft.event_type === 'artifact_recorded') return [draft.payload.path];
  return draft.event_type === 'run_completed' ? (draft.payload.files ?? []).map(({ path }) => path) : [];
}

/** The log and the status are kept in the database; temporary files and locks belong to this machine. */
function isEvidence(path: string): boolean {
  if (!isRecordPath(path) || path === EVENTS_FILE || path === STATUS_FILE) return false;
  return !/^(?:\.gitignore|lock\..*|.*\.[0-9a-f]{12}\.tmp)$/.test(path);
}

export async function readFiles(query: Query, runId: string): Promise<readonly StoredFile[]> {
  const rows = await query(
    'select path, sha256, bytes::float8 as bytes from conductor.files where run_id = $1 order by path',
    [runId],
  );
  return rows.map(({ path, sha256, bytes }) => ({
    path: String(path),
    sha256: String(sha256),
    bytes: Number(bytes),
  }));
}

/** Makes the files of a run the same here as in the store. Files that the store doesn't have are left alone. */
export async function fetchFiles(
  directory: RunDirectory,
  blobs: BlobStore,
  files: readonly StoredFile[],
): Promise<void> {
  await mapInBatches(
    files.filter(({ path }) => isRecordPath(path)),
    async ({ path, sha256, bytes }) => {
      const target = directory.resolve(path);
      const found = await lstat(target).catch(() => null);
      const isSame =
        found?.isFile() === true &&
        found.size === bytes &&
        (await directory.digest(target)).sha256 === sha256;
      if (isSame) return;
      await mkdir(dirname(target), { recursive: true });
      await blobs.get(sha256, target);
    },
  );
}

/** A file in the directory in which the holder of a claim drives the run. */
export function markOf(holder: string): string {
  return `lock.${holder}`;
}

export function writeLog(directory: RunDirectory, content: string): Promise<void> {
  return writeAtomically(directory.resolve(EVENTS_FILE), content);
}

async function mapInBatches<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += BATCH_SIZE)
    results.push(...(await Promise.all(items.slice(start, start + BATCH_SIZE).map(work))));
  return results;
}
