import type { UpkeepSetup } from '../../../../app/opened.ts';
import { judgeRetention, takeRun, type Verdict, workspaceFolder } from '../../../../app/retention.ts';
import type { VerbContext } from '../../command-context.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { openUpkeep } from '../../open.ts';
import {
  type Handled,
  handledAs,
  type RetentionOptions,
  reportHandled,
  retentionOf,
} from '../../output/retention-report.ts';

/** Removes runs that the retention doesn't keep: workspace, branch and record. Salvages stay. */
export async function clean(context: VerbContext, options: RetentionOptions): Promise<ExitCode> {
  const setup = await openUpkeep(context);
  const retention = retentionOf(setup, options);
  const verdicts = judgeRetention(await setup.store.list(), retention, setup.clock.now());
  const handled: Handled[] = [];
  for (const verdict of verdicts) handled.push(await handle(setup, verdict, options.dryRun));
  return reportHandled(context, setup, handled, { key: 'runs', retention, dryRun: options.dryRun });
}

async function handle(setup: UpkeepSetup, { run, due, reason }: Verdict, dryRun: boolean): Promise<Handled> {
  const { upkeep } = setup;
  const worktree = run.status?.worktree_path ?? null;
  const folder = worktree === null ? null : workspaceFolder(worktree, run.runId);
  const bytes = (await upkeep.sizeOf(`${run.path}/`)) + (folder === null ? 0 : await upkeep.sizeOf(folder));
  const about = { runId: run.runId, run, path: run.path, bytes, reason };
  if (!due) return { ...about, action: 'kept', salvageRefs: [], notes: [] };
  return handledAs(about, dryRun ? null : await takeRun(setup, run.runId));
}
