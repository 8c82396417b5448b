import { findResultRef } from '../../overview/summarize-run.ts';
import type { DriveEnd } from '../../runtime/drive/drive.ts';
import type { RunView } from '../../runtime/record/run-view.ts';
import type { NeededAction } from './show-run.ts';

/** The commands that a user may run next. */
export function nextCommands(end: DriveEnd, id: string): string[] {
  switch (end.kind) {
    case 'waiting':
      return [`conductor show ${id}`, `conductor approve ${id} --resume`, `conductor reject ${id} --resume`];
    case 'parked':
      return [`conductor resume ${id} --wait`, `conductor status ${id}`, `conductor cancel ${id}`];
    case 'interrupted':
      return end.view.awaiting === null
        ? [`conductor resume ${id}`, `conductor cancel ${id}`]
        : [`conductor approve ${id} --resume`, `conductor reject ${id} --resume`];
    case 'ended':
      return endedCommands(end, id);
  }
}

/** The commands for a run that only continues if the user does something. */
export function commandsForNeed(needs: NeededAction, view: RunView, id: string): string[] {
  switch (needs.kind) {
    case 'cancel':
      return [`conductor cancel ${id}`];
    case 'resume':
      return [`conductor resume ${id}`];
    case 'parked':
      return nextCommands({ kind: 'parked', parked: needs.parked, view }, id);
    case 'answer':
      return view.awaiting === null
        ? []
        : nextCommands({ kind: 'waiting', awaiting: view.awaiting, view }, id);
  }
}

function endedCommands({ view, end }: Extract<DriveEnd, { kind: 'ended' }>, id: string): string[] {
  const hasChanges = view.state.tree !== view.started.base_tree;
  const diff = hasChanges ? [`conductor diff ${id}`] : [];
  if (end.lifecycle !== 'completed') return [`conductor show ${id}`, `conductor logs ${id}`, ...diff];
  return hasChanges ? [...diff, ...mergeCommands(view)] : [`conductor show ${id}`];
}

function mergeCommands(view: RunView): string[] {
  const ref = findResultBranch(view);
  return ref === null ? [] : [`git merge ${ref}`];
}

/** The branch or ref with the run's result; null if it has none. */
export function findResultBranch({ headSha, started, notices }: RunView): string | null {
  return findResultRef({
    headSha,
    baseSha: started.base_sha,
    branchName: started.branch_name,
    notices,
  });
}
