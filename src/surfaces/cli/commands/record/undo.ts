import { fetchRun } from '../../../../app/engine/follow-run.ts';
import type { UpkeepSetup } from '../../../../app/opened.ts';
import { resolveRunId } from '../../../../app/runs/resolve-run.ts';
import {
  RunLocked,
  type SalvagedRun,
  type UndoneFiles,
  type UndoneRef,
  undoDocument,
  undoFiles,
  undoRef,
} from '../../../../app/runs/undo-run.ts';
import { shortIdsOf } from '../../../../overview/short-ids.ts';
import type { Salvage } from '../../../../ports/upkeep.ts';
import { CliError } from '../../cli-error.ts';
import { type CommandContext, printJson } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { openUpkeep } from '../../open.ts';
import { diffStatLines } from '../../output/diff-stat.ts';
import { renderTable } from '../../output/table.ts';
import { formatAge, printable, printLines, stderrOf, stdoutOf } from '../../output/terminal.ts';
import { resumeError } from '../run/resume.ts';

export interface UndoOptions {
  readonly step: string | null;
  readonly ref: string | null;
  readonly branch: string | null;
  readonly list: boolean;
  readonly dryRun: boolean;
}

/** Restores what a rollback, a recovery or a removal salvaged. */
export async function undo(context: CommandContext, runRef: string, options: UndoOptions): Promise<ExitCode> {
  const setup = await openUpkeep(context);
  await fetchFromShared(setup, runRef);
  const run = await findSalvagedRun(setup, runRef);
  const { ref, dryRun } = options;
  const undone = options.list
    ? null
    : ref === null
      ? await undoFiles(setup, run, options).catch(explainLock(run.runId))
      : await undoRef(setup, run, { ref, dryRun });
  if (context.json) printJson(context, undoDocument(run, undone, dryRun));
  else if (undone === null) listSalvages(context, setup, run);
  else if ('files' in undone) printFiles(context, undone, dryRun);
  else printRef(context, undone);
  return EXIT.success;
}

/** Another machine may have made the salvages. A run without a record has only those that are here. */
async function fetchFromShared(setup: UpkeepSetup, runRef: string): Promise<void> {
  if (setup.hub === null && setup.store.kind === 'embedded') return;
  const [only, ...more] = await setup.store.match(runRef);
  if (only !== undefined && more.length === 0) await fetchRun(setup, only);
}

function explainLock(runId: string) {
  return (error: unknown): never => {
    throw error instanceof RunLocked ? resumeError(runId, error.problem) : error;
  };
}

/** Also finds a run without a record, because its salvages still carry its id. */
async function findSalvagedRun(setup: UpkeepSetup, runRef: string): Promise<SalvagedRun> {
  const all = await setup.upkeep.listSalvages();
  const salvagedIds = [...new Set(all.map(({ runId }) => runId))];
  const runId = await resolveSalvagedId(setup, salvagedIds, runRef);
  const short = shortIdsOf([...salvagedIds, ...(await setup.store.match(''))]);
  return { runId, id: short(runId), salvages: all.filter((salvage) => salvage.runId === runId) };
}

async function resolveSalvagedId(
  setup: UpkeepSetup,
  salvagedIds: readonly string[],
  runRef: string,
): Promise<string> {
  const plain = (text: string) => text.replaceAll('-', '').toLowerCase();
  const matching =
    plain(runRef) === '' ? [] : salvagedIds.filter((id) => plain(id).startsWith(plain(runRef)));
  const recorded = await setup.store.match(runRef);
  const unrecorded = matching.filter((id) => !recorded.includes(id));
  const [only, second] = unrecorded;
  if (recorded.length === 0 && only !== undefined && second === undefined) return only;
  if (unrecorded.length > 0)
    throw new CliError(
      `"${runRef}" matches ${recorded.length + unrecorded.length} runs`,
      `give more of the id: ${[...recorded, ...unrecorded].slice(0, 4).join(', ')}`,
    );
  return resolveRunId(setup, runRef);
}

function listSalvages(context: CommandContext, setup: UpkeepSetup, { id, salvages }: SalvagedRun): void {
  const output = stdoutOf(context.terminal);
  if (salvages.length === 0) printLines(stderrOf(context.terminal), [`run ${id} has no salvage`]);
  const now = setup.clock.now().getTime();
  output.write(
    renderTable(
      salvages.map((salvage) => salvageRow(salvage, now)),
      '',
      { width: output.width, drop: [2], lastBelow: true },
    ),
  );
}

function salvageRow({ name, keptAt, commit, ref }: Salvage, now: number): string[] {
  return [
    printable(name),
    keptAt === null ? '' : `${formatAge(now - Date.parse(keptAt))} ago`,
    commit.slice(0, 12),
    printable(ref),
  ];
}

function printFiles(
  { terminal }: CommandContext,
  { salvage, plan, files }: UndoneFiles,
  dryRun: boolean,
): void {
  const done = dryRun ? 'would restore' : 'restored';
  const name = printable(salvage.name);
  const [output, notes] = [stdoutOf(terminal), stderrOf(terminal)];
  if (plan.kind === 'worktree') printLines(output, [`${done} ${name} into ${plan.workspace.checkoutPath}`]);
  else {
    const branch = printable(plan.branchName);
    printLines(output, [`${done} ${name} as branch ${branch}: ${plan.because}`]);
    if (!dryRun) printLines(notes, [`see it: git log -p ${branch}`]);
  }
  printLines(
    notes,
    diffStatLines(files).map((line) => `  ${line}`),
  );
}

function printRef({ terminal }: CommandContext, { salvage, moved }: UndoneRef): void {
  const { refName } = salvage.of;
  const commit = salvage.commit.slice(0, 12);
  const [output, notes] = [stdoutOf(terminal), stderrOf(terminal)];
  if (moved === null) printLines(output, [`would set ${refName} back to ${commit}`]);
  else if (moved.from === moved.to) printLines(output, [`${refName} is already at ${commit}`]);
  else printLines(output, [`set ${refName} back to ${commit}`]);
  if (moved !== null && moved.salvageRef !== null)
    printLines(notes, [`its previous value is salvaged as ${moved.salvageRef}`]);
  if (moved !== null && moved.checkout !== null)
    printLines(notes, [
      `it is checked out in ${moved.checkout}, whose files and index were not changed: see git status there`,
    ]);
}
