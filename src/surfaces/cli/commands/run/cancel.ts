import { cancelRecordedRun } from '../../../../app/drive/cancel-run.ts';
import { CliError } from '../../cli-error.ts';
import { type CommandContext, printJson } from '../../command-context.ts';
import { ensureTrust } from '../../driving/ensure-trust.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { openProject, openRun } from '../../open.ts';

export async function cancel(
  context: CommandContext,
  runRef: string,
  reason: string | null,
): Promise<ExitCode> {
  const { records, ...run } = await openRun(context, runRef);
  const { runId } = run.view;
  const cancelled = await cancelRecordedRun(
    {
      records,
      ensureTrust: (workflows) => ensureTrust(context, { workflows }),
      openRun: async () => (await openProject(context)).deps,
    },
    run,
    reason,
  );
  if (!cancelled.ok) throw new CliError(cancelled.obstacle.message, cancelled.obstacle.help, EXIT.failed);
  const { by, note } = cancelled;
  if (context.json) printJson(context, { run_id: runId, cancelled: true, by, reason, note });
  else context.terminal.err(`cancelled run ${runId}\n${noteText(note)}`);
  return EXIT.success;
}

function noteText(note: string | null): string {
  return note === null ? '' : `note: ${note}; the run was cancelled in its log, without its other files\n`;
}
