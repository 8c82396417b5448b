import type { UpkeepSetup } from '../../../../app/opened.ts';
import { chooseRef, chooseSalvage, planUndo, type UndoneRun, type UndoPlan } from '../../../../app/undo.ts';
import { ExpectedFailure } from '../../../../contracts/expected-failure.ts';
import { didYouMean } from '../../../../diagnostics/did-you-mean.ts';
import type { RefMoved, Salvage } from '../../../../ports/upkeep.ts';
import { workspaceOf } from '../../../../runtime/record/recorded-run.ts';
import { viewRun } from '../../../../runtime/record/run-view.ts';
import { CliError } from '../../cli-error.ts';
import { printJson, type VerbContext } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { openUpkeep, resolveRunId } from '../../open.ts';
import { withRepo } from '../../output/command-text.ts';
import { diffDocument, diffStatLines } from '../../output/diff-stat.ts';
import { renderTable } from '../../output/table.ts';
import { formatAge, printable, shortId } from '../../output/terminal.ts';
import { resumeError } from '../run/resume.ts';

export interface UndoOptions {
  readonly step: string | null;
  readonly ref: string | null;
  readonly branch: string | null;
  readonly list: boolean;
  readonly dryRun: boolean;
}

/** Brings back what a rollback, a recovery or a removal kept. */
export async function undo(context: VerbContext, wanted: string, options: UndoOptions): Promise<ExitCode> {
  const setup = await openUpkeep(context);
  const all = await setup.upkeep.salvages();
  const runId = await salvagedRunId(setup, all, wanted);
  const salvages = all.filter((salvage) => salvage.runId === runId);
  if (options.list) return list(context, setup, runId, salvages);
  if (options.ref !== null) return undoRef(context, setup, runId, salvages, options);
  return undoFiles(context, setup, runId, salvages, options);
}

/** Also a run whose record is gone: its salvages still carry its id. */
async function salvagedRunId(
  setup: UpkeepSetup,
  salvages: readonly Salvage[],
  wanted: string,
): Promise<string> {
  const plain = (text: string) => text.replaceAll('-', '').toLowerCase();
  const kept = [...new Set(salvages.map(({ runId }) => runId))];
  const matching = plain(wanted) === '' ? [] : kept.filter((id) => plain(id).startsWith(plain(wanted)));
  const recorded = await setup.store.match(wanted);
  const gone = matching.filter((id) => !recorded.includes(id));
  const [only, second] = gone;
  if (recorded.length === 0 && only !== undefined && second === undefined) return only;
  if (gone.length > 0)
    throw new CliError(
      `"${wanted}" matches ${recorded.length + gone.length} runs`,
      `give more of the id: ${[...recorded, ...gone].slice(0, 4).join(', ')}`,
    );
  return resolveRunId(setup, wanted);
}

function list(
  context: VerbContext,
  setup: UpkeepSetup,
  runId: string,
  salvages: readonly Salvage[],
): ExitCode {
  if (context.json) {
    printUndo(context, runId, { salvages });
    return EXIT.success;
  }
  const { out, err } = context.terminal;
  if (salvages.length === 0) err(`nothing of run ${shortId(runId)} is kept under a salvage ref\n`);
  const now = setup.clock.now().getTime();
  out(
    renderTable(
      salvages.map(({ name, keptAt, commit, ref }) => [
        printable(name),
        keptAt === null ? '' : `${formatAge(now - Date.parse(keptAt))} ago`,
        commit.slice(0, 12),
        printable(ref),
      ]),
    ),
  );
  return EXIT.success;
}

async function undoFiles(
  context: VerbContext,
  setup: UpkeepSetup,
  runId: string,
  salvages: readonly Salvage[],
  options: UndoOptions,
): Promise<ExitCode> {
  const salvage = expectSalvage(runId, salvages, options.step);
  const { upkeep } = setup;
  const files = await upkeep.contents(salvage);
  const plan = await planUndo(upkeep, salvage, await recordedRun(setup, runId), options.branch);
  if (!options.dryRun) await carryOut(setup, plan, salvage);
  const into =
    plan.kind === 'worktree'
      ? { kind: plan.kind, path: plan.workspace.worktreePath }
      : { kind: plan.kind, branch: plan.branchName, because: plan.because };
  if (context.json) {
    printUndo(context, runId, { done: !options.dryRun, salvage, into, ...diffDocument(files), salvages });
    return EXIT.success;
  }
  const { out, err } = context.terminal;
  const verb = options.dryRun ? 'would restore' : 'restored';
  if (plan.kind === 'worktree') out(`${verb} ${printable(salvage.name)} into ${into.path}\n`);
  else {
    out(`${verb} ${printable(salvage.name)} as branch ${printable(plan.branchName)}: ${plan.because}\n`);
    if (!options.dryRun) err(`see it: git log -p ${printable(plan.branchName)}\n`);
  }
  for (const line of diffStatLines(files)) err(`  ${line}\n`);
  return EXIT.success;
}

