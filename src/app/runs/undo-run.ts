import { ExpectedFailure } from '../../contracts/expected-failure.ts';
import type { WorkspaceDiff } from '../../contracts/run/workspace-change.ts';
import { didYouMean } from '../../diagnostics/did-you-mean.ts';
import type { DriveProblem } from '../../ports/run-store.ts';
import type { RefResult, RefSalvage, Salvage, Upkeep } from '../../ports/upkeep.ts';
import type { RunWorkspace } from '../../ports/workspace/workspace.ts';
import { locateWorkspace } from '../../runtime/record/recorded-run.ts';
import type { UpkeepSetup } from '../opened.ts';
import { UseCaseError } from '../use-case-error.ts';
import { openRun } from './open-run.ts';
import { diffDocument } from './run-document.ts';

/** Another process drives the run, or its record can't be read, so its checkout can't be changed. */
export class RunLocked extends Error {
  readonly problem: DriveProblem;

  constructor(problem: DriveProblem) {
    super('the lock of the run is not available');
    this.problem = problem;
  }
}

/** The salvages of one run, which may exist without a record of the run. */
export interface SalvagedRun {
  readonly runId: string;
  /** The id that messages use. */
  readonly id: string;
  readonly salvages: readonly Salvage[];
}

export interface UndoneFiles {
  readonly salvage: Salvage;
  readonly plan: UndoPlan;
  readonly files: WorkspaceDiff;
}

export interface UndoneRef {
  readonly salvage: RefSalvage;
  /** Null in a dry run. */
  readonly moved: RefResult | null;
}

/** Restores the salvaged files of a step, in the checkout or as a branch. */
export async function undoFiles(
  setup: UpkeepSetup,
  run: SalvagedRun,
  options: { readonly step: string | null; readonly branch: string | null; readonly dryRun: boolean },
): Promise<UndoneFiles> {
  const salvage = expectSalvage(run, options.step);
  const files = await setup.upkeep.readSalvage(salvage);
  const plan = await planUndo(setup.upkeep, salvage, await findRecordedRun(setup, run.runId), options.branch);
  if (!options.dryRun) await restore(setup, plan, salvage);
  return { salvage, plan, files };
}

/** Sets a ref back to the value that it had before a step moved it. */
export async function undoRef(
  { upkeep }: UpkeepSetup,
  { id, salvages }: SalvagedRun,
  { ref, dryRun }: { readonly ref: string; readonly dryRun: boolean },
): Promise<UndoneRef> {
  const choice = chooseRef(salvages, ref);
  if (!choice.ok)
    throw choice.names.length === 0
      ? new UseCaseError(`run ${id} has no salvaged value of a ref`, null, 'failed')
      : new UseCaseError(
          `run ${id} has no salvaged value of "${ref}"`,
          `salvaged: ${choice.names.join(', ')}`,
        );
  const { salvage } = choice;
  if (dryRun) return { salvage, moved: null };
  const moved = await upkeep
    .restoreRef(salvage)
    .catch((error: unknown) => refuse(error, `${salvage.of.refName} can't be restored`));
  return { salvage, moved };
}

/** The document of `undo --json`; with `--list`, only the salvages. */
export function undoDocument(
  { runId, salvages }: SalvagedRun,
  undone: (UndoneFiles | UndoneRef) | null,
  dryRun: boolean,
) {
  return {
    run_id: runId,
    done: undone !== null && !dryRun,
    salvage: undone === null ? null : salvageDocument(undone.salvage),
    into: undone === null ? null : intoDocument(undone),
    ...(undone !== null && 'files' in undone ? diffDocument(undone.files) : {}),
    salvages: salvages.map(salvageDocument),
  };
}

function intoDocument(undone: UndoneFiles | UndoneRef) {
  if ('files' in undone) {
    const { plan } = undone;
    return plan.kind === 'worktree'
      ? { kind: plan.kind, path: plan.workspace.checkoutPath }
      : { kind: plan.kind, branch: plan.branchName, because: plan.because };
  }
  const { salvage, moved } = undone;
  return {
    kind: 'ref',
    ref: salvage.of.refName,
    from: moved?.from ?? null,
    to: salvage.commit,
    salvage_ref: moved?.salvageRef ?? null,
  };
}

