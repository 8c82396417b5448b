import { realpath } from 'node:fs/promises';
import type { OpenProject, Records } from '../../../../app/services.ts';
import { describeDriver } from '../../../../contracts/run/run-lease.ts';
import type { Plan } from '../../../../kernel/plan.ts';
import { type ResumeProblem, type ResumeRequest, resumeRun } from '../../../../runtime/drive/resume-run.ts';
import { readRecordedPlan } from '../../../../runtime/record/recorded-run.ts';
import { viewRun } from '../../../../runtime/record/run-view.ts';
import { CliError } from '../../cli-error.ts';
import type { VerbContext } from '../../command-context.ts';
import { startDetached } from '../../driving/detach.ts';
import { commonFlags, reportDetached } from '../../driving/detached-report.ts';
import { announceDetached } from '../../driving/detached-terminal.ts';
import { reportEnd, whileDriving } from '../../driving/driving.ts';
import { ensureTrust } from '../../driving/ensure-trust.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { openProject, recordError, resolveRunId } from '../../open.ts';

export async function resume(
  context: VerbContext,
  wanted: string,
  { wait, detach }: { readonly wait: boolean; readonly detach: boolean },
): Promise<ExitCode> {
  const project = await openProject(context);
  const runId = await resolveRunId(project, wanted);
  await ensureTrustOfRun(context, project, runId);
  if (!detach) return resumeById(context, project, runId, { wait });
  const words = ['resume', runId, ...(wait ? ['--wait'] : []), ...commonFlags(context)];
  const started = await startDetached(context, words);
  return started.ok ? reportDetached(context, project, started) : started.code;
}

/** What a recorded run executes: its own workflow, with the configuration of today. */
export async function ensureTrustOfRun(context: VerbContext, records: Records, runId: string): Promise<void> {
  const read = await records.store.read(runId);
  const view = read.ok ? viewRun(read.run.events) : null;
  const recorded = read.ok && view !== null ? await readRecordedPlan(read.run.directory, view) : null;
  // A record that can't be read is not resumed either.
  const workflows =
    read.ok && recorded?.ok === true
      ? [{ plan: recorded.plan, path: await realpath(read.run.directory.resolve('workflow.yaml')) }]
      : [];
  await ensureTrust(context, { workflows });
}

export async function resumeById(
  context: VerbContext,
  project: OpenProject,
  runId: string,
  options: Pick<ResumeRequest, 'wait' | 'first'>,
): Promise<ExitCode> {
  let plan: Plan | null = null;
  const resumed = await whileDriving(
    context,
    { planOf: () => plan, endProcesses: () => project.deps.sweep(runId) },
    ({ signal, progress }) =>
      resumeRun({
        ...options,
        deps: project.deps,
        runId,
        signal,
        observer: progress,
        onGate: null,
        onPlan: (recorded) => {
          plan = recorded;
          announceDetached(context, runId, project.store.locate(runId, recorded.artifactsDir));
        },
      }),
  );
  if (!resumed.ok) throw resumeError(runId, resumed.problem);
  return reportEnd(context, project, resumed.end);
}

export function resumeError(runId: string, problem: ResumeProblem): CliError {
  switch (problem.kind) {
    case 'driven':
      return new CliError(
        `run ${runId} is driven by ${describeDriver(problem.driver)}`,
        `follow it with conductor status ${runId} --watch`,
        EXIT.failed,
      );
    case 'damaged':
      return new CliError(
        `run ${runId} can't go on: ${problem.message}`,
        `nothing was done; put ${problem.path} back as it was, or start anew with conductor run`,
        EXIT.failed,
      );
    case 'earlier_version':
      return new CliError(problem.message, problem.help, EXIT.failed);
    case 'unseen_workspace':
      return new CliError(
        `the workspace ${problem.path} of run ${runId} isn't visible from this machine or container`,
        'nothing was changed; resume the run where that folder is, or mount it',
        EXIT.failed,
      );
    case 'missing':
    case 'corrupt':
      return recordError(runId, problem);
  }
}
