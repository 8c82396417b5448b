import { setTimeout as sleep } from 'node:timers/promises';
import { submitCancelRequest } from '../../../runtime/cancel-request.ts';
import { resumeRun } from '../../../runtime/resume-run.ts';
import { viewRun } from '../../../runtime/run-view.ts';
import { CliError } from '../cli-error.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { type OpenRun, openProject, openRun } from '../open.ts';
import { printJson, type VerbContext } from '../verb.ts';
import { resumeError } from './resume.ts';

/** How long to wait for the process that drives the run to stop it: its step may need its grace time. */
const DRIVER_PATIENCE_MS = 30_000;
const POLL_MS = 100;

const SILENT = { onEvents: () => {}, onLine: () => {} };

export async function cancel(context: VerbContext, wanted: string, reason: string | null): Promise<ExitCode> {
  const open = await openRun(context, wanted);
  const { view, record, records } = open;
  if (view.end !== null)
    throw new CliError(`run ${view.runId} has ended already: ${view.end.outcome}`, null, EXIT.failed);
  const by = await records.userName();
  await submitCancelRequest(record.directory, { by, reason });
  const stoppedByDriver = record.driverPid !== null && (await waitForDriver(open, record.driverPid));
  if (!stoppedByDriver) await cancelHere(context, view.runId, { by, reason });
  const { view: after } = await openRun(context, view.runId);
  if (after.end?.outcome !== 'cancelled')
    throw new CliError(`run ${view.runId} had ended before: ${after.end?.outcome}`, null, EXIT.failed);
  if (context.json) printJson(context, { run_id: view.runId, cancelled: true, by, reason });
  else context.terminal.err(`cancelled run ${view.runId}\n`);
  return EXIT.success;
}

async function cancelHere(
  context: VerbContext,
  runId: string,
  request: { readonly by: string; readonly reason: string | null },
): Promise<void> {
  const project = await openProject(context);
  const result = await resumeRun({
    deps: project.deps,
    runId,
    wait: false,
    signal: new AbortController().signal,
    observer: SILENT,
    onGate: null,
    onPlan: () => {},
    first: { kind: 'cancel', ...request },
  });
  if (!result.ok) throw resumeError(runId, result.problem);
}

/** True when the process that drives the run ended it; false when it went away without doing so. */
async function waitForDriver({ view, records }: OpenRun, pid: number): Promise<boolean> {
  for (let waited = 0; waited < DRIVER_PATIENCE_MS; waited += POLL_MS) {
    const read = await records.store.read(view.runId);
    if (read.ok && viewRun(read.run.events)?.end != null) return true;
    if (read.ok && read.run.driverPid === null) return false;
    await sleep(POLL_MS);
  }
  throw new CliError(
    `process ${pid} drives run ${view.runId} and has not stopped it yet`,
    'the request stands; look again with conductor status',
    EXIT.failed,
  );
}
