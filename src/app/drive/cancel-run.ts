import { nameDriver } from '../../contracts/run/run-lease.ts';
import type { RunRecord } from '../../ports/run-store.ts';
import { cancelRun } from '../../runtime/drive/cancel-run.ts';
import type { Obstacle } from '../../runtime/obstacle.ts';
import type { RunView } from '../../runtime/record/run-view.ts';
import type { RunDeps } from '../../runtime/run-context.ts';
import type { Records } from '../opened.ts';
import type { TrustRequest } from '../trust.ts';
import { explainResumeProblem, workflowsOfRun } from './resume-run.ts';

export interface CancelDeps {
  readonly records: Records;
  /** Called only if no process drives the run: its end is then published here, as the configuration says. */
  readonly ensureTrust: (workflows: TrustRequest['workflows']) => Promise<void>;
  readonly openRun: () => Promise<RunDeps>;
}

export type Cancellation =
  /** `note` names damage in the record that did not prevent the cancellation. */
  | { readonly ok: true; readonly by: string; readonly note: string | null }
  | { readonly ok: false; readonly obstacle: Obstacle };

/** Cancels a run for the user: through the process that drives it, or here if there is none. */
export async function cancelRecordedRun(
  { records, ensureTrust, openRun }: CancelDeps,
  { record, view }: { readonly record: RunRecord; readonly view: RunView },
  reason: string | null,
): Promise<Cancellation> {
  const { runId } = view;
  const { store, clock } = records;
  if (view.end !== null) return refuse(`run ${runId} has already ended: ${view.end.outcome}`);
  const isShared = store.kind === 'shared';
  if (record.driver === null && !isShared) await ensureTrust(await workflowsOfRun(store, runId));
  const by = await records.userName();
  const openDeps = isShared ? null : openRun;
  const result = await cancelRun({ record, store, clock, request: { by, reason }, openDeps });
  switch (result.kind) {
    case 'problem':
      return { ok: false, obstacle: explainResumeProblem(runId, result.problem) };
    case 'driven':
      return refuse(
        `${nameDriver(result.driver)} drives run ${runId} and has not stopped it yet`,
        'the request stays in place; look again with conductor status',
      );
    case 'queued':
      return refuse(
        `no worker has taken run ${runId} to end it yet`,
        'the request stays in place; conductor engine status shows what the run waits for',
      );
    case 'ended':
      return refuse(`run ${runId} ended before it could be cancelled: ${String(result.outcome)}`);
    case 'cancelled':
      return { ok: true, by, note: result.note };
  }
}

function refuse(message: string, help: string | null = null): Cancellation {
  return { ok: false, obstacle: { message, help } };
}