function salvageDocument({ ref, name, commit, of, keptAt }: Salvage) {
  return {
    ref,
    name,
    kind: of.kind,
    step_id: of.kind === 'files' ? of.stepId : null,
    ref_name: of.kind === 'ref' ? of.refName : null,
    commit,
    kept_at: keptAt,
  };
}

function expectSalvage({ id, salvages }: SalvagedRun, step: string | null): Salvage {
  const choice = chooseSalvage(salvages, step);
  if (choice.ok) return choice.salvage;
  const { names } = choice;
  switch (choice.reason) {
    case 'none':
      throw new UseCaseError(`run ${id} has no salvage`, null, 'failed');
    case 'only_refs':
      throw new UseCaseError(
        `run ${id} has no salvaged files, only refs: ${names.join(', ')}`,
        `restore one: conductor undo ${id} --ref ${names[0] ?? ''}`,
        'failed',
      );
    case 'several':
      throw new UseCaseError(
        `run ${id} has ${names.length} salvages: ${names.join(', ')}`,
        `name one: conductor undo ${id} ${names.at(-1) ?? ''}`,
      );
    case 'unknown': {
      const near = didYouMean(step ?? '', [...names]);
      throw new UseCaseError(
        `run ${id} has no salvage of "${step ?? ''}"`,
        near === null ? `it has ${names.join(', ')}` : `did you mean ${near}?`,
      );
    }
  }
}

async function findRecordedRun(setup: UpkeepSetup, runId: string): Promise<UndoneRun | null> {
  const opened = await openRun(setup, runId);
  if (!opened.ok) return null;
  const { view, record } = opened.run;
  return {
    workspace: locateWorkspace(view, record.directory, setup),
    ended: view.end !== null && record.driver === null,
  };
}

async function restore(setup: UpkeepSetup, plan: UndoPlan, salvage: Salvage): Promise<void> {
  const { upkeep } = setup;
  if (plan.kind === 'worktree') {
    await whileLocked(setup, salvage.runId, () =>
      upkeep
        .restoreFiles(plan.workspace, salvage)
        .catch((error: unknown) => refuse(error, "the salvage can't be restored")),
    );
    return;
  }
  const made = await upkeep
    .restoreBranch(plan.branchName, salvage)
    .catch((error: unknown) => refuse(error, "the salvage can't be restored"));
  if (made.ok) return;
  throw new UseCaseError(
    made.reason === 'invalid'
      ? `"${plan.branchName}" is not a valid branch name`
      : `the branch ${plan.branchName} already exists, at another commit`,
    'choose another name with --branch NAME',
    made.reason === 'invalid' ? 'usage' : 'failed',
  );
}

function refuse(error: unknown, problem: string): never {
  if (!(error instanceof ExpectedFailure)) throw error;
  throw new UseCaseError(`${problem}: ${error.message}`, null, 'failed');
}

async function whileLocked(setup: UpkeepSetup, runId: string, work: () => Promise<void>): Promise<void> {
  const driven = await setup.store.drive(runId);
  if (!driven.ok) throw new RunLocked(driven.problem);
  try {
    await work();
  } finally {
    await driven.run.release();
  }
}

type SalvageChoice =
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

type RefChoice =
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

/** Where a salvage is restored to, and why not to the checkout. */
export type UndoPlan =
  | { readonly kind: 'worktree'; readonly workspace: RunWorkspace }
  | { readonly kind: 'branch'; readonly branchName: string; readonly because: string };

/** The run that the salvage belongs to; null if its record is gone. */
interface UndoneRun {
  readonly workspace: RunWorkspace;
  readonly ended: boolean;
}

/**
 * Restores into the checkout only if that overwrites nothing and the run has ended; otherwise creates a branch, which
 * changes no files.
 */
async function planUndo(
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
  switch (await upkeep.workspaceState(run.workspace)) {
    case 'missing':
      return asBranch('the workspace is gone');
    case 'changed':
      return asBranch('the workspace has uncommitted changes');
    case 'linked':
      return asBranch('an earlier version started the run in a linked worktree');
    case 'clean':
      return { kind: 'worktree', workspace: run.workspace };
  }
}
