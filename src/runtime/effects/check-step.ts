import type { FileChange, RefState } from '../../contracts/workspace-change.ts';
import type { Violation } from '../../kernel/protocol.ts';
import type { RunContext } from '../run-context.ts';

export interface CheckedStep {
  readonly found: readonly Violation[];
  /** Refs that moved because of work in another checkout: told, not blamed. */
  readonly movedElsewhere: readonly string[];
}

/** Holds what a step did to files and refs against its policy. */
export async function checkStep(
  context: RunContext,
  policies: readonly string[],
  evidence: {
    readonly refsBefore: RefState;
    readonly changes: readonly FileChange[];
    readonly ignoredChanges: readonly FileChange[];
  },
): Promise<CheckedStep> {
  const { deps, workspace } = context;
  const refsAfter = await deps.workspace.refs(workspace);
  const movedElsewhere = await deps.workspace.movedElsewhere(evidence.refsBefore, refsAfter);
  const found = deps.project.policy(policies).check({
    ...evidence,
    refsAfter,
    movedElsewhere,
    ownBranch: workspace.branchName,
  });
  return { found, movedElsewhere };
}
