import * as z from 'zod';
import type { WaitReason, WorkerStatus } from '../../ports/engine-admin.ts';

export const waitingRowSchema = z.object({
  run_id: z.string(),
  needs: z.array(z.string()),
  due_at: z.date().nullable(),
  is_due: z.boolean(),
  is_driven: z.boolean(),
  is_abandoned: z.boolean(),
  driver_worker: z.string().nullable(),
  driver_host: z.string().nullable(),
  driver_pid: z.int().nullable(),
});
type WaitingRow = z.infer<typeof waitingRowSchema>;

type Worker = Pick<WorkerStatus, 'labels' | 'slots' | 'driving' | 'isAlive'>;

/** Why a queued run waits, given all workers of its repository. */
export function explainWait(row: Omit<WaitingRow, 'run_id'>, workers: readonly Worker[]): WaitReason {
  if (row.is_driven)
    return {
      kind: 'driven',
      worker: row.driver_worker,
      host: row.driver_host ?? '',
      pid: row.driver_pid ?? 0,
    };
  if (!row.is_due)
    return row.due_at === null ? { kind: 'message' } : { kind: 'until', time: row.due_at.toISOString() };
  const lacks = workers
    .filter(({ isAlive }) => isAlive)
    .map(({ labels, slots, driving }) => ({
      missing: row.needs.filter((need) => !labels.includes(need)),
      hasSlot: driving < slots,
    }))
    .sort((left, right) => left.missing.length - right.missing.length);
  const able = lacks.filter(({ missing }) => missing.length === 0);
  if (able.length === 0) return { kind: 'no_worker', missing: lacks[0]?.missing ?? row.needs };
  if (able.some(({ hasSlot }) => hasSlot)) return row.is_abandoned ? { kind: 'abandoned' } : { kind: 'due' };
  return { kind: 'no_slot' };
}
