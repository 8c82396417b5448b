import { dirname } from 'node:path';
import type { UpkeepSetup } from '../../../../app/opened.ts';
import {
  judgeRetention,
  takeWorktree,
  type Verdict,
  whyAlive,
  workspaceFolder,
} from '../../../../app/retention.ts';
import { formatBytes } from '../../../../contracts/byte-size.ts';
import type { ListedWorktree } from '../../../../ports/upkeep.ts';
import { shortenPath } from '../../../../text/shorten.ts';
import { printJson, type VerbContext } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { openUpkeep } from '../../open.ts';
import {
  type Handled,
  handledAs,
  placeCells,
  placeDocument,
  type RetentionOptions,
  reportHandled,
  retentionOf,
} from '../../output/retention-report.ts';
import { renderTable } from '../../output/table.ts';
import { printable, textWidth } from '../../output/terminal.ts';

export interface WorktreeOptions extends RetentionOptions {
  /** All runs that have ended, whatever the retention says. */
  readonly all: boolean;
}

interface Found {
  readonly worktree: ListedWorktree;
  readonly verdict: Verdict | null;
  readonly bytes: number;
}

const NO_RECORD = 'there is no record of the run here';

export async function pruneWorktrees(context: VerbContext, options: WorktreeOptions): Promise<ExitCode> {
  const setup = await openUpkeep(context);
  const retention = options.all ? { keepRuns: 0, keepDays: 0 } : retentionOf(setup, options);
  const handled: Handled[] = [];
  for (const found of await findWorktrees(setup, retention))
    handled.push(await prune(setup, found, options.dryRun));
  return reportHandled(context, setup, handled, { key: 'worktrees', retention, dryRun: options.dryRun });
}

/** Newest first, as run ids sort by time. */
async function findWorktrees(
  { upkeep, store, clock }: UpkeepSetup,
  retention: Parameters<typeof judgeRetention>[1],
): Promise<Found[]> {
  const verdicts = judgeRetention(await store.list(), retention, clock.now());
  const listed = (await upkeep.worktrees()).toSorted((one, other) => (one.runId < other.runId ? 1 : -1));
  const found: Found[] = [];
  for (const item of listed)
    found.push({
      worktree: item,
      verdict: verdicts.find(({ run }) => run.runId === item.runId) ?? null,
      bytes: await upkeep.sizeOf(workspaceFolder(item.path, item.runId)),
    });
  return found;
}

async function prune(setup: UpkeepSetup, found: Found, dryRun: boolean): Promise<Handled> {
  const { verdict } = found;
  const about = { ...placeOf(found), reason: verdict?.reason ?? NO_RECORD };
  if (verdict === null) return { ...about, action: 'kept', salvageRefs: [], notes: [byHand(found.worktree)] };
  if (!verdict.due) return { ...about, action: 'kept', salvageRefs: [], notes: [] };
  return handledAs(about, dryRun ? null : await takeWorktree(setup, about.runId));
}

function byHand({ runId, path, linked }: ListedWorktree): string {
  const command = linked
    ? `git worktree remove ${path}`
    : `rm -r ${dirname(path)} && git update-ref -d refs/conductor/base/${runId}`;
  return `look at it, then remove it by hand: ${command}`;
}

function placeOf({ worktree: { runId, path }, verdict, bytes }: Found) {
  return { runId, run: verdict?.run ?? null, path, bytes };
}

export async function listWorktrees(context: VerbContext): Promise<ExitCode> {
  const setup = await openUpkeep(context);
  const found = await findWorktrees(setup, setup.retention);
  const total = found.reduce((sum, { bytes }) => sum + bytes, 0);
  if (context.json) {
    printJson(context, {
      worktrees: found.map((item) => ({
        ...placeDocument(placeOf(item)),
        branch: item.worktree.branchName,
        present: item.worktree.present,
        prunable: item.verdict?.due ?? false,
        reason: item.verdict?.reason ?? NO_RECORD,
      })),
      total_bytes: total,
    });
    return EXIT.success;
  }
  const { out, err } = context.terminal;
  const now = setup.clock.now();
  // A path that fits nowhere loses its beginning; a pipe and `--json` have all of it.
  const pathOf = ({ worktree: { path } }: Found) =>
    shortenPath(printable(path), textWidth(context.terminal, 4));
  out(
    renderTable(
      found.map((item) => [...placeCells(placeOf(item), now), stateOf(item), pathOf(item)]),
      '',
      { width: textWidth(context.terminal, 0), drop: [2, 3], shorten: 1, lastBelow: true },
    ),
  );
  err(found.length === 0 ? 'no run has a worktree\n' : `${found.length} in all, ${formatBytes(total)}\n`);
  return EXIT.success;
}

function stateOf({ worktree: { present }, verdict }: Found): string {
  if (!present) return 'its folder is gone';
  if (verdict === null) return NO_RECORD;
  return whyAlive(verdict.run) ?? verdict.run.status?.outcome ?? '';
}
