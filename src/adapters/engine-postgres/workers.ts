import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import * as z from 'zod';
import type { KnownWorker, Membership, WorkerReport } from '../../ports/engine.ts';
import type { OpenEngine } from './open-engine.ts';

/** A worker that did not report for this long counts as gone. */
const GONE_MS = 60_000;

const workerRowSchema = z.strictObject({
  name: z.string(),
  host: z.string(),
  pid: z.int(),
  labels: z.array(z.string()),
  slots: z.int(),
  problems: z.array(z.strictObject({ runId: z.string(), message: z.string(), retryAt: z.string() })),
});

/** From here on, this process drives runs under the name of the worker. */
export async function joinWorkers(
  { database, repository, worker }: OpenEngine,
  first: WorkerReport,
): Promise<Membership> {
  const id = randomUUID();
  const report = async ({ name, labels, slots, problems }: WorkerReport) => {
    await database.query(
      `insert into conductor.workers (worker_id, repository, name, host, pid, labels, slots, problems, seen_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, clock_timestamp())
       on conflict (worker_id) do update set labels = excluded.labels, slots = excluded.slots,
         problems = excluded.problems, seen_at = excluded.seen_at`,
      [id, repository, name, hostname(), process.pid, labels, slots, JSON.stringify(problems)],
    );
  };
  worker.name = first.name;
  await database.query(
    `delete from conductor.workers where seen_at < clock_timestamp() - $1 * interval '1 millisecond'`,
    [GONE_MS],
  );
  await report(first);
  return {
    report,
    leave: async () => {
      worker.name = null;
      await database.query('delete from conductor.workers where worker_id = $1', [id]);
    },
  };
}

export async function listWorkers({
  database,
  repository,
}: Pick<OpenEngine, 'database' | 'repository'>): Promise<readonly KnownWorker[]> {
  const rows = await database.query(
    `select name, host, pid, labels, slots, problems from conductor.workers
     where repository = $1 and seen_at >= clock_timestamp() - $2 * interval '1 millisecond' order by name, worker_id`,
    [repository, GONE_MS],
  );
  return rows.map((row) => workerRowSchema.parse(row));
}
