import { createHash } from 'node:crypto';
import type { Plan } from '../kernel/plan.ts';
import type { RunDirectory } from '../ports/run-store.ts';
import type { RunWorkspace } from '../ports/workspace.ts';
import { checkWorkflow } from '../workflow/check-workflow.ts';
import type { CheckContext } from '../workflow/rule.ts';
import type { RunView } from './run-view.ts';

/** The workspace of a run as its first event names it. */
export function workspaceOf(view: RunView, directory: RunDirectory, repoRoot: string): RunWorkspace {
  const { started } = view;
  return {
    runId: view.runId,
    repoRoot,
    worktreePath: started.worktree_path,
    branchName: started.branch_name,
    baseRef: started.base_ref,
    baseSha: started.base_sha,
    harnessDir: directory.resolve('harness'),
  };
}

/** The limits of the configuration at the time of the start. */
export function recordedDefaults(view: RunView): CheckContext['defaults'] {
  const { timeout_ms, idle_timeout_ms, max_visits } = view.started.defaults;
  return { timeoutMs: timeout_ms, idleTimeoutMs: idle_timeout_ms, maxVisits: max_visits };
}

export type RecordedPlan =
  | { readonly ok: true; readonly plan: Plan }
  | { readonly ok: false; readonly message: string };

/**
 * The plan of a recorded run, from the document it was started with and the limits of that time: neither
 * an edited workflow nor an edited configuration leaks into a running run.
 */
export async function readRecordedPlan(directory: RunDirectory, view: RunView): Promise<RecordedPlan> {
  const text = await directory.read('workflow.yaml');
  if (text === null) return { ok: false, message: 'its workflow.yaml is missing' };
  const digest = createHash('sha256').update(text).digest('hex');
  if (digest !== view.started.workflow_digest)
    return { ok: false, message: 'its workflow.yaml is not the one it was started with' };
  const checked = checkWorkflow(
    { name: 'workflow.yaml', bytes: new TextEncoder().encode(text) },
    { defaults: recordedDefaults(view), names: null, inputs: null },
  );
  if (checked.plan !== null) return { ok: true, plan: checked.plan };
  const [first] = checked.diagnostics;
  return { ok: false, message: `its workflow.yaml is not valid any more: ${first?.message ?? ''}` };
}
