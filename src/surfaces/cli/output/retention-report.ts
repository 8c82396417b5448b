import {
  type Cleanup,
  cleanupDocument,
  type Handled,
  hasFailed,
  listDue,
  type StoredRun,
  sumBytes,
} from '../../../app/runs/clean-runs.ts';
import { formatBytes } from '../../../contracts/byte-size.ts';
import type { ShortId } from '../../../overview/short-ids.ts';
import { formatCount } from '../../../text/count-of.ts';
import { nameSome } from '../../../text/name-some.ts';
import { type CommandContext, printJson } from '../command-context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { withRepo } from './command-text.ts';
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
  const { of, dryRun, handled } = cleanup;
  const { write, paint, width } = stdoutOf(context.terminal);
  const notes = stderrOf(context.terminal);
  // A workspace without a record is never removed, so the user must see it. What the retention keeps is not listed.
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
  const count = `${removed.length} of ${handled.length} ${of}`;
  printLines(notes, [`${dryRun ? 'would remove' : 'removed'} ${count}, ${formatBytes(sumBytes(removed))}`]);
}

/** One line about the runs that the retention removed after a run, and one for each that it could not remove. */
export function retainedLines(handled: readonly Handled[], short: ShortId): string[] {
  const removed = handled.filter(({ action }) => action === 'removed');
  const salvages = removed.flatMap(({ salvageRefs }) => salvageRefs);
  const ids = nameSome(
    removed.map(({ runId }) => short(runId)),
    3,
  );
  const salvaged = salvages.length === 0 ? '' : `; salvaged: ${nameSome(salvages, 3)}`;
  const failed = handled.filter(({ action }) => action === 'failed');
  return [
    ...(removed.length === 0
      ? []
      : [
          `retention removed ${formatCount(removed.length, 'run')} (${ids}), ${formatBytes(sumBytes(removed))}${salvaged}`,
        ]),
    ...failed.map(
      ({ runId, reason }) => `retention could not remove run ${short(runId)}: ${printable(reason)}`,
    ),
  ];
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
