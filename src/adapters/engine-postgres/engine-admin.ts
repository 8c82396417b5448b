import { hostname } from 'node:os';
import * as z from 'zod';
import { WORKER_SEEN_MS } from '../../contracts/run/run-lease.ts';
import type { EngineAdmin, EngineStatus, WorkerStatus } from '../../ports/engine-admin.ts';
import { type Database, openDatabase } from './database.ts';
import { check, migrate } from './migrate.ts';
import type { OpenEngine, PostgresEngineDeps } from './open-engine.ts';
import { importInstalled } from './packages.ts';
import { explainWait, waitingRowSchema } from './wait-reason.ts';

const workerRowSchema = z.object({
  name: z.string(),
  host: z.string(),
  pid: z.int(),
  labels: z.array(z.string()),
  slots: z.int(),
  seen_at: z.date(),
  is_alive: z.boolean(),
  driving: z.int(),
});

export function createPostgresAdmin(
  deps: Pick<PostgresEngineDeps, 'url' | 'repository' | 'importPackage' | 'patienceMs'>,
): EngineAdmin {
  const { url, repository, importPackage = importInstalled } = deps;
  const patience = deps.patienceMs === undefined ? {} : { patienceMs: deps.patienceMs };
  const database = openDatabase({ url, importPackage, ...patience });
  return {
    migrate: () => migrate(database),
    check: () => check(database),
    status: () => readStatus(database, repository),
    announce: async ({ name, labels, slots }) => {
      await database.query(
        `insert into conductor.workers (name, repository, host, pid, labels, slots, seen_at)
         values ($1, $2, $3, $4, $5, $6, clock_timestamp())
         on conflict (name) do update set repository = excluded.repository, host = excluded.host, pid = excluded.pid,
           labels = excluded.labels, slots = excluded.slots, seen_at = excluded.seen_at`,
        [name, repository, hostname(), process.pid, labels, slots],
      );
    },
    retire: async (name) => {
      await database.query('delete from conductor.workers where name = $1 and host = $2 and pid = $3', [
        name,
        hostname(),
        process.pid,
      ]);
    },
    close: database.close,
  };
}

async function readStatus({ query }: Database, repository: OpenEngine['repository']): Promise<EngineStatus> {
  const workers = await query(
    `select name, host, pid, labels, slots, seen_at,
       seen_at > clock_timestamp() - $2 * interval '1 millisecond' as is_alive,
       (select count(*)::integer from conductor.runs
        where driver_worker = workers.name and lease_until > clock_timestamp()) as driving
     from conductor.workers where repository = $1 order by name`,
    [repository, WORKER_SEEN_MS],
  );
  const runs = await query(
    `select run_id, needs, due_at, has_message or coalesce(due_at <= clock_timestamp(), false) as is_due,
       holder is not null and lease_until > clock_timestamp() as is_driven,
       holder is not null and lease_until <= clock_timestamp() as is_abandoned,
       driver_worker, driver_host, driver_pid
     from conductor.runs where repository = $1 and is_queued order by run_id`,
    [repository],
  );
  const statuses = workers.map((row): WorkerStatus => {
    const { seen_at: seenAt, is_alive: isAlive, ...worker } = workerRowSchema.parse(row);
    return { ...worker, seenAt: seenAt.toISOString(), isAlive };
  });
  return {
    workers: statuses,
    runs: runs.map((row) => {
      const waiting = waitingRowSchema.parse(row);
      return { runId: waiting.run_id, needs: waiting.needs, reason: explainWait(waiting, statuses) };
    }),
  };
}
