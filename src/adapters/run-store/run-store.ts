import { mkdir, readdir, rm, rmdir, symlink, unlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { type Driver, describeDriver } from '../../contracts/run/run-lease.ts';
import { syncFolder } from '../../node/atomic-file.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DrivenRun, DriveResult, NewRun, ReadResult, RunStore } from '../../ports/run-store.ts';
import { hasErrorCode } from '../../text/error-code.ts';
import { exists } from './durable-file.ts';
import {
  createLogWriter,
  EMPTY_LOG,
  EVENTS_FILE,
  type IntactLog,
  type LogReading,
  readLog,
} from './event-log.ts';
import { type Committer, createCommitter } from './group-commit.ts';
import { createInbox } from './inbox.ts';
import { createJournal, findJournals } from './journal.ts';
import { LEASE_TIMING, type Lease, type LeaseTiming } from './lease.ts';
import { adoptJournals, clearHalfWritten, completeLog, settleLog } from './log-repair.ts';
import { createRunDirectory } from './run-directory.ts';
import { listRuns, listSomeRuns } from './run-index.ts';
import { acquireLock, findDriver, isAbandoned } from './run-lock.ts';
import { createRunQueue, type RunQueue } from './run-queue.ts';

export interface RunStoreDeps {
  readonly repoRoot: string;
  /** Absolute path of the folder with the runs, or with links to runs that are stored elsewhere. */
  readonly runsDir: string;
  readonly clock: Clock;
  /** Called when a run is created. */
  readonly onCreated?: () => Promise<void>;
  /** All processes that share the runs must use the same timing. */
  readonly lease?: LeaseTiming;
}

/** How many runs `listAbandoned` looks at. */
const MAX_ABANDONED = 100;
const RUN_FOLDERS = ['artifacts', 'harness', 'screenshots', 'logs'];

export interface OpenStore extends RunStoreDeps {
  readonly lease: LeaseTiming;
  readonly queue: RunQueue;
  readonly committer: Committer;
  /** Makes the names of all runs created so far survive a power cut. */
  readonly syncRuns: () => Promise<void>;
}

export function openStore(deps: RunStoreDeps): OpenStore {
  return {
    ...deps,
    lease: deps.lease ?? LEASE_TIMING,
    queue: createRunQueue(deps.runsDir, deps.clock),
    committer: createCommitter(createJournal(deps.runsDir)),
    syncRuns: shareCalls(() => syncFolder(deps.runsDir)),
  };
}

export function createRunStore(store: OpenStore): RunStore {
  const pathOf = (runId: string) => join(store.runsDir, runId);
  return {
    locate: (runId, artifactsDir) => locateRun(store, runId, artifactsDir),
    create: async (runId, artifactsDir) => {
      const run = await createRun(store, runId, artifactsDir);
      if (run.ok) return run.run;
      throw new Error(`run ${runId} is already driven by ${describeDriver(run.driver)}`);
    },
    drive: (runId) => driveRun(store, runId, pathOf(runId)),
    read: (runId) => readRun(store, runId, pathOf(runId)),
    match: async (prefix) => (await listRunIds(store.runsDir)).filter((id) => matches(id, prefix)),
    listAbandoned: async () => {
      const recent = (await listRunIds(store.runsDir)).slice(0, MAX_ABANDONED);
      const found = await Promise.all(
        recent.map(async (runId) => ((await isAbandoned(pathOf(runId), store.lease.leaseMs)) ? [runId] : [])),
      );
      return found.flat();
    },
    list: async (runIds) =>
      runIds === undefined
        ? listRuns(store.runsDir, await listRunIds(store.runsDir), store.lease.leaseMs)
        : listSomeRuns(store.runsDir, runIds, store.lease.leaseMs),
  };
}

function matches(runId: string, prefix: string): boolean {
  const plain = (text: string) => text.replaceAll('-', '').toLowerCase();
  return plain(runId).startsWith(plain(prefix));
}

/** Newest first: ids sort by creation time. */
async function listRunIds(runsDir: string): Promise<readonly string[]> {
  try {
    const names = await readdir(runsDir);
    return names
      .filter((name) => /^[0-9a-f-]{36}$/.test(name))
      .sort()
      .reverse();
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT') || hasErrorCode(error, 'ENOTDIR')) return [];
    throw error;
  }
}

export function locateRun(deps: RunStoreDeps, runId: string, artifactsDir: string | null): string {
  return join(artifactsDir === null ? deps.runsDir : resolve(deps.repoRoot, artifactsDir), runId);
}

type CreateResult =
  | { readonly ok: true; readonly run: NewRun }
  | { readonly ok: false; readonly driver: Driver };

/** With `reuse`, also takes a folder that a process left without an event when it died. */
export async function createRun(
  deps: OpenStore,
  runId: string,
  artifactsDir: string | null,
  reuse = false,
): Promise<CreateResult> {
  const made = await prepareRunsFolder(deps);
  const indexed = join(deps.runsDir, runId);
  const path = locateRun(deps, runId, artifactsDir);
  await mkdir(path, { recursive: true });
  if (path !== indexed) {
    await writeFile(join(path, '.gitignore'), '*\n');
    if (!reuse || !(await exists(indexed))) await symlink(relative(deps.runsDir, path), indexed);
  }
  await Promise.all(RUN_FOLDERS.map((folder) => mkdir(join(path, folder), { recursive: reuse })));
  const lock = await acquireLock(path, deps.lease);
  if (!lock.ok) return lock;
  const run = await openDriven(deps, runId, path, lock.lease, EMPTY_LOG);
  await deps.syncRuns();
  if (path !== indexed) await syncFolder(dirname(path));
  await deps.onCreated?.();
  const discard = async () => {
    await run.release({ kind: 'never' });
    await rm(path, { recursive: true, force: true });
    if (path !== indexed) await unlink(indexed);
    await removeCreated(made);
  };
  return { ok: true, run: { ...run, discard } };
}

async function openDriven(
  deps: OpenStore,
  runId: string,
  path: string,
  lease: Lease,
  reading: IntactLog,
): Promise<DrivenRun> {
  const { lost, expectHeld } = lease;
  const file = await deps.committer.open(join(path, EVENTS_FILE), {
    end: { bytes: reading.intactBytes, lastLine: reading.lastLine },
    expectHeld: expectHeld,
  });
  const log = createLogWriter(file, runId, reading.end, deps.clock);
  const directory = createRunDirectory(runId, path, expectHeld);
  return {
    lease: { lost, expectHeld },
    directory,
    inbox: createInbox(directory, deps, expectHeld),
    events: reading.events,
    append: log.append,
    release: async (wake = { kind: 'now' }) => {
      await log.close();
      if (!lost.aborted) await deps.queue.rest(runId, wake);
      await lease.release();
    },
  };
}

/**
 * Creates the folder of the runs. `.gitignore` files keep runs and checkouts out of git and ignore themselves too, so
 * that `git status` does not change. Returns the created paths, in order, so that a failed start can remove them.
 */
export async function prepareRunsFolder(deps: RunStoreDeps): Promise<readonly string[]> {
  const made: string[] = [];
  const home = join(deps.repoRoot, '.tnh');
  const first = await mkdir(deps.runsDir, { recursive: true });
  if (first !== undefined) made.push(...listCreatedFolders(first, deps.runsDir));
  const files = [{ path: join(deps.runsDir, '.gitignore'), text: '*\n' }];
  if (deps.runsDir.startsWith(`${home}/`))
    files.push({ path: join(home, '.gitignore'), text: '/.gitignore\n/run/\n/worktrees/\n' });
  for (const { path, text } of files) {
    if (await exists(path)) continue;
    try {
      await writeFile(path, text, { flag: 'wx' });
      made.push(path);
    } catch (error) {
      if (!hasErrorCode(error, 'EEXIST')) throw error;
    }
  }
  return made;
}

/** The folders from the first created one down to the last. */
function listCreatedFolders(first: string, last: string): string[] {
  const folders: string[] = [];
  for (let folder = last; folder.length >= first.length; folder = dirname(folder)) folders.unshift(folder);
  return folders;
}

/** Removes created files, and created folders if they are empty. */
async function removeCreated(made: readonly string[]): Promise<void> {
  for (const path of made.toReversed())
    await (path.endsWith('.gitignore') ? unlink(path) : rmdir(path).catch(() => {}));
}

export async function readRun(deps: OpenStore, runId: string, path: string): Promise<ReadResult> {
  // Find the driver before reading the log: a run that ends in between then still has a driver, and the caller checks
  // it again.
  const driver = await findDriver(path, deps.lease.leaseMs);
  const reading = await readLog(join(path, EVENTS_FILE));
  if (reading === null) return { ok: false, problem: { kind: 'missing' } };
  if (!reading.ok) return { ok: false, problem: { kind: 'corrupt', ...reading } };
  const directory = createRunDirectory(runId, path);
  return {
    ok: true,
    run: {
      directory,
      inbox: createInbox(directory, deps),
      events: reading.events,
      driver,
    },
  };
}

export async function driveRun(deps: OpenStore, runId: string, path: string): Promise<DriveResult> {
  if (!(await exists(path))) return { ok: false, problem: { kind: 'missing' } };
  await adoptJournals(deps.runsDir, deps.lease);
  const lock = await acquireLock(path, deps.lease);
  if (!lock.ok) return { ok: false, problem: { kind: 'driven', driver: lock.driver } };
  const { lease } = lock;
  try {
    const reading = await repairLog(deps, runId, path, lock);
    if (reading?.ok === true) return { ok: true, run: await openDriven(deps, runId, path, lease, reading) };
    await lease.release();
    return {
      ok: false,
      problem:
        reading === null
          ? { kind: 'missing' }
          : { kind: 'corrupt', line: reading.line, message: reading.message },
    };
  } catch (error) {
    await lease.release();
    throw error;
  }
}

/** Repairs the log as far as possible and reads it. */
async function repairLog(
  { runsDir }: OpenStore,
  runId: string,
  path: string,
  takeover: { readonly isTakeover: boolean },
): Promise<LogReading | null> {
  const logPath = join(path, EVENTS_FILE);
  await completeLog(path, runId, await findJournals(runsDir), takeover);
  const reading = await readLog(logPath);
  if (reading === null || !reading.ok) return reading;
  await settleLog(logPath, reading, takeover);
  await clearHalfWritten(path);
  return reading;
}

/**
 * Combines concurrent calls: calls that arrive while one is in progress share the next one. The one in progress does
 * not suffice: it may have started before the change that a new caller made.
 */
function shareCalls(call: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  const begin = (): Promise<void> => {
    const started = call().finally(() => {
      if (current === started) current = null;
    });
    current = started;
    return started;
  };
  return () => {
    if (current === null) return begin();
    next ??= current
      .catch(() => {})
      .then(() => {
        next = null;
        return begin();
      });
    return next;
  };
}
