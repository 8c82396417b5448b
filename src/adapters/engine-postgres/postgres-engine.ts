import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ExpectedFailure } from '../../contracts/expected-failure.ts';
import { FIRST_PREV } from '../../contracts/run/event.ts';
import { describeDriver, LogWentBack } from '../../contracts/run/run-lease.ts';
import { EMPTY_LOG } from '../../node/event-lines.ts';
import type { Claim, Engine, Submission } from '../../ports/engine.ts';
import type { DrivenRun, DriveResult, NewRun, ReadResult, RunListing, Wake } from '../../ports/run-store.ts';
import { type Claimed, claimDue, claimNew, claimStarted } from './claim-run.ts';
import { openDrivenRun, releaseRun, type TakenRun } from './driven-run.ts';
import { expectNotBehind, noteSeen } from './log-witness.ts';
import { type OpenEngine, openEngine, type PostgresEngineDeps } from './open-engine.ts';
import { openRecord } from './read-record.ts';
import { fetchFiles, markOf, readFiles, STATUS_FILE, writeLog } from './record-files.ts';
import {
  joinLines,
  parseLines,
  parseRunRow,
  parseStatus,
  RUN_COLUMNS,
  readLines,
  readNow,
  readRunRow,
} from './run-rows.ts';
import { tailRun } from './tail-run.ts';
import { joinWorkers, listWorkers } from './workers.ts';

/** How many abandoned runs are listed. */
const MAX_ABANDONED = 100;
/** When a run is due again whose record could not be brought to a machine. */
const RETRY_MS = 30_000;
const NEVER: Wake = { kind: 'after', time: null };

/**
 * The engine on a PostgreSQL server: logs, inboxes and the queue are tables, pg-boss delivers queued runs to workers,
 * and evidence files are in a folder that all machines share. Connects when it is first used.
 */
export function createPostgresEngine(deps: PostgresEngineDeps): Engine {
  const engine = openEngine(deps);
  const { database, repository, folders, jobs } = engine;
  return {
    kind: 'shared',
    locate: folders.locate,
    create: (runId, artifactsDir) => createRun(engine, runId, artifactsDir),
    drive: (runId) => driveRun(engine, runId),
    read: (runId) => readRun(engine, runId),
    match: async (prefix) => {
      const rows = await database.query(
        `select run_id from conductor.runs
         where repository = $1 and epoch > 0 and starts_with(replace(run_id, '-', ''), $2) order by run_id desc`,
        [repository, prefix.replaceAll('-', '').toLowerCase()],
      );
      return rows.map(({ run_id: runId }) => String(runId));
    },
    listAbandoned: async () => {
      const rows = await database.query(
        `select run_id from conductor.runs
         where repository = $1 and holder is not null and lease_until <= clock_timestamp() and not is_queued
         order by run_id desc limit $2`,
        [repository, MAX_ABANDONED],
      );
      return rows.map(({ run_id: runId }) => String(runId));
    },
    list: (runIds) => listRuns(engine, runIds),
    submit: (submission) => submitRun(engine, submission),
    claim: async (labels) => {
      const claimed = await claimDue(engine, labels);
      return claimed === null ? null : openClaim(engine, claimed);
    },
    queue: async () => {
      const rows = await database.query(
        `select ${RUN_COLUMNS} from conductor.runs where repository = $1 and is_queued order by run_id`,
        [repository],
      );
      return rows.map(parseRunRow).map(({ run_id: runId, needs, due_at: dueAt, driver }) => ({
        runId,
        needs,
        dueAt: dueAt === null ? null : dueAt.toISOString(),
        driver,
      }));
    },
    withdraw: (runId) => withdrawRun(engine, runId),
    join: (worker) => joinWorkers(engine, worker),
    workers: () => listWorkers(engine),
    tail: (runId, request) => tailRun(engine, runId, request),
    fetch: (runId) => fetchRun(engine, runId),
    close: async () => {
      await jobs.close();
      await database.close();
    },
  };
}

async function createRun(engine: OpenEngine, runId: string, artifactsDir: string | null): Promise<NewRun> {
  const claimed = await claimNew(engine, runId, artifactsDir, FIRST_PREV);
  if (claimed === null) {
    const row = await readRunRow(engine.database.query, engine.repository, runId);
    const driver = row?.driver ?? null;
    throw new Error(
      `run ${runId} ${driver === null ? 'exists' : `is already driven by ${describeDriver(driver)}`}`,
    );
  }
  const run = await openNew(engine, claimed);
  await engine.onCreated();
  return run;
}

async function driveRun(engine: OpenEngine, runId: string): Promise<DriveResult> {
  const result = await claimStarted(engine, runId);
  return result.ok ? openStarted(engine, result.claimed) : result;
}

/** The run of a claim: new, or continued. */
async function openClaim(engine: OpenEngine, claimed: Claimed): Promise<Claim | null> {
  const { request, run_id: runId, seq } = claimed.row;
  if (seq === 0) return { run: await openNew(engine, claimed), request };
  const opened = await openStarted(engine, claimed);
  if (!opened.ok) return null;
  const discard = () => Promise.reject(new Error(`run ${runId} has started and can't be discarded`));
  return { run: { ...opened.run, discard }, request };
}

async function openNew(engine: OpenEngine, claimed: Claimed): Promise<NewRun> {
  const { run_id: runId, artifacts_dir: artifactsDir } = claimed.row;
  const folder = await engine.folders.create(runId, artifactsDir);
  const run = await openTaken(engine, claimed, { path: folder.path, log: EMPTY_LOG, files: [] });
  const discard = async () => {
    await run.release({ kind: 'never' });
    await engine.database.query(
      'delete from conductor.runs where run_id = $1 and seq = 0 and holder is null',
      [runId],
    );
    await folder.remove();
  };
  return { ...run, discard };
}

