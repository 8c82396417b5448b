import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type Instant, instant } from '../../node/lease-watch.ts';
import type { DriveProblem } from '../../ports/run-store.ts';
import type { Transaction } from './database.ts';
import type { JobQueue } from './job-queue.ts';
import type { OpenEngine } from './open-engine.ts';
import type { Row } from './packages.ts';
import type { Hold } from './run-log.ts';
import { parseRunRow, RUN_COLUMNS, type RunRow, readRunRow } from './run-rows.ts';

export interface Claimed {
  readonly row: RunRow;
  readonly hold: Hold;
  /** A time before the claim. */
  readonly since: Instant;
}

const FREE = '(holder is null or lease_until <= clock_timestamp())';
const DUE = '(has_message or due_at <= clock_timestamp())';
/** $2 to $6. */
const HOLD = `
  epoch = epoch + 1, holder = $2::uuid, driver_worker = $3, driver_pid = $4, driver_host = $5,
  lease_until = clock_timestamp() + $6 * interval '1 millisecond'`;

function holdValues({ worker, timing }: OpenEngine, holder: string): readonly unknown[] {
  return [holder, worker.name, process.pid, hostname(), timing.leaseMs];
}

function claimed(rows: readonly Row[], holder: string, since: Instant): Claimed | null {
  if (rows[0] === undefined) return null;
  const row = parseRunRow(rows[0]);
  return { row, hold: { runId: row.run_id, epoch: row.epoch, holder }, since };
}

/** Adds a run and takes the right to drive it. Null if there is a run of this id. */
export async function claimNew(
  engine: OpenEngine,
  runId: string,
  artifactsDir: string | null,
  head: string,
): Promise<Claimed | null> {
  const holder = randomUUID();
  const since = instant();
  const rows = await engine.database.query(
    `insert into conductor.runs (run_id, repository, artifacts_dir, head, epoch, holder, driver_worker, driver_pid,
       driver_host, lease_until)
     values ($1, $7, $8, $9, 1, $2, $3, $4, $5, clock_timestamp() + $6 * interval '1 millisecond')
     on conflict (run_id) do update set run_id = excluded.run_id where runs.holder = excluded.holder
     returning ${RUN_COLUMNS}`,
    [runId, ...holdValues(engine, holder), engine.repository, artifactsDir, head],
  );
  return claimed(rows, holder, since);
}

/** Takes the right to drive a run that has started, whether or not it is queued. */
export async function claimStarted(
  engine: OpenEngine,
  runId: string,
): Promise<
  { readonly ok: true; readonly claimed: Claimed } | { readonly ok: false; readonly problem: DriveProblem }
> {
  const holder = randomUUID();
  for (;;) {
    const since = instant();
    const rows = await engine.database.query(
      `update conductor.runs set ${HOLD}
       where run_id = $1 and repository = $7 and seq > 0 and (${FREE} or holder = $2::uuid)
       returning ${RUN_COLUMNS}`,
      [runId, ...holdValues(engine, holder), engine.repository],
    );
    const taken = claimed(rows, holder, since);
    if (taken !== null) return { ok: true, claimed: taken };
    const row = await readRunRow(engine.database.query, engine.repository, runId);
    if (row === null || row.seq === 0) return { ok: false, problem: { kind: 'missing' } };
    // Its lease may have run out since.
    if (row.driver !== null) return { ok: false, problem: { kind: 'driven', driver: row.driver } };
  }
}

/** Takes the right to drive the oldest run that is due and whose needs the labels cover. */
export async function claimDue(engine: OpenEngine, labels: readonly string[]): Promise<Claimed | null> {
  const passed: string[] = [];
  for (;;) {
    const [found] = await engine.database.query(
      `select ${RUN_COLUMNS} from conductor.runs
       where repository = $1 and is_queued and needs <@ $2::text[] and ${DUE} and ${FREE} and run_id <> all($3::text[])
       order by run_id limit 1`,
      [engine.repository, labels, passed],
    );
    if (found === undefined) return null;
    const { run_id: runId, queue, job_id: jobId } = parseRunRow(found);
    if (queue === null || jobId === null) throw new Error(`queued run ${runId} has no job`);
    const isWaiting = await engine.jobs.promote(queue, jobId);
    if (!isWaiting) await replaceJob(engine, runId);
    const taken = await takeNextJob(engine, queue, labels);
    if (taken !== null) return taken;
    passed.push(runId);
  }
}

/**
 * Sends a new job for a due run whose job is active although no process drives the run, because its driver died, or
 * whose job is gone.
 */
async function replaceJob({ database, jobs }: OpenEngine, runId: string): Promise<void> {
  await database.transaction(async (transaction) => {
    const [row] = await transaction.query(
      `select queue, job_id from conductor.runs where run_id = $1 and is_queued and ${DUE} and ${FREE} for update`,
      [runId],
    );
    if (row === undefined) return;
    await sendAgain(
      transaction,
      jobs,
      { runId, queue: String(row.queue), jobId: String(row.job_id) },
      new Date(0),
    );
  });
}

interface QueuedJob {
  readonly runId: string;
  readonly queue: string;
  readonly jobId: string;
}

async function sendAgain(
  transaction: Transaction,
  jobs: JobQueue,
  { runId, queue, jobId }: QueuedJob,
  dueAt: Date | null,
): Promise<void> {
  await jobs.complete(transaction, queue, jobId);
  const next = await jobs.send(transaction, queue, runId, dueAt);
  await transaction.query('update conductor.runs set job_id = $2 where run_id = $1', [runId, next]);
}

/** Takes a job and the run that it is for, in one transaction. Null if there is no job whose run is due. */
async function takeNextJob(
  engine: OpenEngine,
  queue: string,
  labels: readonly string[],
): Promise<Claimed | null> {
  const { database, jobs, repository } = engine;
  const holder = randomUUID();
  for (;;) {
    const since = instant();
    const taken = await database.transaction(async (transaction) => {
      const job = await jobs.fetch(transaction, queue);
      if (job === null) return null;
      const rows = await transaction.query(
        `update conductor.runs set ${HOLD}, has_message = false
         where run_id = $1 and repository = $7 and job_id = $8 and is_queued and needs <@ $9::text[] and ${DUE} and ${FREE}
         returning ${RUN_COLUMNS}`,
        [job.runId, ...holdValues(engine, holder), repository, job.id, labels],
      );
      const result = claimed(rows, holder, since);
      if (result === null) await settleStaleJob(transaction, jobs, { ...job, queue });
      return result ?? 'stale';
    });
    if (taken !== 'stale') return taken;
  }
}

/** A job that was delivered although its run is not due: delivers it again when the run is. */
async function settleStaleJob(
  transaction: Transaction,
  jobs: JobQueue,
  { id, runId, queue }: { readonly id: string; readonly runId: string; readonly queue: string },
): Promise<void> {
  const [row] = await transaction.query(
    `select greatest(due_at, lease_until) as due_at from conductor.runs
     where run_id = $1 and job_id = $2 and is_queued for update`,
    [runId, id],
  );
  if (row === undefined) await jobs.complete(transaction, queue, id);
  else await sendAgain(transaction, jobs, { runId, queue, jobId: id }, (row.due_at as Date | null) ?? null);
}
