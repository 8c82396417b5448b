import type { Plan } from '../kernel/plan.ts';
import type { KernelInput } from '../kernel/protocol.ts';
import type { DriveProblem } from '../ports/run-store.ts';
import { cutOffUse } from './cut-off-use.ts';
import { type DriveEnd, type DriveRequest, driveRun } from './drive.ts';
import { planToEnd, readRecordedPlan, workspaceOf } from './recorded-run.ts';
import { markOf } from './run-context.ts';
import { withForbiddenPaths } from './run-override.ts';
import { viewRun } from './run-view.ts';

export interface ResumeRequest
  extends Pick<DriveRequest, 'deps' | 'wait' | 'signal' | 'observer' | 'onGate'> {
  readonly runId: string;
  /** Told of the plan before the run moves. */
  readonly onPlan: (plan: Plan) => void;
  /** What to tell the kernel first; by default, to take the run up again. */
  readonly first?: KernelInput;
  /** Told that a run is ended without the document it was started with. Only a cancel can do without it. */
  readonly onDamage?: (message: string) => void;
}

export type ResumeResult =
  | { readonly ok: true; readonly end: DriveEnd }
  | { readonly ok: false; readonly problem: ResumeProblem };

/** `damaged`: what the run was started with is gone or changed. */
export type ResumeProblem = DriveProblem | Damaged;

/** Says what is wrong with which file. */
interface Damaged {
  readonly kind: 'damaged';
  readonly message: string;
  /** Absolute. */
  readonly path: string;
}

/**
 * Takes a recorded run up where its log ends, after ending what a dead attempt left running. A run
 * that has ended comes back as it ended.
 */
export async function resumeRun(request: ResumeRequest): Promise<ResumeResult> {
  const driven = await request.deps.store.drive(request.runId);
  if (!driven.ok) return driven;
  const { run } = driven;
  try {
    const view = viewRun(run.events);
    if (view === null) return { ok: false, problem: { kind: 'missing' } };
    const { stage } = view.state;
    if (stage.kind === 'running')
      await request.deps.sweep(markOf(request.runId, stage.stepId, stage.attempt));
    const recorded = await readRecordedPlan(run.directory, view);
    const isCancel = request.first?.kind === 'cancel';
    if (!recorded.ok && !isCancel) {
      const path = run.directory.resolve('workflow.yaml');
      return { ok: false, problem: { kind: 'damaged', message: recorded.message, path } };
    }
    if (!recorded.ok) request.onDamage?.(recorded.message);
    const plan = recorded.ok ? recorded.plan : planToEnd(view);
    request.onPlan(plan);
    const workspace = workspaceOf(view, run.directory, {
      repoRoot: request.deps.project.repoRoot,
      workspace: request.deps.workspace,
    });
    const end = await driveRun({
      ...request,
      deps: withForbiddenPaths(request.deps, view.started.forbidden_paths ?? []),
      plan,
      run,
      workspace,
      first: request.first ?? { kind: 'resume', reason: 'resumed' },
      known: await cutOffUse(request.deps, run.directory, run.events),
      open: ({ state }) => request.deps.workspace.reopen(workspace, state.tree),
    });
    return { ok: true, end };
  } finally {
    await run.release();
  }
}
