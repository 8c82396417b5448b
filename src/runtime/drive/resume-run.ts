import { addCost } from '../../agents/prices.ts';
import { ExpectedFailure } from '../../contracts/expected-failure.ts';
import type { EventDraft, RunEvent } from '../../contracts/run/event.ts';
import { stepFolderOf } from '../../contracts/run/run-files.ts';
import { describeDriver, LeaseLost } from '../../contracts/run/run-lease.ts';
import type { Plan } from '../../kernel/plan.ts';
import type { KernelInput } from '../../kernel/protocol.ts';
import type { DrivenRun, DriveProblem, RunDirectory, Wake } from '../../ports/run-store.ts';
import { type EarlierRun, findEarlierRun, refuseWorkspace } from '../record/earlier-run.ts';
import { locateWorkspace, planToEnd, readRecordedPlan } from '../record/recorded-run.ts';
import { viewRun } from '../record/run-view.ts';
import { markOf, type RunDeps } from '../run-context.ts';
import { type DriveEnd, type DriveRequest, driveRun, wakeAfter } from './drive.ts';
import { withForbiddenPaths } from './run-override.ts';

/** If the last of these events isn't `runner_started`, no agent was cut off. */
const START_OR_END: readonly RunEvent['event_type'][] = [
  'runner_started',
  'runner_completed',
  'step_started',
  'step_completed',
  'step_failed',
  'step_waiting',
  'run_completed',
];

export interface ResumeRequest
  extends Pick<DriveRequest, 'deps' | 'wait' | 'signal' | 'observer' | 'onGate'> {
  readonly runId: string;
  /** Called with the plan before the run continues. */
  readonly onPlan: (plan: Plan) => void;
  /** The first input for the kernel; by default, `resume`. */
  readonly first?: KernelInput;
  /** Called when a run is cancelled although its workflow is damaged. All other inputs need the workflow. */
  readonly onDamage?: (message: string) => void;
}

export type ResumeResult =
  | { readonly ok: true; readonly end: DriveEnd }
  | { readonly ok: false; readonly problem: ResumeProblem };

/**
 * `damaged`: the workflow that the run was started with is missing or changed. `earlier_version`: its files are in a
 * linked worktree, which this version doesn't use. `unseen_workspace`: its files are on another machine or container.
 */
export type ResumeProblem =
  | DriveProblem
  | Damaged
  | ({ readonly kind: 'earlier_version' } & EarlierRun)
  | { readonly kind: 'unseen_workspace'; readonly path: string };

/** What is wrong with which file. */
interface Damaged {
  readonly kind: 'damaged';
  readonly message: string;
  /** Absolute. */
  readonly path: string;
}

/**
 * Continues a recorded run where its log ends, after killing processes that a dead attempt left behind. For a run that
 * has ended, returns its end.
 */
export async function resumeRun(request: ResumeRequest): Promise<ResumeResult> {
  const driven = await request.deps.store.drive(request.runId);
  if (!driven.ok) return driven;
  let lost: LeaseLost;
  let wake: Wake = { kind: 'now' };
  try {
    const resumed = await resumeDriven(request, driven.run);
    // The reason for a refusal doesn't change by itself.
    wake = resumed.ok ? wakeAfter(resumed.end) : { kind: 'after', time: null };
    return resumed;
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error;
    lost = error;
  } finally {
    await driven.run.release(wake);
  }
  return { ok: true, end: await resumeAfterLoss(request, lost) };
}

/** Another process now drives the run whose lease this process lost. */
export class TakenOver extends ExpectedFailure {
  override readonly name = 'TakenOver';
}

/**
 * Continues a run whose lease this process has lost and whose lock it has released. All processes that it started for
 * the run are dead, so the current step is recovered like that of a killed process. If another process drives the run
 * by now, throws `TakenOver`.
 */
export async function resumeAfterLoss(request: ResumeRequest, lost: LeaseLost): Promise<DriveEnd> {
  const resumed = await resumeRun({
    ...request,
    first: request.first ?? { kind: 'resume', reason: lost.message },
  });
  if (resumed.ok) return resumed.end;
  const { problem } = resumed;
  if (problem.kind === 'driven')
    throw new TakenOver(`${lost.message}; it is now driven by ${describeDriver(problem.driver)}`);
  throw new ExpectedFailure(`${lost.message}; ${obstacleText(problem)}`);
}

