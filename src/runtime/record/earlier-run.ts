import { ExpectedFailure } from '../../contracts/expected-failure.ts';
import type { RunView } from './run-view.ts';

/** Log version of earlier releases, whose runs worked in linked worktrees of the user's repository. */
const LINKED_WORKTREE_LOGS = 1;

/** Why a run can't be continued, and what the user can do instead. */
export interface EarlierRun {
  readonly message: string;
  readonly help: string;
}

/** Non-null for a run of an earlier release: its files are in a linked worktree, which this version never writes. */
export function findEarlierRun({ runId, started, end }: RunView): EarlierRun | null {
  if (started.schema_version > LINKED_WORKTREE_LOGS) return null;
  const { worktree_path: path, branch_name: branch } = started;
  const message = `an earlier version of conductor started run ${runId} in a linked worktree, and this version can't continue it`;
  const help =
    end === null
      ? `to keep its work, commit it to ${branch}: git -C ${path} add --all && git -C ${path} commit; then end the run with conductor cancel ${runId}, and conductor clean removes it`
      : `the run has ended, and its work is on ${branch}; conductor clean removes it with its worktree ${path}`;
  return { message, help };
}

/** A run of an earlier release can be cancelled, but its files stay where they are. */
export function refuseWorkspace({ started }: RunView): never {
  throw new ExpectedFailure(
    `an earlier version of conductor started it in the linked worktree ${started.worktree_path}, where its files stay`,
  );
}
