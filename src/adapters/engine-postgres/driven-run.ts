import { rm } from 'node:fs/promises';
import { LeaseLost } from '../../contracts/run/run-lease.ts';
import type { IntactLog } from '../../node/event-lines.ts';
import { type Instant, type LeaseTiming, type LeaseWatch, watchLease } from '../../node/lease-watch.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RecordFolders } from '../../ports/record-folders.ts';
import type { DrivenRun, Wake } from '../../ports/run-store.ts';
import type { BlobStore } from './blob-folder.ts';
import type { Database } from './database.ts';
import { createInbox } from './inbox.ts';
import type { JobQueue } from './job-queue.ts';
import {
  type AppendedFiles,
  markOf,
  type StoredFile,
  type TrackedDirectory,
  trackDirectory,
} from './record-files.ts';
import { createRunLog, describeLoss, type Hold, type RunLog } from './run-log.ts';

export interface DrivenRunDeps {
  readonly database: Database;
  readonly jobs: JobQueue;
  readonly blobs: BlobStore;
  readonly folders: RecordFolders;
  readonly clock: Clock;
  readonly timing: LeaseTiming;
}

export interface TakenRun {
  readonly hold: Hold;
  /** A time before the claim. */
  readonly since: Instant;
  readonly log: IntactLog;
  readonly files: readonly StoredFile[];
  readonly path: string;
  /** The job of a queued run. */
  readonly job: { readonly queue: string; readonly id: string } | null;
}

/** A driver counts its lease as lost before the database does, so that its agent is dead before another one starts. */
const OWN_SHARE = 0.85;

const RENEW = `
update conductor.runs
set lease_until = clock_timestamp() + $4 * interval '1 millisecond', status = coalesce($5, status)
where run_id = $1 and holder = $2::uuid and epoch = $3 and lease_until > clock_timestamp()
returning seq`;

export function openDrivenRun(deps: DrivenRunDeps, taken: TakenRun): DrivenRun {
  const { database, folders, blobs, clock, timing } = deps;
  const { hold } = taken;
  const lease: LeaseWatch = watchLease({
    runId: hold.runId,
    since: taken.since,
    timing: { ...timing, leaseMs: timing.leaseMs * OWN_SHARE },
    renew: () => renewLease(),
  });
  const { lost, expectHeld } = lease;
  const directory = folders.open(hold.runId, taken.path, expectHeld);
  const known = new Map(taken.files.map(({ path, sha256 }) => [path, sha256]));
  const tracked = trackDirectory(directory, blobs, known);
  const log = createRunLog({ database, hold, from: taken.log.end, clock, lease });
  let appending: Promise<unknown> = Promise.resolve();
  let isReleased = false;

  async function renewLease(): Promise<void> {
    const status = tracked.pendingStatus();
    // Before the statement: an append may end while its answer is on the way.
    const count = log.length();
    const [[row]] = await Promise.all([
      database.send(RENEW, [hold.runId, hold.holder, hold.epoch, timing.leaseMs, status]),
      taken.job === null ? null : deps.jobs.touch(taken.job.queue, taken.job.id),
    ]);
    if (row === undefined) lease.lose(new LeaseLost(`another process has taken over run ${hold.runId}`));
    else if (Number(row.seq) < count)
      lease.lose(describeLoss(hold.runId, count, `${Number(row.seq)} are left`));
    else tracked.settle({ files: [], status });
  }

  return {
    lease: { lost, expectHeld },
    directory: tracked.directory,
    inbox: createInbox(hold.runId, {
      query: database.query,
      keep: async (key, message) => void (await tracked.directory.write(key, message, { durable: true })),
      expectHeld,
    }),
    events: taken.log.events,
    append: (drafts) => {
      const appended = appending.catch(() => {}).then(() => appendEvents(log, tracked, drafts));
      appending = appended;
      return appended;
    },
    release: async (wake = { kind: 'now' }) => {
      if (isReleased) return;
      isReleased = true;
      await appending.catch(() => {});
      const files = lost.aborted ? [] : await tracked.storeAll();
      await lease.stop();
      if (!lost.aborted) await releaseRun(deps, hold, wake, { files, status: tracked.pendingStatus() });
      await rm(directory.resolve(markOf(hold.holder)), { force: true });
    },
  };
}

async function appendEvents(
  log: RunLog,
  tracked: TrackedDirectory,
  drafts: Parameters<DrivenRun['append']>[0],
): ReturnType<DrivenRun['append']> {
  if (drafts.length === 0) return [];
  const stored = { files: await tracked.storeChanged(drafts), status: tracked.pendingStatus() };
  const events = await log.append(drafts, stored);
  tracked.settle(stored);
  await tracked.appendLines(events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  return events;
}

const LOCK_HELD = `
select is_queued, has_message, queue, job_id from conductor.runs
where run_id = $1 and holder = $2::uuid and epoch = $3 for update`;

const STORE_FILES = `
insert into conductor.files (run_id, path, sha256, bytes)
select $1, file.path, file.sha256, file.bytes
from unnest($2::text[], $3::text[], $4::bigint[]) as file(path, sha256, bytes)
on conflict (run_id, path) do update set sha256 = excluded.sha256, bytes = excluded.bytes`;

const LET_GO = `
update conductor.runs
set holder = null, driver_worker = null, driver_pid = null, driver_host = null, lease_until = null,
  status = coalesce($2, status), is_queued = $3, has_message = has_message and $3,
  due_at = case when $4 then clock_timestamp() else $5::timestamptz end, job_id = $6
where run_id = $1`;

/** Does nothing if another process has taken over the run. */
export async function releaseRun(
  { database, jobs }: Pick<DrivenRunDeps, 'database' | 'jobs'>,
  hold: Hold,
  wake: Wake,
  { files, status }: AppendedFiles,
): Promise<void> {
  await database.transaction(async (transaction) => {
    const [row] = await transaction.query(LOCK_HELD, [hold.runId, hold.holder, hold.epoch]);
    if (row === undefined) return;
    await transaction.query(STORE_FILES, [
      hold.runId,
      files.map(({ path }) => path),
      files.map(({ sha256 }) => sha256),
      files.map(({ bytes }) => bytes),
    ]);
    const isQueued = row.is_queued === true && wake.kind !== 'never';
    const isNow = wake.kind === 'now';
    const time = wake.kind === 'after' ? wake.time : null;
    const dueAt = isNow || row.has_message === true ? new Date(0) : time === null ? null : new Date(time);
    if (typeof row.job_id === 'string') await jobs.complete(transaction, String(row.queue), row.job_id);
    const jobId = isQueued ? await jobs.send(transaction, String(row.queue), hold.runId, dueAt) : null;
    await transaction.query(LET_GO, [hold.runId, status, isQueued, isNow, time, jobId]);
  });
}
