import type { Plan } from '../kernel/plan.ts';
import type { KernelInput } from '../kernel/protocol.ts';
import type { DrivenRun, DriveProblem } from '../ports/run-store.ts';
import type { RunWorkspace } from '../ports/workspace.ts';
import { type DriveEnd, type DriveRequest, driveRun } from './drive.ts';
import { type RunView, viewRun } from './run-view.ts';

export interface ResumeRequest
  extends Pick<DriveRequest, 'deps' | 'wait' | 'signal' | 'observer' | 'onGate'> {
  readonly runId: string;
  /** Compiles the recorded document; an edited file does not leak into a running run. */
  readonly compile: (text: string, view: RunView) => Promise<Plan>;
  /** What to tell the kernel first; by default, to take the run up again. */
  readonly first?: KernelInput;
}

export type ResumeResult =
  | { readonly ok: true; readonly end: DriveEnd }
  | { readonly ok: false; readonly problem: DriveProblem };

/** Takes a recorded run up where its log ends. A run that has ended comes back as it ended. */
export async function resumeRun(request: ResumeRequest): Promise<ResumeResult> {
  const driven = await request.deps.store.drive(request.runId);
  if (!driven.ok) return driven;
  const { run } = driven;
  try {
    const view = viewRun(run.events);
    if (view === null) return { ok: false, problem: { kind: 'missing' } };
    const text = await run.directory.read('workflow.yaml');
    if (text === null) throw new Error(`run ${request.runId} has lost its workflow.yaml`);
    const plan = await request.compile(text, view);
    const end = await driveRun({
      ...request,
      plan,
      run,
      workspace: workspaceOf(run, view, request.deps.project.repoRoot),
      first: request.first ?? { kind: 'resume', reason: 'resumed' },
    });
    return { ok: true, end };
  } finally {
    await run.release();
  }
}

function workspaceOf(run: DrivenRun, view: RunView, repoRoot: string): RunWorkspace {
  const { started } = view;
  return {
    runId: view.runId,
    repoRoot,
    worktreePath: started.worktree_path,
    branchName: started.branch_name,
    baseRef: started.base_ref,
    baseSha: started.base_sha,
    harnessDir: run.directory.resolve('harness'),
  };
}
