import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { Plan } from '../../kernel/plan.ts';
import { type StartRequest, type StartResult, startRun } from '../../runtime/drive/start-run.ts';
import { sendLeftNotifications } from '../../runtime/notify/left-notifications.ts';
import type { Obstacle } from '../../runtime/obstacle.ts';
import { defaultsToRecord } from '../../runtime/record/recorded-run.ts';
import { type CheckedWorkflow, checkWorkflow } from '../../workflow/check-workflow.ts';
import { findUnusedInput } from '../../workflow/unused-inputs.ts';
import type { OpenProject } from '../opened.ts';

interface WorkflowFile {
  /** The path as messages show it. */
  readonly name: string;
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** A workflow without errors, of which a run may be started. */
export interface RunnableWorkflow {
  readonly ok: true;
  readonly plan: Plan;
  readonly bytes: Uint8Array;
  readonly warnings: readonly Diagnostic[];
}

type RunnableCheck =
  | RunnableWorkflow
  /** Either `unused` names an input that the run would not use, or it is null and `checked` has the errors. */
  | { readonly ok: false; readonly unused: Obstacle | null; readonly checked: CheckedWorkflow };

/** Checks a workflow against the agents, validators, policies and prompts of the project, and the inputs against the workflow. */
export function checkRunnable(
  { context }: Pick<OpenProject, 'context'>,
  { name, bytes }: WorkflowFile,
  inputs: Readonly<Record<string, string>>,
): RunnableCheck {
  const given = Object.keys(inputs);
  const checked = checkWorkflow({ name, bytes }, { ...context, inputs: given });
  const unused = findUnusedInput(checked, context.names?.prompts ?? null, given, context.readTemplate);
  return unused !== null || checked.plan === null
    ? { ok: false, unused, checked }
    : { ok: true, plan: checked.plan, bytes, warnings: checked.diagnostics };
}

export type RunRequest = Pick<
  StartRequest,
  | 'baseRef'
  | 'inputs'
  | 'title'
  | 'issue'
  | 'baseline'
  | 'wait'
  | 'signal'
  | 'observer'
  | 'onGate'
  | 'onCreated'
>;

/** Starts a run of a checked workflow and drives it until it ends, waits or is interrupted. The caller has checked trust. */
export async function startCheckedRun(
  { deps, ids, context }: OpenProject,
  { plan, bytes }: RunnableWorkflow,
  request: RunRequest,
): Promise<StartResult> {
  await sendLeftNotifications(deps, null);
  const defaults = defaultsToRecord(context.defaults);
  return startRun({ ...request, deps, ids, plan, workflowText: bytes, defaults });
}
