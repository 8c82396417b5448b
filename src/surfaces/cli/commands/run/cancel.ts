import { cancelRecordedRun } from '../../../../app/drive/cancel-run.ts';
import { findQueued } from '../../../../app/engine/submit-run.ts';
import type { Engine } from '../../../../ports/engine.ts';
import { CliError } from '../../cli-error.ts';
import { type CommandContext, printJson } from '../../command-context.ts';
import { ensureTrust } from '../../driving/ensure-trust.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { openFetched, openProject, openRecords } from '../../open.ts';

export async function cancel(
  context: CommandContext,
  runRef: string,
  reason: string | null,
): Promise<ExitCode> {
  const opened = await openRecords(context);
  const withdrawn = await withdrawQueued(opened.store, runRef);
  if (withdrawn !== null) {
    if (context.json)
      printJson(context, {
        run_id: withdrawn,
        cancelled: true,
        by: await opened.userName(),
        reason,
        note: null,
      });
    else context.terminal.err(`withdrew run ${withdrawn}, which had not started\n`);
    return EXIT.success;
  }
  const { records, ...run } = await openFetched(opened, runRef);
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

/** The id of the run, if it was queued and had not started. */
async function withdrawQueued(
  store: Pick<Engine, 'queue' | 'withdraw'>,
  runRef: string,
): Promise<string | null> {
  const runId = await findQueued(store, runRef);
  return runId !== null && (await store.withdraw(runId)) ? runId : null;
}

function noteText(note: string | null): string {
  return note === null ? '' : `note: ${note}; the run was cancelled in its log, without its other files\n`;
}