/**
 * Brings the record to this machine, and opens it. A run whose log is damaged or went back waits for a message; another
 * failure may be one of this machine, so the run is due again soon.
 */
async function openStarted(engine: OpenEngine, claimed: Claimed): Promise<DriveResult> {
  const { run_id: runId, artifacts_dir: artifactsDir } = claimed.row;
  try {
    const { query } = engine.database;
    const lines = await readLines(query, runId);
    const log = parseLines(lines);
    if (!log.ok) {
      await letGo(engine, claimed, NEVER);
      return { ok: false, problem: { kind: 'corrupt', line: log.line, message: log.message } };
    }
    const { path } = await engine.folders.create(runId, artifactsDir);
    const directory = engine.folders.open(runId, path);
    await expectNotBehind(engine, directory, lines);
    const files = await readFiles(query, runId);
    await fetchFiles(directory, engine.blobs, files);
    await writeLog(directory, joinLines(lines));
    return { ok: true, run: await openTaken(engine, claimed, { path, log, files }) };
  } catch (error) {
    const giveBack = async () =>
      letGo(engine, claimed, error instanceof LogWentBack ? NEVER : await wakeLater(engine));
    // If this fails too, the lease runs out.
    await giveBack().catch(() => {});
    throw error;
  }
}

async function openTaken(
  engine: OpenEngine,
  { row, hold, since }: Claimed,
  record: Pick<TakenRun, 'path' | 'log' | 'files'>,
): Promise<DrivenRun> {
  const { queue, job_id: id } = row;
  await writeFile(join(record.path, markOf(hold.holder)), '');
  return openDrivenRun(engine, {
    hold,
    since,
    job: queue === null || id === null ? null : { queue, id },
    ...record,
  });
}

function letGo(engine: OpenEngine, { hold }: Claimed, wake: Wake): Promise<void> {
  return releaseRun(engine, hold, wake, { files: [], status: null });
}

async function wakeLater({ database }: OpenEngine): Promise<Wake> {
  const now = await readNow(database.query);
  return { kind: 'after', time: new Date(now.getTime() + RETRY_MS).toISOString() };
}

async function readRun(engine: OpenEngine, runId: string): Promise<ReadResult> {
  const { query } = engine.database;
  // Before the lines: a run that ends in between then still has a driver, and the caller checks it again.
  const row = await readRunRow(query, engine.repository, runId);
  if (row === null || row.seq === 0) return { ok: false, problem: { kind: 'missing' } };
  const log = parseLines(await readLines(query, runId));
  if (!log.ok) return { ok: false, problem: { kind: 'corrupt', line: log.line, message: log.message } };
  noteSeen(engine.seen, runId, log.events.length);
  return { ok: true, run: openRecord(engine, row, log.events) };
}

async function listRuns(
  { database, repository, folders }: OpenEngine,
  runIds: readonly string[] | undefined,
): Promise<readonly RunListing[]> {
  const rows = await database.query(
    `select ${RUN_COLUMNS} from conductor.runs
     where repository = $1 and epoch > 0 and ($2::text[] is null or run_id = any($2)) order by run_id desc`,
    [repository, runIds ?? null],
  );
  return rows.map(parseRunRow).map(({ run_id: runId, status, driver }) => ({
    runId,
    path: folders.indexed(runId),
    status: parseStatus(status),
    driver,
  }));
}

async function submitRun(
  engine: OpenEngine,
  { runId, artifactsDir, needs, request }: Submission,
): Promise<void> {
  const { database, jobs, repository } = engine;
  const queue = await jobs.prepare(needs);
  await database.transaction(async (transaction) => {
    const added = await transaction.query(
      `insert into conductor.runs (run_id, repository, artifacts_dir, head, needs, request, is_queued, due_at, queue)
       values ($1, $2, $3, $4, $5, $6, true, clock_timestamp(), $7)
       on conflict (run_id) do nothing returning 1`,
      [runId, repository, artifactsDir, FIRST_PREV, needs, request, queue],
    );
    // Nothing is added if an earlier attempt was executed whose answer was lost.
    if (added.length === 0) return;
    const jobId = await jobs.send(transaction, queue, runId, new Date(0));
    await transaction.query('update conductor.runs set job_id = $2 where run_id = $1', [runId, jobId]);
  });
}

async function withdrawRun({ database, jobs, repository }: OpenEngine, runId: string): Promise<boolean> {
  return database.transaction(async (transaction) => {
    const [row] = await transaction.query(
      `delete from conductor.runs
       where run_id = $1 and repository = $2 and is_queued and seq = 0
         and (holder is null or lease_until <= clock_timestamp())
       returning queue, job_id`,
      [runId, repository],
    );
    if (row === undefined) return false;
    await jobs.complete(transaction, String(row.queue), String(row.job_id));
    return true;
  });
}

async function fetchRun(engine: OpenEngine, runId: string): Promise<void> {
  const { query } = engine.database;
  const row = await readRunRow(query, engine.repository, runId);
  if (row === null) throw new ExpectedFailure(`there is no run ${runId} in the database`);
  // The directory of the driver has all files, also those that are not stored yet.
  const found = engine.folders.open(runId, engine.folders.indexed(runId));
  if (row.driver !== null && row.holder !== null && (await found.read(markOf(row.holder))) !== null) return;
  const lines = await readLines(query, runId);
  const { path } = await engine.folders.create(runId, row.artifacts_dir);
  const directory = engine.folders.open(runId, path);
  await expectNotBehind(engine, directory, lines);
  await fetchFiles(directory, engine.blobs, await readFiles(query, runId));
  if (row.status !== null) await directory.write(STATUS_FILE, row.status);
  await writeLog(directory, joinLines(lines));
}
