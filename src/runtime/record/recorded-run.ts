import type { EventPayload } from '../../contracts/run/event.ts';
import type { Plan } from '../../kernel/plan.ts';
import { sha256Hex } from '../../node/sha256.ts';
import type { RunDirectory } from '../../ports/run-store.ts';
import type { RunWorkspace, Workspace } from '../../ports/workspace/workspace.ts';
import { checkWorkflow } from '../../workflow/check-workflow.ts';
import type { CheckContext } from '../../workflow/rule.ts';
import type { RunView } from './run-view.ts';

/** The workspace of a run, as its first event names it. */
export function locateWorkspace(
  view: RunView,
  directory: RunDirectory,
  { repoRoot, workspace }: { readonly repoRoot: string; readonly workspace: Pick<Workspace, 'describe'> },
): RunWorkspace {
  const { runId, started } = view;
  const described = workspace.describe({
    runId,
    workflowId: started.workflow_id,
    baseRef: started.base_ref,
    baseSha: started.base_sha,
    harnessDir: directory.resolve('harness'),
    ...(canBeWorkspace(started.worktree_path, runId, repoRoot)
      ? { recordedPath: started.worktree_path }
      : {}),
  });
  return { ...described, repoRoot, branchName: started.branch_name };
}

/**
 * Whether a record may name this path as its workspace. A cloned repository can contain records that conductor didn't
 * write, with paths into its own files, where git would obey a prepared configuration. Linked worktrees of earlier
 * versions end in the run id.
 */
export function canBeWorkspace(path: string, runId: string, repoRoot: string): boolean {
  if (path.endsWith(`/${runId}`)) return true;
  const isPlain = path.startsWith('/') && !/\/\.{0,2}(?:\/|$)/.test(path);
  return isPlain && path !== repoRoot && !path.startsWith(`${repoRoot}/`);
}

/** The configured limits, in the form in which `run_started` records them. */
export function defaultsToRecord(limits: CheckContext['defaults']): EventPayload<'run_started'>['defaults'] {
  const { timeoutMs, idleTimeoutMs, maxVisits, parkMs } = limits;
  return {
    timeout_ms: timeoutMs,
    idle_timeout_ms: idleTimeoutMs,
    max_visits: maxVisits,
    ...(parkMs === undefined ? {} : { park_ms: parkMs }),
  };
}

/** The limits that were configured when the run started. */
export function recordedDefaults(view: RunView): CheckContext['defaults'] {
  const { timeout_ms, idle_timeout_ms, max_visits } = view.started.defaults;
  return { timeoutMs: timeout_ms, idleTimeoutMs: idle_timeout_ms, maxVisits: max_visits };
}

/** A plan without steps: enough to end a run from its log, without its workflow. */
export function planToEnd({ started }: RunView): Plan {
  return {
    workflowId: started.workflow_id,
    version: started.workflow_version,
    description: '',
    entryStep: started.entry_step,
    artifactsDir: null,
    componentKind: null,
    evalProfile: null,
    budgets: { tokens: null, costUsd: null },
    steps: [],
    stepsById: {},
  };
}

export type RecordedPlan =
  | { readonly ok: true; readonly plan: Plan }
  | { readonly ok: false; readonly message: string };

/**
 * The plan of a recorded run, from the workflow and the limits that it was started with: later edits of the workflow or
 * the configuration don't affect it.
 */
export async function readRecordedPlan(directory: RunDirectory, view: RunView): Promise<RecordedPlan> {
  const text = await directory.read('workflow.yaml');
  if (text === null) return { ok: false, message: 'its workflow.yaml is missing' };
  const digest = sha256Hex(text);
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
