import { explainResumeProblem, resumeRecordedRun, workflowsOfRun } from '../../../../app/drive/resume-run.ts';
import { findQueued } from '../../../../app/engine/submit-run.ts';
import type { OpenProject, Records } from '../../../../app/opened.ts';
import { resolveRunId } from '../../../../app/runs/resolve-run.ts';
import type { Plan } from '../../../../kernel/plan.ts';
import type { ResumeProblem, ResumeRequest } from '../../../../runtime/drive/resume-run.ts';
import { CliError } from '../../cli-error.ts';
import type { CommandContext } from '../../command-context.ts';
import { askAtGates } from '../../driving/ask-at-gate.ts';
import { startDetached } from '../../driving/detach.ts';
import { commonFlags, reportDetached } from '../../driving/detached-report.ts';
import { announceDetached } from '../../driving/detached-terminal.ts';
import { reportEnd, whileDriving } from '../../driving/driving.ts';
import { ensureTrust } from '../../driving/ensure-trust.ts';
import { followDriven } from '../../driving/follow.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { openProject } from '../../open.ts';

export async function resume(
  context: CommandContext,
  runRef: string,
  { wait, detach }: { readonly wait: boolean; readonly detach: boolean },
): Promise<ExitCode> {
  const project = await openProject(context);
  if (project.store.kind === 'shared') {
    // Workers continue the runs of a shared engine.
    const followed = (await findQueued(project.store, runRef)) ?? (await resolveRunId(project, runRef));
    return followDriven(context, project, followed, { wait, plan: null });
  }
  const runId = await resolveRunId(project, runRef);
  await ensureRunTrusted(context, project, runId);
  if (!detach) return resumeById(context, project, runId, { wait });
  const args = ['resume', runId, ...(wait ? ['--wait'] : []), ...commonFlags(context)];
  const started = await startDetached(context, args);
  return started.ok ? reportDetached(context, project, started) : started.code;
}

/** A recorded run executes its own workflow, with today's configuration. */
export async function ensureRunTrusted(
  context: CommandContext,
  { store }: Records,
  runId: string,
): Promise<void> {
  await ensureTrust(context, { workflows: await workflowsOfRun(store, runId) });
}

export async function resumeById(
  context: CommandContext,
  project: OpenProject,
  runId: string,
  options: Pick<ResumeRequest, 'wait' | 'first'>,
): Promise<ExitCode> {
  let plan: Plan | null = null;
  const resumed = await whileDriving(
    context,
    { planOf: () => plan, endProcesses: () => project.deps.sweep(runId) },
    ({ signal, progress }) =>
      resumeRecordedRun(project, {
        ...options,
        onGate: askAtGates(context, project, options),
        runId,
        signal,
        observer: progress,
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
  const { message, help } = explainResumeProblem(runId, problem);
  return new CliError(message, help, problem.kind === 'missing' ? EXIT.usage : EXIT.failed);
}