function obstacleText(problem: Exclude<ResumeProblem, { kind: 'driven' }>): string {
  switch (problem.kind) {
    case 'missing':
      return 'its record is gone';
    case 'corrupt':
      return `its events.ndjson is damaged in line ${problem.line}: ${problem.message}`;
    case 'damaged':
    case 'earlier_version':
      return problem.message;
    case 'unseen_workspace':
      return `its workspace ${problem.path} isn't visible from this machine or container`;
  }
}

async function resumeDriven(request: ResumeRequest, run: DrivenRun): Promise<ResumeResult> {
  const view = viewRun(run.events);
  if (view === null) return { ok: false, problem: { kind: 'missing' } };
  const isCancel = request.first?.kind === 'cancel';
  const earlier = findEarlierRun(view);
  if (earlier !== null && !isCancel) return { ok: false, problem: { kind: 'earlier_version', ...earlier } };
  const workspace = locateWorkspace(view, run.directory, {
    repoRoot: request.deps.project.repoRoot,
    workspace: request.deps.workspace,
  });
  const { stage } = view.state;
  // A process that died while it created the workspace left an incomplete one, which is created again.
  const needsWorkspace = !isCancel && view.end === null && stage.kind !== 'preparing';
  if (needsWorkspace && !(await request.deps.workspace.isVisible(workspace)))
    return { ok: false, problem: { kind: 'unseen_workspace', path: workspace.checkoutPath } };
  if (stage.kind === 'running') await request.deps.sweep(markOf(request.runId, stage.stepId, stage.attempt));
  // Before the first step, every process of the run belongs to its preparation.
  if (stage.kind === 'preparing') await request.deps.sweep(request.runId);
  const recorded = await readRecordedPlan(run.directory, view);
  if (!recorded.ok && !isCancel) {
    const path = run.directory.resolve('workflow.yaml');
    return { ok: false, problem: { kind: 'damaged', message: recorded.message, path } };
  }
  if (!recorded.ok) request.onDamage?.(recorded.message);
  const plan = recorded.ok ? recorded.plan : planToEnd(view);
  request.onPlan(plan);
  const end = await driveRun({
    ...request,
    deps: withForbiddenPaths(request.deps, view.started.forbidden_paths ?? []),
    plan,
    run,
    workspace,
    first: request.first ?? { kind: 'resume', reason: 'resumed' },
    known: await cutOffUse(request.deps, run.directory, run.events),
    open: async (current) =>
      earlier === null
        ? request.deps.workspace.reopen(workspace, current.state.tree)
        : refuseWorkspace(current),
  });
  return { ok: true, end };
}

/**
 * The usage of an agent that was cut off when the conductor process died, as an event. It counts like any other usage,
 * so resuming a run doesn't reset its budget.
 */
async function cutOffUse(
  { project }: RunDeps,
  directory: RunDirectory,
  events: readonly RunEvent[],
): Promise<EventDraft[]> {
  const started = events.findLast(({ event_type }) => START_OR_END.includes(event_type));
  if (started?.event_type !== 'runner_started' || started.step_id === null) return [];
  const { name, attempt, try: count = 1 } = started.payload;
  const folder = directory.resolve(stepFolderOf(started.step_id, attempt));
  const agent = project.agent(name);
  const place = count === 1 ? folder : `${folder}/try@${count}`;
  await agent?.keepSession?.(place);
  const reported = await agent?.readUsage?.(place);
  const usage = addCost(reported ?? null, project.agentSettings?.(name).price ?? null);
  if (usage === null) return [];
  const payload = {
    name,
    attempt,
    termination: 'cut_off',
    exit_code: null,
    duration_ms: 0,
    usage,
    ...(count === 1 ? {} : { try: count }),
  };
  return [{ event_type: 'runner_completed', step_id: started.step_id, payload }];
}
