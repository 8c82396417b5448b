import { computeRunStats } from '../../../../app/runs/run-stats.ts';
import { parseSince } from '../../../../app/since.ts';
import type { Stats, StatsGroup } from '../../../../contracts/cli/cli-stats-document.ts';
import { STATS_DIMENSIONS, type StatsDimension } from '../../../../contracts/vocabulary.ts';
import { DIMENSION_TITLES, describeRuns, formatGroupCells } from '../../../../overview/stats-format.ts';
import { renderStatsPage } from '../../../../overview/stats-page.ts';
import { CliError } from '../../cli-error.ts';
import { type CommandContext, printJson } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { openRecords } from '../../open.ts';
import { withRepo } from '../../output/command-text.ts';
import { renderTable } from '../../output/table.ts';
import { formatDuration, type Output, printLines, stderrOf, stdoutOf } from '../../output/terminal.ts';

export type StatsFormat = 'text' | 'html' | 'json';

export interface StatsOptions {
  readonly by: string | null;
  readonly since: string | null;
  readonly format: StatsFormat;
}

export async function stats(context: CommandContext, options: StatsOptions): Promise<ExitCode> {
  const records = await openRecords(context);
  const since = options.since === null ? null : parseSince(options.since, records.clock.now());
  if (options.since !== null && since === null)
    throw new CliError(
      `"${options.since}" is no time for --since`,
      'write a duration such as 12h or 30d, yesterday, or a date such as 2026-11-18',
    );
  const by = STATS_DIMENSIONS.find((dimension) => dimension === options.by) ?? null;
  const computed = await computeRunStats(records, { by, since });
  switch (options.format) {
    case 'json':
      printJson(context, computed);
      break;
    case 'html':
      context.terminal.out(renderStatsPage(computed, formatDuration));
      break;
    case 'text':
      printText(context, computed);
      break;
  }
  return EXIT.success;
}

function printText(context: CommandContext, computed: Stats): void {
  const output = stdoutOf(context.terminal);
  const notes = stderrOf(context.terminal);
  printLines(output, [describeRuns(computed)]);
  if (computed.runs === 0) {
    printLines(notes, [withRepo('no run has ended yet; conductor runs lists all', context.repo)]);
    return;
  }
  for (const dimension of STATS_DIMENSIONS) {
    const groups = computed.groups[dimension];
    if (groups !== undefined) output.write(groupTable(output, dimension, groups));
  }
  printLines(notes, [
    'caught: contradictions between claims and evidence. time: the median. attempts, tokens and cost: per success.',
  ]);
}

/** On a narrow terminal the tokens are dropped first, then the time, the attempts and the contradictions. */
function groupTable(
  { paint, width }: Output,
  dimension: StatsDimension,
  groups: readonly StatsGroup[],
): string {
  const head = [dimension, 'success', 'caught', 'attempts', 'time', 'tokens', 'cost'].map(paint.dim);
  const rows = groups.map((group) => formatGroupCells(group, dimension, formatDuration));
  const table = renderTable([head, ...rows], '  ', { width, drop: [5, 4, 3, 2], shorten: 0 });
  const none = groups.length === 0 ? '  no run\n' : table;
  return `\n${paint.bold(DIMENSION_TITLES[dimension])}\n${none}`;
}
