import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { ExpectedFailure } from '../../contracts/expected-failure.ts';
import type { RunEvent } from '../../contracts/run/event.ts';
import type { Claim, Engine, QueuedRun, TailRequest } from '../../ports/engine.ts';
import type { NewRun } from '../../ports/run-store.ts';
import { EVENTS_FILE, readLog } from './event-log.ts';
import { locateRun, prepareRunsFolder } from './record-folder.ts';
import { findDriver } from './run-lock.ts';
import { isCovered, isDue, type QueueEntry } from './run-queue.ts';
import {
  createRun,
  createRunStore,
  driveRun,
  type OpenStore,
  openStore,
  type RunStoreDeps,
  readRun,
} from './run-store.ts';
import { createWorkerList } from './worker-list.ts';

/** How often a tail looks whether the log has grown. */
const TAIL_MS = 100;

/** The engine that needs no server: runs are directories, and locks in them decide which process drives a run. */
export function createEmbeddedEngine(deps: RunStoreDeps): Engine {
  const store = openStore(deps);
  const workers = createWorkerList(deps.runsDir, deps.clock.now);
  return {
    ...createRunStore(store),
    kind: 'embedded',
    submit: async (submission) => {
      await prepareRunsFolder(store);
      await store.queue.add(submission);
    },
    claim: async (labels) => {
      for (const entry of await store.queue.list()) {
        if (!isCovered(entry, labels) || !isDue(entry, deps.clock.now().getTime())) continue;
        const claim = await claimRun(store, entry);
        if (claim !== null) return claim;
      }
      return null;
    },
    queue: async () => Promise.all((await store.queue.list()).map((entry) => describeQueued(store, entry))),
    withdraw: async (runId) => {
      const entry = await store.queue.read(runId);
      return entry !== null && withdrawRun(store, entry);
    },
    join: async (worker) => {
      await prepareRunsFolder(store);
      return workers.join(worker);
    },
    workers: workers.list,
    tail: (runId, request) => tailRun(store, runId, request),
    fetch: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

/** Null if another process is faster, or if the record is damaged. */
async function claimRun(store: OpenStore, entry: QueueEntry): Promise<Claim | null> {
  const { runId, artifactsDir, request } = entry;
  const path = locateRun(store, runId, artifactsDir);
  if ((await findDriver(path, store.lease.leaseMs)) !== null) return null;
  const isNew = await isUnstarted(path);
  const taken = isNew ? await createRun(store, runId, artifactsDir, true) : await takeRun(store, runId, path);
  if (!taken.ok) return null;
  // Another process may have driven the run between the look at the queue and the lock.
  const current = await store.queue.read(runId);
  const isFree =
    current !== null && isDue(current, store.clock.now().getTime()) && (!isNew || (await isUnstarted(path)));
  if (!isFree) {
    await taken.run.release({ kind: 'after', time: current?.dueAt ?? null });
    return null;
  }
  await store.queue.clearMessage(runId);
  return { run: taken.run, request };
}

/** False if the run has started, or if a worker is about to start it. */
async function withdrawRun(store: OpenStore, { runId, artifactsDir }: QueueEntry): Promise<boolean> {
  const path = locateRun(store, runId, artifactsDir);
  if (!(await isUnstarted(path))) return false;
  const taken = await createRun(store, runId, artifactsDir, true);
  if (!taken.ok) return false;
  const isFree = (await store.queue.read(runId)) !== null && (await isUnstarted(path));
  await (isFree ? taken.run.discard() : taken.run.release());
  return isFree;
}

async function isUnstarted(path: string): Promise<boolean> {
  const log = await readLog(join(path, EVENTS_FILE));
  return log === null || (log.ok && log.events.length === 0);
}

async function takeRun(
  store: OpenStore,
  runId: string,
  path: string,
): Promise<{ readonly ok: true; readonly run: NewRun } | { readonly ok: false }> {
  const driven = await driveRun(store, runId, path);
  if (!driven.ok) return { ok: false };
  const discard = () => Promise.reject(new Error(`run ${runId} has started and can't be discarded`));
  return { ok: true, run: { ...driven.run, discard } };
}

async function describeQueued(store: OpenStore, entry: QueueEntry): Promise<QueuedRun> {
  const { runId, artifactsDir, needs, dueAt, hasMessage } = entry;
  const driver = await findDriver(locateRun(store, runId, artifactsDir), store.lease.leaseMs);
  return { runId, needs, dueAt: hasMessage ? store.clock.now().toISOString() : dueAt, driver };
}

async function* tailRun(
  store: OpenStore,
  runId: string,
  { from, signal }: TailRequest,
): AsyncGenerator<readonly RunEvent[]> {
  const path = join(store.runsDir, runId);
  let next = from;
  let hasEnded = false;
  for (let seenBytes = 0; !signal.aborted; await store.clock.sleep(TAIL_MS, signal)) {
    const bytes = (await lstat(join(path, EVENTS_FILE)).catch(() => null))?.size ?? 0;
    if (bytes === seenBytes && !hasEnded) continue;
    seenBytes = bytes;
    const read = await readRun(store, runId, path);
    if (!read.ok && read.problem.kind === 'corrupt')
      throw new ExpectedFailure(`events.ndjson of run ${runId} is damaged in line ${read.problem.line}`);
    if (!read.ok) continue;
    const { events, driver } = read.run;
    if (next < events.length) yield events.slice(next);
    next = Math.max(next, events.length);
    hasEnded = events.some(({ event_type: type }) => type === 'run_completed');
    if (hasEnded && driver === null) return;
  }
}
