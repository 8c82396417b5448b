import type { UpkeepSetup } from '../../../app/opened.ts';
import type { Retention, Taken } from '../../../app/retention.ts';
import { formatBytes } from '../../../contracts/byte-size.ts';
import type { RunListing } from '../../../ports/run-store.ts';
import { printJson, type VerbContext } from '../command-context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { withRepo } from './command-text.ts';
import { stateWord } from './run-state.ts';
import { renderTable } from './table.ts';
import { formatAge, printable, shortId, textWidth } from './terminal.ts';

export interface RetentionOptions {
  readonly dryRun: boolean;
  /** This and `keepDays` override the configuration; null if not given. */
  readonly keepRuns: number | null;
  readonly keepDays: number | null;
}

/** A run or worktree, and what the retention did with it. */
export interface Handled {
  readonly runId: string;
  readonly run: RunListing | null;
  readonly path: string;
  readonly bytes: number;
  readonly action: 'removed' | 'would_remove' | 'kept' | 'failed';
  readonly reason: string;
  readonly salvageRefs: readonly string[];
  readonly notes: readonly string[];
}

export function retentionOf(setup: UpkeepSetup, options: RetentionOptions): Retention {
  return {
    keepRuns: options.keepRuns ?? setup.retention.keepRuns,
    keepDays: options.keepDays ?? setup.retention.keepDays,
  };
}

/** The result for a run or worktree that is due for removal; `taken` is null in a dry run. */
export function handledAs(
  about: Pick<Handled, 'runId' | 'run' | 'path' | 'bytes' | 'reason'>,
  taken: Taken | null,
): Handled {
  if (taken === null) return { ...about, action: 'would_remove', salvageRefs: [], notes: [] };
  if (!taken.ok) return { ...about, action: 'failed', reason: taken.reason, salvageRefs: [], notes: [] };
  return { ...about, action: 'removed', salvageRefs: taken.salvageRefs, notes: taken.notes };
}

/** Returns exit code 1 if something that was due could not be removed. */
export function reportHandled(
  context: VerbContext,
  setup: Pick<UpkeepSetup, 'clock'>,
  handled: readonly Handled[],
  {
    key,
    retention,
    dryRun,
  }: { readonly key: string; readonly retention: Retention; readonly dryRun: boolean },
): ExitCode {
  const removed = handled.filter(({ action }) => action === 'removed' || action === 'would_remove');
  const freed = removed.reduce((sum, { bytes }) => sum + bytes, 0);
  const failed = handled.some(({ action }) => action === 'failed');
  if (context.json)
    printJson(context, {
      ok: !failed,
      dry_run: dryRun,
      retention: { keep_runs: retention.keepRuns, keep_days: retention.keepDays },
      [key]: handled.map((item) => ({ ...placeDocument(item), ...actionDocument(item) })),
      freed_bytes: freed,
    });
  else printHandled(context, setup, handled, `${removed.length} of ${handled.length} ${key}`, freed, dryRun);
  return failed ? EXIT.failed : EXIT.success;
}

export function placeDocument({
  runId,
  run,
  path,
  bytes,
}: Pick<Handled, 'runId' | 'run' | 'path' | 'bytes'>) {
  return {
    run_id: runId,
    workflow_id: run?.status?.workflow_id ?? null,
    state: run === null ? null : stateWord(run),
    outcome: run?.status?.outcome ?? null,
    updated_at: run?.status?.updated_at ?? null,
    path,
    bytes,
  };
}

function actionDocument({ action, reason, salvageRefs, notes }: Handled) {
  return { action, reason, salvage_refs: salvageRefs, notes };
}

function printHandled(
  context: VerbContext,
  setup: Pick<UpkeepSetup, 'clock'>,
  handled: readonly Handled[],
  count: string,
  freed: number,
  dryRun: boolean,
): void {
  const { out, err, paintOut } = context.terminal;
  // A worktree without a record is never removed, so the user must see it. What the retention keeps is not listed.
  const listed = handled.filter(({ action, run }) => action !== 'kept' || run === null);
  const now = setup.clock.now();
  const labels = { removed: 'removed', would_remove: 'would remove', failed: 'stays', kept: 'kept' };
  out(
    renderTable(
      listed.map((item) => [
        item.action === 'failed' ? paintOut.red(labels.failed) : labels[item.action],
        ...placeCells(item, now),
        printable(item.reason),
      ]),
      '',
      { width: textWidth(context.terminal, 0), drop: [3], shorten: 2 },
    ),
  );
  for (const { runId, salvageRefs, notes } of listed) {
    for (const note of notes) err(`note on ${shortId(runId)}: ${printable(note)}\n`);
    if (salvageRefs.length > 0)
      err(
        withRepo(
          `kept of ${shortId(runId)}: ${salvageRefs.join(', ')}; conductor undo ${runId} --list\n`,
          context.repo,
        ),
      );
  }
  err(`${dryRun ? 'would remove' : 'removed'} ${count}, ${formatBytes(freed)}\n`);
}

export function placeCells(
  { runId, run, bytes }: Pick<Handled, 'runId' | 'run' | 'bytes'>,
  now: Date,
): string[] {
  const status = run?.status ?? null;
  return [
    shortId(runId),
    status?.workflow_id ?? '',
    status === null ? '' : `${formatAge(now.getTime() - Date.parse(status.updated_at))} ago`,
    formatBytes(bytes),
  ];
}
