import type { RunListing } from '../../../ports/run-store.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { openRecords } from '../open.ts';
import { renderTable } from '../table.ts';
import { formatDuration, type Paint, shortId } from '../terminal.ts';
import { printJson, type VerbContext } from '../verb.ts';

export async function runs(context: VerbContext): Promise<ExitCode> {
  const records = await openRecords(context);
  const listed = await records.store.list();
  if (context.json) {
    printJson(context, {
      runs: listed.map(({ runId, path, status, driverPid }) => ({
        run_id: runId,
        run_directory: path,
        status,
        driver_pid: driverPid,
      })),
    });
    return EXIT.success;
  }
  if (listed.length === 0) context.terminal.err('no runs yet; start one with conductor run WORKFLOW\n');
  else context.terminal.out(renderTable(listed.map((run) => rowOf(run, context.terminal.paintOut))));
  return EXIT.success;
}

export function rowOf({ runId, status, driverPid }: RunListing, paint: Paint): string[] {
  if (status === null) return [shortId(runId), paint.red('unreadable'), '', '', ''];
  const { lifecycle_state, outcome, workflow_id, started_at, elapsed_seconds } = status;
  const where = status.current_step_id ?? status.last_completed_step_id ?? '';
  return [
    shortId(runId),
    stateWord(
      lifecycle_state === 'running' && driverPid === null ? 'interrupted' : lifecycle_state,
      outcome,
      paint,
    ),
    workflow_id,
    where,
    started_at.replace('T', ' ').slice(0, 19),
    formatDuration(elapsed_seconds * 1_000),
  ];
}

function stateWord(lifecycle: string, outcome: string | null, paint: Paint): string {
  if (outcome === 'success') return paint.green(outcome);
  if (lifecycle === 'failed') return paint.red(outcome ?? lifecycle);
  if (lifecycle === 'running') return paint.blue(lifecycle);
  return paint.yellow(outcome ?? lifecycle);
}
