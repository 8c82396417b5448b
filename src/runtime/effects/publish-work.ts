import type { EventDraft } from '../../contracts/run/event.ts';
import type { BranchLeftAlone } from '../../ports/workspace/workspace.ts';
import type { RunContext } from '../run-context.ts';
import { noticeRecord } from './agent/check-step.ts';

/** Publishes the work so far to the user's repository as one commit: at a gate, and when the run ends. */
export async function publishWork(
  { deps, directory, workspace, view }: RunContext,
  stepId: string | null,
  tree: string,
  outcome: string,
): Promise<{ readonly commit: string; readonly records: readonly EventDraft[] }> {
  const { started } = view();
  const title = started.title ?? started.workflow_id;
  const trailers = [
    `Conductor-Run: ${directory.runId}`,
    `Conductor-Workflow: ${started.workflow_id}`,
    `Conductor-Outcome: ${outcome}`,
  ];
  const message = `${title}\n\n${trailers.join('\n')}\n`;
  const { commit, leftAlone } = await deps.workspace.publish(workspace, { tree, message });
  return { commit, records: leftAlone === null ? [] : [noticeLeftAlone(stepId, leftAlone, commit)] };
}

function noticeLeftAlone(stepId: string | null, left: BranchLeftAlone, commit: string): EventDraft {
  const { branchName, at, salvageRef } = left;
  return noticeRecord(stepId, {
    kind: 'branch_left_alone',
    subject: branchName,
    old: at,
    new: commit,
    message: `the branch ${branchName} ${explainLeftAlone(left)}, so conductor left it alone; the result is at ${salvageRef}`,
    salvageRef,
  });
}

function explainLeftAlone({ reason, at, checkout, detail }: BranchLeftAlone): string {
  switch (reason) {
    case 'checked_out':
      return `is checked out in ${checkout ?? 'a checkout'}`;
    case 'moved':
      return at === null ? 'was deleted' : `was moved to ${at.slice(0, 12)}`;
    case 'refused':
      return `can't be written (${detail ?? 'git refused'})`;
  }
}
