import * as z from 'zod';
import { type Status, statusSchema } from '../../contracts/run/run-files.ts';
import { type LogReading, parseLog } from '../../node/event-lines.ts';
import { parseJson } from '../../text/json.ts';
import type { Query } from './database.ts';
import type { Row } from './packages.ts';

/** Which driver has the lease by the clock of the database; null if none has. */
const DRIVER = `case when holder is not null and lease_until > clock_timestamp() then json_build_object(
  'worker', driver_worker, 'pid', driver_pid, 'host', driver_host,
  'leaseUntil', to_char(lease_until at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) end as driver`;

/** The columns of `runRowSchema`. */
export const RUN_COLUMNS = `run_id, artifacts_dir, seq, head, has_ended, status, epoch, holder, request, needs, queue,
  job_id, is_queued, ${DRIVER},
  case when has_message then clock_timestamp() else due_at end as due_at`;

const driverSchema = z.object({
  worker: z.string().nullable(),
  pid: z.int(),
  host: z.string(),
  leaseUntil: z.string(),
});

const runRowSchema = z.object({
  run_id: z.string(),
  artifacts_dir: z.string().nullable(),
  seq: z.int(),
  head: z.string(),
  has_ended: z.boolean(),
  status: z.string().nullable(),
  epoch: z.int(),
  holder: z.string().nullable(),
  request: z.string(),
  needs: z.array(z.string()),
  queue: z.string().nullable(),
  job_id: z.string().nullable(),
  is_queued: z.boolean(),
  driver: driverSchema.nullable(),
  due_at: z.date().nullable(),
});
export type RunRow = z.infer<typeof runRowSchema>;

export function parseRunRow(row: Row): RunRow {
  return runRowSchema.parse(row);
}

export async function readRunRow(query: Query, repository: string, runId: string): Promise<RunRow | null> {
  const rows = await query(
    `select ${RUN_COLUMNS} from conductor.runs where run_id = $1 and repository = $2`,
    [runId, repository],
  );
  return rows[0] === undefined ? null : parseRunRow(rows[0]);
}

/** The time by the clock of the database. */
export async function readNow(query: Query): Promise<Date> {
  const [row] = await query('select clock_timestamp() as now');
  return z.date().parse(row?.now);
}

/** A statement of one snapshot: all lines are of the same log, however it grows. */
export async function readLines(query: Query, runId: string, from = 0): Promise<readonly string[]> {
  const rows = await query('select line from conductor.events where run_id = $1 and seq >= $2 order by seq', [
    runId,
    from,
  ]);
  return rows.map(({ line }) => String(line));
}

/** The content of `events.ndjson`. */
export function joinLines(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

export function parseLines(lines: readonly string[]): LogReading {
  return parseLog(Buffer.from(joinLines(lines)));
}

export function parseStatus(text: string | null): Status | null {
  const parsed = statusSchema.safeParse(text === null ? null : parseJson(text));
  return parsed.success ? parsed.data : null;
}
