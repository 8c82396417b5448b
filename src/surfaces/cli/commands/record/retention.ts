import type { UpkeepSetup } from '../../../../app/opened.ts';
import { cleanRuns, type RetentionOptions, sumBytes } from '../../../../app/runs/clean-runs.ts';
import {
  listWorkspaces as findWorkspaces,
  NO_RECORD,
  type PruneOptions,
  pruneWorkspaces as pruneAll,
  type StoredWorkspace,
  workspacesDocument,
} from '../../../../app/runs/prune-workspaces.ts';
import { explainUnfinished } from '../../../../app/runs/retention.ts';
import { formatBytes } from '../../../../contracts/byte-size.ts';
import { type ShortId, shortIdsOf } from '../../../../overview/short-ids.ts';
import { shortenPath } from '../../../../text/shorten.ts';
import { type CommandContext, printJson } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { openUpkeep } from '../../open.ts';
import { reportCleanup, storedRunCells } from '../../output/retention-report.ts';
import { renderTable } from '../../output/table.ts';
import { printable, printLines, stderrOf, stdoutOf } from '../../output/terminal.ts';

/** Removes the runs that the retention doesn't keep. */
export async function clean(context: CommandContext, options: RetentionOptions): Promise<ExitCode> {
  const setup = await openUpkeep(context);
  const short = await shortIdsOfStored(setup);
  return reportCleanup(context, await cleanRuns(setup, options), setup.clock.now(), short);
}

/** Removes the workspaces of runs that the retention doesn't keep. */
export async function pruneWorkspaces(context: CommandContext, options: PruneOptions): Promise<ExitCode> {
  const setup = await openUpkeep(context);
  const short = await shortIdsOfStored(setup);
  return reportCleanup(context, await pruneAll(setup, options), setup.clock.now(), short);
}

export async function listWorkspaces(context: CommandContext): Promise<ExitCode> {
  const setup = await openUpkeep(context);
  const found = await findWorkspaces(setup);
  if (context.json) {
    printJson(context, workspacesDocument(found));
    return EXIT.success;
  }
  const { write, width } = stdoutOf(context.terminal);
  const short = await shortIdsOfStored(setup);
  const now = setup.clock.now();
  // On a terminal, a path that is too long loses its beginning. A pipe and `--json` get all of it.
  const pathOf = ({ path }: StoredWorkspace) => shortenPath(printable(path), width - BELOW.length);
  write(
    renderTable(
      found.map((item) => [...storedRunCells(item, now, short), describeWorkspace(item), pathOf(item)]),
      '',
      { width, drop: [2, 3], shorten: 1, lastBelow: true },
    ),
  );
  printLines(stderrOf(context.terminal), [
    found.length === 0 ? 'no run has a workspace' : `${found.length} in all, ${formatBytes(sumBytes(found))}`,
  ]);
  return EXIT.success;
}

/** How far the table indents a cell that moves below its row. */
const BELOW = '    ';

/** Includes workspaces whose run has no record. Taken before anything is removed. */
async function shortIdsOfStored({ store, upkeep }: UpkeepSetup): Promise<ShortId> {
  return shortIdsOf([
    ...(await store.match('')),
    ...(await upkeep.listWorkspaces()).map(({ runId }) => runId),
  ]);
}

function describeWorkspace({ workspace: { present }, decision }: StoredWorkspace): string {
  if (!present) return 'its folder is gone';
  if (decision === null) return NO_RECORD;
  return explainUnfinished(decision.run) ?? decision.run.status?.outcome ?? '';
}