function expectSalvage(runId: string, salvages: readonly Salvage[], step: string | null): Salvage {
  const choice = chooseSalvage(salvages, step);
  if (choice.ok) return choice.salvage;
  const id = shortId(runId);
  switch (choice.reason) {
    case 'none':
      throw new CliError(`nothing of run ${id} is kept under a salvage ref`, null, EXIT.failed);
    case 'only_refs':
      throw new CliError(
        `no files of run ${id} are kept, only refs that were moved: ${choice.names.join(', ')}`,
        `restore one: conductor undo ${id} --ref ${choice.names[0] ?? ''}`,
        EXIT.failed,
      );
    case 'several':
      throw new CliError(
        `run ${id} has ${choice.names.length} salvages: ${choice.names.join(', ')}`,
        `say which one: conductor undo ${id} ${choice.names.at(-1) ?? ''}`,
      );
    case 'unknown': {
      const near = didYouMean(step ?? '', [...choice.names]);
      throw new CliError(
        `run ${id} has no salvage of "${step ?? ''}"`,
        near === null ? `there are ${choice.names.join(', ')}` : `did you mean ${near}?`,
      );
    }
  }
}

async function recordedRun(setup: UpkeepSetup, runId: string): Promise<UndoneRun | null> {
  const read = await setup.store.read(runId);
  const view = read.ok ? viewRun(read.run.events) : null;
  if (!read.ok || view === null) return null;
  return {
    workspace: workspaceOf(view, read.run.directory, setup),
    ended: view.end !== null && read.run.driverPid === null,
  };
}

async function carryOut(setup: UpkeepSetup, plan: UndoPlan, salvage: Salvage): Promise<void> {
  const { upkeep } = setup;
  try {
    if (plan.kind === 'worktree') {
      await whileLocked(setup, salvage.runId, () => upkeep.bringBackFiles(plan.workspace, salvage));
      return;
    }
    const made = await upkeep.bringBackBranch(plan.branchName, salvage);
    if (made.ok) return;
    throw new CliError(
      made.reason === 'invalid'
        ? `"${plan.branchName}" can't name a branch`
        : `the branch ${plan.branchName} is there already, at another commit`,
      'choose another name with --branch NAME',
      made.reason === 'invalid' ? EXIT.usage : EXIT.failed,
    );
  } catch (error) {
    if (!(error instanceof ExpectedFailure)) throw error;
    throw new CliError(`the salvage can't be restored: ${error.message}`, null, EXIT.failed);
  }
}

async function whileLocked(setup: UpkeepSetup, runId: string, work: () => Promise<void>): Promise<void> {
  const driven = await setup.store.drive(runId);
  if (!driven.ok) throw resumeError(runId, driven.problem);
  try {
    await work();
  } finally {
    await driven.run.release();
  }
}

async function undoRef(
  context: VerbContext,
  { upkeep }: UpkeepSetup,
  runId: string,
  salvages: readonly Salvage[],
  { ref, dryRun }: UndoOptions,
): Promise<ExitCode> {
  const choice = chooseRef(salvages, ref ?? '');
  if (!choice.ok) {
    const id = shortId(runId);
    if (choice.names.length === 0)
      throw new CliError(`no old value of a ref is kept for run ${id}`, null, EXIT.failed);
    throw new CliError(`no old value of "${ref}" is kept for run ${id}`, `kept: ${choice.names.join(', ')}`);
  }
  const { salvage } = choice;
  const { refName } = salvage.of;
  const moved = dryRun ? null : await upkeep.bringBackRef(salvage).catch(refused);
  const into = { kind: 'ref', ref: refName, ...movedDocument(moved, salvage) };
  if (context.json) {
    printUndo(context, runId, { done: !dryRun, salvage, into, salvages });
    return EXIT.success;
  }
  const { out, err } = context.terminal;
  const to = salvage.commit.slice(0, 12);
  if (moved === null) out(`would put ${refName} back to ${to}\n`);
  else if (moved.from === moved.to) out(`${refName} is at ${to} already\n`);
  else out(`put ${refName} back to ${to}\n`);
  if (moved !== null && moved.salvageRef !== null)
    err(withRepo(`where it was is kept under ${moved.salvageRef}\n`, context.repo));
  if (moved !== null && moved.checkout !== null)
    err(
      `it is checked out in ${moved.checkout}, whose files and index stay as they are: see git status there\n`,
    );
  return EXIT.success;
}

function refused(error: unknown): never {
  if (!(error instanceof ExpectedFailure)) throw error;
  throw new CliError(`the ref can't be put back: ${error.message}`, null, EXIT.failed);
}

function movedDocument(moved: RefMoved | null, salvage: Salvage) {
  return { from: moved?.from ?? null, to: salvage.commit, salvage_ref: moved?.salvageRef ?? null };
}

interface Undone {
  readonly done?: boolean;
  readonly salvage?: Salvage;
  readonly into?: Readonly<Record<string, unknown>>;
  readonly salvages: readonly Salvage[];
}

function printUndo(context: VerbContext, runId: string, undone: Undone): void {
  const { done, salvage, into, salvages, ...files } = undone;
  printJson(context, {
    run_id: runId,
    done: done ?? false,
    salvage: salvage === undefined ? null : salvageDocument(salvage),
    into: into ?? null,
    ...files,
    salvages: salvages.map(salvageDocument),
  });
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
