import type { RefSalvage, Salvage, Upkeep } from '../ports/upkeep.ts';
import type { RunWorkspace } from '../ports/workspace.ts';

export type SalvageChoice =
  | { readonly ok: true; readonly salvage: Salvage }
  | {
      readonly ok: false;
      /** `only_refs`: no files are kept, and the names are those of refs. */
      readonly reason: 'none' | 'only_refs' | 'several' | 'unknown';
      readonly names: readonly string[];
    };

/**
 * The salvage that is meant. A step stands for the newest of its own, a name such as `fix@2` for exactly one; without
 * either there must be only one.
 */
export function chooseSalvage(salvages: readonly Salvage[], wanted: string | null): SalvageChoice {
  const ofFiles = salvages.filter(({ of }) => of.kind === 'files');
  const names = ofFiles.map(({ name }) => name);
  if (names.length === 0) {
    const refs = salvages.filter(isMovedRef).map(({ of }) => of.refName);
    return { ok: false, reason: refs.length === 0 ? 'none' : 'only_refs', names: refs };
  }
  if (wanted === null) {
    const [only, second] = ofFiles;
    return only !== undefined && second === undefined
      ? { ok: true, salvage: only }
      : { ok: false, reason: 'several', names };
  }
  const found =
    ofFiles.find(({ name }) => name === wanted) ??
    ofFiles.findLast(({ of }) => of.kind === 'files' && of.stepId === wanted);
  return found === undefined ? { ok: false, reason: 'unknown', names } : { ok: true, salvage: found };
}

export type RefChoice =
  | { readonly ok: true; readonly salvage: RefSalvage }
  | { readonly ok: false; readonly names: readonly string[] };

/** A ref by its full name, or as people call it: `main` is a branch before it is a tag. */
export function chooseRef(salvages: readonly Salvage[], wanted: string): RefChoice {
  const moved = salvages.filter(isMovedRef);
  for (const prefix of ['', 'refs/', 'refs/heads/', 'refs/tags/', 'refs/remotes/']) {
    const salvage = moved.find(({ of }) => of.refName === `${prefix}${wanted}`);
    if (salvage !== undefined) return { ok: true, salvage };
  }
  return { ok: false, names: moved.map(({ of }) => of.refName) };
}

function isMovedRef(salvage: Salvage): salvage is RefSalvage {
  return salvage.of.kind === 'ref' && !salvage.of.undone;
}

/** Where a salvage comes back to, and why not into the worktree. */
export type UndoPlan =
  | { readonly kind: 'worktree'; readonly workspace: RunWorkspace }
  | { readonly kind: 'branch'; readonly branchName: string; readonly because: string };

/** What is known of the run whose salvage it is; null when its record is gone. */
export interface UndoneRun {
  readonly workspace: RunWorkspace;
  readonly ended: boolean;
}

/**
 * Into the worktree only where nothing can be overwritten and nobody waits for what is there; otherwise as a branch,
 * which touches no file at all.
 */
export async function planUndo(
  upkeep: Upkeep,
  salvage: Salvage,
  run: UndoneRun | null,
  branch: string | null,
): Promise<UndoPlan> {
  const named = branch ?? `conductor/undo/${salvage.runId}/${salvage.name}`;
  const asBranch = (because: string): UndoPlan => ({ kind: 'branch', branchName: named, because });
  if (branch !== null) return asBranch('a branch was asked for');
  if (run === null) return asBranch('the record of the run is gone');
  if (!run.ended) return asBranch('the run has not ended');
  switch (await upkeep.worktreeState(run.workspace)) {
    case 'missing':
      return asBranch('the worktree is gone');
    case 'changed':
      return asBranch('the worktree holds changes that are not committed');
    case 'linked':
      return asBranch('an earlier version started the run in a linked worktree');
    case 'clean':
      return { kind: 'worktree', workspace: run.workspace };
  }
}
