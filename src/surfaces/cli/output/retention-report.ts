import {
  type Cleanup,
  cleanupDocument,
  hasFailed,
  listDue,
  type StoredRun,
  sumBytes,
} from '../../../app/runs/clean-runs.ts';
import { formatBytes } from '../../../contracts/byte-size.ts';
import { type CommandContext, printJson } from '../command-context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { withRepo } from './command-text.ts';
import type { ShortId } from './short-ids.ts';
import { renderTable } from './table.ts';
import { formatAge, printable, printLines, stderrOf, stdoutOf } from './terminal.ts';

const LABELS = { removed: 'removed', would_remove: 'would remove', failed: 'not removed', kept: 'kept' };

/** Returns exit code 1 if something that was due could not be removed. */
export function reportCleanup(
  context: CommandContext,
  cleanup: Cleanup,
  now: Date,
  short: ShortId,
): ExitCode {
  if (context.json) printJson(context, cleanupDocument(cleanup));
  else printCleanup(context, cleanup, now, short);
  return hasFailed(cleanup) ? EXIT.failed : EXIT.success;
}

function printCleanup(context: CommandContext, cleanup: Cleanup, now: Date, short: ShortId): void {
  const { key, dryRun, handled } = cleanup;
  const { write, paint, width } = stdoutOf(context.terminal);
  const notes = stderrOf(context.terminal);
  // A worktree without a record is never removed, so the user must see it. What the retention keeps is not listed.
  const listed = handled.filter(({ action, run }) => action !== 'kept' || run === null);
  write(
    renderTable(
      listed.map((item) => [
        item.action === 'failed' ? paint.red(LABELS.failed) : LABELS[item.action],
        ...storedRunCells(item, now, short),
        printable(item.reason),
      ]),
      '',
      { width, drop: [3], shorten: 2 },
    ),
  );
  for (const { runId, salvageRefs, notes: own } of listed) {
    const id = short(runId);
    printLines(notes, [
      ...own.map((note) => `note on ${id}: ${printable(note)}`),
      ...(salvageRefs.length === 0
        ? []
        : [
            withRepo(
              `salvaged of ${id}: ${salvageRefs.join(', ')}; conductor undo ${id} --list`,
              context.repo,
            ),
          ]),
    ]);
  }
  const removed = listDue(cleanup);
  const count = `${removed.length} of ${handled.length} ${key}`;
  printLines(notes, [`${dryRun ? 'would remove' : 'removed'} ${count}, ${formatBytes(sumBytes(removed))}`]);
}

export function storedRunCells({ runId, run, bytes }: StoredRun, now: Date, short: ShortId): string[] {
  const status = run?.status ?? null;
  return [
    short(runId),
    status?.workflow_id ?? '',
    status === null ? '' : `${formatAge(now.getTime() - Date.parse(status.updated_at))} ago`,
    formatBytes(bytes),
  ];
}
