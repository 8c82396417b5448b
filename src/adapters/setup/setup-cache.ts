import { mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DAY_MS } from '../../contracts/duration.ts';
import { pathExists } from '../../node/path-exists.ts';
import { sha256Hex } from '../../node/sha256.ts';
import { hasErrorCode } from '../../text/error-code.ts';
import {
  type CacheEntry,
  type CopiedInput,
  discardEntry,
  discardFolder,
  entryFile,
  readEntry,
  type Stored,
  storeEntry,
  UNFINISHED,
} from './cache-entry.ts';
import { createPauses, type Pauses, removeTree } from './tree.ts';

/** Number of entries that are kept even if they were not used for a long time. */
const KEPT_ENTRIES = 5;

export interface CacheRequest {
  readonly checkout: string;
  /** A folder of the run, for results that no other run may use. */
  readonly stateDir: string;
  readonly digest: string;
}

export interface SetupCache {
  /** Entries that fit the checkout, the best first. */
  readonly find: (request: CacheRequest) => Promise<readonly CacheEntry[]>;
  readonly store: (
    request: CacheRequest & {
      readonly tops: readonly string[];
      readonly inputs: readonly CopiedInput[];
      /** Whether other runs may use the result. */
      readonly isShared: boolean;
      readonly pauses: Pauses;
    },
  ) => Promise<Stored>;
  readonly discard: (entry: CacheEntry) => Promise<void>;
  /**
   * Lets one process at a time create the result for a digest, so that the others can use it. This only saves work:
   * without it, two processes would create the same result, and one of them would be discarded.
   */
  readonly exclusively: <T>(digest: string, signal: AbortSignal, work: () => Promise<T>) => Promise<T>;
}

/** `folder` is shared by all runs of a repository. */
export function createSetupCache(folder: string): SetupCache {
  return {
    find: async (request) => {
      const places = [join(folder, request.digest), ...privateEntryFolders(request)];
      const entries = await Promise.all(places.map(readEntry));
      const fitting = entries.filter((entry) => entry !== null).filter((entry) => fits(entry, request));
      for (const entry of fitting) await recordUse(entry);
      return fitting;
    },
    store: async ({ isShared, ...request }) => {
      const workFolder = isShared ? folder : privateFolder(request.stateDir);
      await mkdir(workFolder, { recursive: true, mode: 0o700 });
      await mkdir(privateFolder(request.stateDir), { recursive: true, mode: 0o700 });
      const [forAny, forThis] = privateEntryFolders(request);
      const placeOf = (isBound: boolean) =>
        isBound ? forThis : isShared ? join(folder, request.digest) : forAny;
      const stored = await storeEntry({ ...request, workFolder, placeOf });
      if (isShared && stored.boundBy !== null) await writeFile(boundMarkPath(folder, request.digest), '');
      await prune(workFolder, stored.entry.folder);
      return stored;
    },
    discard: (entry) => discardEntry(entry, createPauses(null)),
    exclusively: async (digest, signal, work) => {
      // Don't wait for a result that only fits its own checkout: it is useless to other processes.
      if (await pathExists(boundMarkPath(folder, digest))) return work();
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const release = await acquireLock(join(folder, `.lock-${digest}`), signal);
      try {
        return await work();
      } finally {
        await release();
      }
    },
  };
}

function fits(entry: CacheEntry, { digest, checkout }: CacheRequest): boolean {
  return entry.digest === digest && (entry.madeIn === null || entry.madeIn === checkout);
}

function privateFolder(stateDir: string): string {
  return join(stateDir, 'setup');
}

/** The entry for any checkout of the run, and the entry for this checkout only. */
function privateEntryFolders({ stateDir, digest, checkout }: CacheRequest): readonly [string, string] {
  const own = `${basename(checkout)}-${sha256Hex(checkout).slice(0, 8)}`;
  return [join(privateFolder(stateDir), digest), join(privateFolder(stateDir), `${digest}-${own}`)];
}

function boundMarkPath(folder: string, digest: string): string {
  return join(folder, `.bound-${digest}`);
}

async function recordUse(entry: CacheEntry): Promise<void> {
  const now = new Date();
  await utimes(entryFile(entry.folder), now, now).catch(() => undefined);
}

/** Removes entries that were not used for a day, except the last few, and leftover files of killed processes. */
async function prune(folder: string, newest: string): Promise<void> {
  const now = Date.now();
  const entries: { readonly path: string; readonly usedMs: number }[] = [];
  for (const name of await readdir(folder).catch((): string[] => [])) {
    const path = join(folder, name);
    const isEntry = /^[0-9a-f]{64}/.test(name);
    const found = await stat(isEntry ? entryFile(path) : path).catch(() => null);
    if (isEntry) entries.push({ path, usedMs: found?.mtimeMs ?? 0 });
    else if (found !== null && now - found.mtimeMs > DAY_MS && isLeftover(name))
      await removeTree(path, createPauses(null)).catch(() => undefined);
  }
  const old = entries.sort((one, other) => other.usedMs - one.usedMs).slice(KEPT_ENTRIES);
  for (const { path, usedMs } of old)
    if (path !== newest && now - usedMs > DAY_MS) await discardFolder(path, createPauses(null));
}

function isLeftover(name: string): boolean {
  return name.startsWith(UNFINISHED) || name.startsWith('.lock-') || name.startsWith('.bound-');
}

const HEARTBEAT_MS = 2_000;
const STALE_MS = 15_000;
const POLL_MS = 100;

/** Acquires a lock file, which its holder touches while it works. A stale lock is taken over. */
async function acquireLock(path: string, signal: AbortSignal): Promise<() => Promise<void>> {
  for (;;) {
    signal.throwIfAborted();
    try {
      await writeFile(path, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (!hasErrorCode(error, 'EEXIST')) throw error;
    }
    const held = await stat(path).catch(() => null);
    if (held !== null && Date.now() - held.mtimeMs > STALE_MS) {
      const aside = `${path}.${process.pid}`;
      await rename(path, aside).catch(() => undefined);
      await rm(aside, { force: true });
    } else await delay(POLL_MS, undefined, { signal });
  }
  const beat = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => undefined);
  }, HEARTBEAT_MS);
  beat.unref();
  return async () => {
    clearInterval(beat);
    await rm(path, { force: true });
  };
}
