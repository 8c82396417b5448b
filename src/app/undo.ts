import type { RefSalvage, Salvage, Upkeep } from '../ports/upkeep.ts';
import type { RunWorkspace } from '../ports/workspace.ts';

export type SalvageChoice =
  | { readonly ok: true; readonly salvage: Salvage }
  | {
      readonly ok: false;
      /** `only_refs`: no files were salvaged, and `names` lists refs. */
      readonly reason: 'none' | 'only_refs' | 'several' | 'unknown';
      readonly names: readonly string[];
    };

/**
 * Chooses a salvage: a step id means the newest of that step, a name such as `fix@2` exactly one; if neither is given,
 * there must be only one.
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

/** Finds a ref by its full or short name; for `main`, a branch comes before a tag. */
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

/** Where a salvage is restored to, and why not to the worktree. */
export type UndoPlan =
  | { readonly kind: 'worktree'; readonly workspace: RunWorkspace }
  | { readonly kind: 'branch'; readonly branchName: string; readonly because: string };

/** The run that the salvage belongs to; null if its record is gone. */
export interface UndoneRun {
  readonly workspace: RunWorkspace;
  readonly ended: boolean;
}

/**
 * Restores into the worktree only if that overwrites nothing and the run has ended; otherwise creates a branch, which
 * changes no files.
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
