import { describeDriver } from '../../contracts/run/run-lease.ts';
import type { RunStore } from '../../ports/run-store.ts';
import type { DriveEnd } from '../../runtime/drive/drive.ts';
import { type ResumeProblem, type ResumeRequest, resumeRun } from '../../runtime/drive/resume-run.ts';
import { sendLeftNotifications } from '../../runtime/notify/left-notifications.ts';
import type { Obstacle } from '../../runtime/obstacle.ts';
import { readRecordedPlan } from '../../runtime/record/recorded-run.ts';
import { viewRun } from '../../runtime/record/run-view.ts';
import type { OpenProject } from '../opened.ts';
import { explainRecordProblem } from '../runs/record-problem.ts';
import type { TrustRequest } from '../trust.ts';

/** What a recorded run executes: its own workflow, with today's configuration. */
export async function workflowsOfRun(store: RunStore, runId: string): Promise<TrustRequest['workflows']> {
  const read = await store.read(runId);
  const view = read.ok ? viewRun(read.run.events) : null;
  // A run whose record can't be read is not resumed either.
  if (!read.ok || view === null) return [];
  const recorded = await readRecordedPlan(read.run.directory, view);
  return recorded.ok ? [{ plan: recorded.plan, path: read.run.directory.resolve('workflow.yaml') }] : [];
}

export type ResumedRun =
  | { readonly ok: true; readonly end: DriveEnd }
  | { readonly ok: false; readonly problem: ResumeProblem; readonly obstacle: Obstacle };

/** Continues a recorded run until it ends, waits or is interrupted. */
export async function resumeRecordedRun(
  { deps }: Pick<OpenProject, 'deps'>,
  request: Omit<ResumeRequest, 'deps'>,
): Promise<ResumedRun> {
  await sendLeftNotifications(deps, request.runId);
  const resumed = await resumeRun({ ...request, deps });
  if (resumed.ok) return resumed;
  return { ...resumed, obstacle: explainResumeProblem(request.runId, resumed.problem) };
}

/** Explains why this process can't drive a run. */
export function explainResumeProblem(runId: string, problem: ResumeProblem): Obstacle {
  switch (problem.kind) {
    case 'driven':
      return {
        message: `run ${runId} is driven by ${describeDriver(problem.driver)}`,
        help: `follow it with conductor status ${runId} --watch`,
      };
    case 'damaged':
      return {
        message: `run ${runId} can't continue: ${problem.message}`,
        help: `nothing was changed; restore ${problem.path}, or start a new run with conductor run`,
      };
    case 'earlier_version':
      return problem;
    case 'unseen_workspace':
      return {
        message: `the workspace ${problem.path} of run ${runId} isn't visible from this machine or container`,
        help: 'nothing was changed; resume the run where that folder is, or mount it',
      };
    case 'missing':
    case 'corrupt':
      return explainRecordProblem(runId, problem);
  }
}
