import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Driver, describeDriver } from '../../contracts/run/run-lease.ts';
import { syncFolder } from '../../node/atomic-file.ts';
import { EMPTY_LOG, type IntactLog, type LogReading } from '../../node/event-lines.ts';
import { LEASE_TIMING, type LeaseTiming } from '../../node/lease-watch.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DrivenRun, DriveResult, NewRun, ReadResult, RunStore } from '../../ports/run-store.ts';
import { hasErrorCode } from '../../text/error-code.ts';
import { exists } from './durable-file.ts';
import { createLogWriter, EVENTS_FILE, readLog } from './event-log.ts';
import { type Committer, createCommitter } from './group-commit.ts';
import { createInbox } from './inbox.ts';
import { createJournal, findJournals } from './journal.ts';
import type { Lease } from './lease.ts';
import { adoptJournals, clearHalfWritten, completeLog, settleLog } from './log-repair.ts';
import { createRecordFolder, locateRun } from './record-folder.ts';
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
  const folder = await createRecordFolder(deps, runId, artifactsDir, reuse);
  const lock = await acquireLock(folder.path, deps.lease);
  if (!lock.ok) return lock;
  const run = await openDriven(deps, runId, folder.path, lock.lease, EMPTY_LOG);
  await deps.syncRuns();
  if (folder.isElsewhere) await syncFolder(dirname(folder.path));
  await deps.onCreated?.();
  const discard = async () => {
    await run.release({ kind: 'never' });
    await folder.remove();
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
