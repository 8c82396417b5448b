import { randomUUID } from 'node:crypto';
import type { PostResult } from '../../contracts/run/post-terms.ts';
import type { Inbox } from '../../ports/run-store.ts';
import type { Query } from './database.ts';
import { readNow } from './run-rows.ts';

/**
 * One statement by the clock of the database: the first row of a key wins, and the terms are checked when the row is
 * inserted. A sender whose answer was lost repeats it and finds its own row. A queued run becomes due.
 */
const POST = `
with clock as materialized (
  select clock_timestamp() as at
), terms as (
  select at, case
    when extract(epoch from at) * 1000 >= $5::float8 then 'too_late'
    when extract(epoch from at) * 1000 < $6::float8 then 'too_early'
  end as refusal
  from clock
), own as (
  select 1 from conductor.inbox where run_id = $1 and key = $2 and post_id = $4::uuid
), posted as (
  insert into conductor.inbox (run_id, key, message, post_id, posted_at)
  select $1, $2, $3, $4::uuid, at from terms where refusal is null
  on conflict do nothing
  returning 1
), noted as (
  update conductor.runs set has_message = true
  where run_id = $1 and is_queued and exists (select 1 from posted)
)
select case
  when exists (select 1 from posted) or exists (select 1 from own) then 'posted'
  else coalesce(refusal, 'taken')
end as result
from terms`;

interface InboxDeps {
  readonly query: Query;
  /** A driver keeps the messages that it has read as files of the record. */
  readonly keep?: (key: string, message: string) => Promise<void>;
  readonly expectHeld?: () => void;
}

export function createInbox(runId: string, { query, keep, expectHeld }: InboxDeps): Inbox {
  const kept = new Set<string>();
  return {
    read: async (key) => {
      const message = await readMessage(query, runId, key);
      if (message === null || keep === undefined || kept.has(key)) return message;
      await keep(key, message);
      kept.add(key);
      return message;
    },
    post: async (key, message, terms) => {
      expectHeld?.();
      const { beforeMs = null, notBeforeMs = null } = terms ?? {};
      const [row] = await query(POST, [runId, key, message, randomUUID(), beforeMs, notBeforeMs]);
      return row?.result as PostResult;
    },
    now: () => readNow(query),
  };
}

export async function readMessage(query: Query, runId: string, key: string): Promise<string | null> {
  const [row] = await query('select message from conductor.inbox where run_id = $1 and key = $2', [
    runId,
    key,
  ]);
  return row === undefined ? null : String(row.message);
}
