import { cancelRun } from '../../../../runtime/drive/cancel-run.ts';
import { CliError } from '../../cli-error.ts';
import { printJson, type VerbContext } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { openProject, openRun } from '../../open.ts';
import { ensureTrustOfRun, resumeError } from './resume.ts';

export async function cancel(context: VerbContext, wanted: string, reason: string | null): Promise<ExitCode> {
  const { view, record, records } = await openRun(context, wanted);
  const { runId } = view;
  if (view.end !== null)
    throw new CliError(`run ${runId} has ended already: ${view.end.outcome}`, null, EXIT.failed);
  // Without a process that drives the run, its end is published and reported to others here, as the configuration says.
  if (record.driverPid === null) await ensureTrustOfRun(context, records, runId);
  const by = await records.userName();
  const result = await cancelRun({
    record,
    store: records.store,
    clock: records.clock,
    request: { by, reason },
    deps: async () => (await openProject(context)).deps,
  });
  switch (result.kind) {
    case 'problem':
      throw resumeError(runId, result.problem);
    case 'driven':
      throw new CliError(
        `process ${result.pid} drives run ${runId} and has not stopped it yet`,
        'the request stands; look again with conductor status',
        EXIT.failed,
      );
    case 'ended':
      throw new CliError(`run ${runId} had ended before: ${String(result.outcome)}`, null, EXIT.failed);
    case 'cancelled':
      if (context.json) printJson(context, { run_id: runId, cancelled: true, by, reason, note: result.note });
      else context.terminal.err(`cancelled run ${runId}\n${noteText(result.note)}`);
      return EXIT.success;
  }
}

function noteText(note: string | null): string {
  return note === null ? '' : `note: ${note}; the run was ended by its log alone\n`;
}
