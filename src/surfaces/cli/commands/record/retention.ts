import type { UpkeepSetup } from '../../../../app/opened.ts';
import { cleanRuns, type RetentionOptions, sumBytes } from '../../../../app/runs/clean-runs.ts';
import {
  listWorktrees as findWorktrees,
  NO_RECORD,
  type PruneOptions,
  pruneWorktrees as pruneAll,
  type StoredWorktree,
  worktreesDocument,
} from '../../../../app/runs/prune-worktrees.ts';
import { explainNotEnded } from '../../../../app/runs/retention.ts';
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

/** Removes the worktrees of runs that the retention doesn't keep. */
export async function pruneWorktrees(context: CommandContext, options: PruneOptions): Promise<ExitCode> {
  const setup = await openUpkeep(context);
  const short = await shortIdsOfStored(setup);
  return reportCleanup(context, await pruneAll(setup, options), setup.clock.now(), short);
}

export async function listWorktrees(context: CommandContext): Promise<ExitCode> {
  const setup = await openUpkeep(context);
  const found = await findWorktrees(setup);
  if (context.json) {
    printJson(context, worktreesDocument(found));
    return EXIT.success;
  }
  const { write, width } = stdoutOf(context.terminal);
  const short = await shortIdsOfStored(setup);
  const now = setup.clock.now();
  // On a terminal, a path that is too long loses its beginning. A pipe and `--json` get all of it.
  const pathOf = ({ path }: StoredWorktree) => shortenPath(printable(path), width - BELOW.length);
  write(
    renderTable(
      found.map((item) => [...storedRunCells(item, now, short), describeWorktree(item), pathOf(item)]),
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

/** Includes worktrees whose run has no record. Taken before anything is removed. */
async function shortIdsOfStored({ store, upkeep }: UpkeepSetup): Promise<ShortId> {
  return shortIdsOf([
    ...(await store.match('')),
    ...(await upkeep.listWorktrees()).map(({ runId }) => runId),
  ]);
}

function describeWorktree({ worktree: { present }, verdict }: StoredWorktree): string {
  if (!present) return 'its folder is gone';
  if (verdict === null) return NO_RECORD;
  return explainNotEnded(verdict.run) ?? verdict.run.status?.outcome ?? '';
}
