/**
 * Appends to the log of a run that this process drives.
 *
 * An append is one statement: it moves the end of the log, and inserts the lines and the evidence files that they name,
 * only if the run is still held by this claim and its log ends where this process left it. So a driver that was
 * frozen, cut off or declared dead writes nothing.
 *
 * If the connection is lost, the append is repeated for as long as the lease lasts. It may have been executed
 * although its answer was lost: then the log ends where this append would have left it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { EventDraft, RunEvent } from '../../contracts/run/event.ts';
import { LeaseLost, LogWentBack } from '../../contracts/run/run-lease.ts';
import { type FormattedEvents, formatEvents, type LogEnd } from '../../node/event-lines.ts';
import type { LeaseWatch } from '../../node/lease-watch.ts';
import { sha256Hex } from '../../node/sha256.ts';
import type { Clock } from '../../ports/clock.ts';
import { type Database, isConnectionLost } from './database.ts';
import type { AppendedFiles } from './record-files.ts';

/** A claim of a run: what every write of its driver names. */
export interface Hold {
  readonly runId: string;
  readonly epoch: number;
  readonly holder: string;
}

export interface RunLog {
  readonly append: (drafts: readonly EventDraft[], files: AppendedFiles) => Promise<readonly RunEvent[]>;
  /** The sequence number of the next event. */
  readonly length: () => number;
}

export interface RunLogDeps {
  readonly database: Database;
  readonly hold: Hold;
  readonly from: LogEnd;
  readonly clock: Clock;
  readonly lease: Pick<LeaseWatch, 'expectHeld' | 'lose' | 'lost'>;
}

const RETRY_MS = 100;

const APPEND = `
with moved as (
  update conductor.runs
  set seq = $4::integer + cardinality($7::text[]), head = $6, has_ended = has_ended or $8, status = coalesce($9, status)
  where run_id = $1 and holder = $2::uuid and epoch = $3 and seq = $4 and head = $5
  returning run_id
), stored as (
  insert into conductor.files (run_id, path, sha256, bytes)
  select moved.run_id, file.path, file.sha256, file.bytes
  from moved, unnest($10::text[], $11::text[], $12::bigint[]) as file(path, sha256, bytes)
  on conflict (run_id, path) do update set sha256 = excluded.sha256, bytes = excluded.bytes
)
insert into conductor.events (run_id, seq, line)
select moved.run_id, $4::integer + place - 1, line
from moved, unnest($7::text[]) with ordinality as lines(line, place)
returning seq`;

const LOOK_UP = `
select seq, head, epoch, holder,
  (select line from conductor.events where run_id = $1 and seq = $2::integer - 1) as last_line
from conductor.runs where run_id = $1`;

export function createRunLog({ database, hold, from, clock, lease }: RunLogDeps): RunLog {
  let end = from;
  return {
    append: async (drafts, files) => {
      lease.expectHeld();
      const formatted = formatEvents(hold.runId, end, drafts, clock.now().toISOString());
      const values = appendValues(hold, end, formatted, files);
      while (!(await attempt(() => appendOnce(database, hold, end, formatted, values)))) {
        await sleep(RETRY_MS);
        lease.expectHeld();
      }
      end = formatted.end;
      return formatted.events;
    },
    length: () => end.seq,
  };

  /** False if the connection was lost. Ends the lease if the append was refused. */
  async function attempt(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      if (error instanceof LeaseLost || error instanceof LogWentBack) {
        lease.lose(error);
        throw error;
      }
      if (isConnectionLost(error)) return false;
      throw error;
    }
  }
}

async function appendOnce(
  database: Database,
  hold: Hold,
  from: LogEnd,
  { lines, end }: FormattedEvents,
  values: readonly unknown[],
): Promise<void> {
  const appended = await database.send(APPEND, values);
  if (appended.length === lines.length) return;
  const [found] = await database.send(LOOK_UP, [hold.runId, from.seq]);
  const refusal = explainRefusal(hold, from, end, (found ?? null) as FoundRun | null);
  if (refusal !== null) throw refusal;
}

function appendValues(
  { runId, holder, epoch }: Hold,
  from: LogEnd,
  { events, lines, end }: FormattedEvents,
  { files, status }: AppendedFiles,
): readonly unknown[] {
  const hasEnded = events.some(({ event_type: type }) => type === 'run_completed');
  return [
    runId,
    holder,
    epoch,
    from.seq,
    from.head,
    end.head,
    lines,
    hasEnded,
    status,
    files.map(({ path }) => path),
    files.map(({ sha256 }) => sha256),
    files.map(({ bytes }) => bytes),
  ];
}

export interface FoundRun {
  readonly seq: number;
  readonly head: string;
  readonly epoch: number;
  readonly holder: string | null;
  /** The line before the place of the append. */
  readonly last_line: string | null;
}

/** Why the database refused an append; null if it had executed it. `found` is null if the run is gone. */
export function explainRefusal(
  hold: Hold,
  from: LogEnd,
  end: LogEnd,
  found: FoundRun | null,
): LeaseLost | LogWentBack | null {
  const { runId } = hold;
  if (found === null) return describeLoss(runId, from.seq, 'the run is gone');
  const isHeld = found.holder === hold.holder && found.epoch === hold.epoch;
  if (isHeld && found.seq === end.seq && found.head === end.head) return null;
  if (found.seq < from.seq) return describeLoss(runId, from.seq, `${found.seq} are left`);
  const hasOurEvents = from.seq === 0 || sha256Hex(found.last_line ?? '') === from.head;
  if (!hasOurEvents) return describeLoss(runId, from.seq, 'other events have their place');
  if (isHeld)
    return describeLoss(runId, from.seq, `the log has ${found.seq}, which this process did not append`);
  if (found.epoch < hold.epoch || (found.epoch === hold.epoch && found.holder !== null))
    return describeLoss(runId, from.seq, 'the claim of this process is gone');
  return new LeaseLost(`another process has taken over run ${runId}`);
}

export function describeLoss(runId: string, count: number, found: string): LogWentBack {
  return new LogWentBack(
    `the log of run ${runId} went back: the database had acknowledged ${count} events, and ${found}. ` +
      'It has lost transactions, for example in a failover to a replica that lagged behind. This process stops, and ' +
      'appends nothing: restore the database, or cancel the run and start it again',
  );
}
