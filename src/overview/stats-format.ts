import {
  type Figure,
  type FigureGap,
  MIN_RUNS_FOR_FIGURE,
  type Stats,
  type StatsGroup,
} from '../contracts/cli/cli-stats-document.ts';
import type { StatsDimension } from '../contracts/vocabulary.ts';
import { formatCount } from '../text/count-of.ts';
import { oneLine } from '../text/outside-text.ts';
import { formatDollars, formatTokenCount } from './spend.ts';

// The text of figures, for the tables on the terminal and on the page.

const GAP_TEXTS: Readonly<Record<FigureGap, string>> = {
  too_few_runs: 'too few runs',
  unknown: 'unknown',
  no_success: 'no success',
};

export const DIMENSION_TITLES: Readonly<Record<StatsDimension, string>> = {
  agent: 'By agent',
  model: 'By model',
  prompt: 'By prompt version',
  workflow: 'By workflow',
};

/** Other users chose these names, so they are cleaned for the terminal and the page. */
export function formatGroupName(name: string | null, dimension: StatsDimension): string {
  if (name === null) return dimension === 'prompt' ? 'inline prompts' : 'not recorded';
  return oneLine(name);
}

/** `72 % (58–83 %, n=44)`. */
export function formatRate({ success_rate, runs }: StatsGroup): string {
  if (success_rate === null) return `${GAP_TEXTS.too_few_runs} (n=${runs})`;
  const { rate, low, high } = success_rate;
  return `${percent(rate)} % (${percent(low)}–${percent(high)} %, n=${runs})`;
}

/** Rounds to whole percents, but to 0 and 100 only if exact: one failure in 300 runs is not 100 %. */
function percent(share: number): number {
  if (share === 0 || share === 1) return share * 100;
  return Math.min(99, Math.max(1, Math.round(share * 100)));
}

/**
 * A figure with its number of runs, if they are fewer than those of the group: `$0.61 (n=12)`. If the whole group is
 * too small, its rate already says so.
 */
export function formatFigure(figure: Figure, group: StatsGroup, format: (value: number) => string): string {
  if (group.runs < MIN_RUNS_FOR_FIGURE) return '–';
  if (figure.value === null) return GAP_TEXTS[figure.missing ?? 'unknown'];
  return `${format(figure.value)}${figure.runs < group.runs ? ` (n=${figure.runs})` : ''}`;
}

/** The name of a group and its figures, up to the cost of a success: the cells that every table of statistics has. */
export function formatGroupCells(
  group: StatsGroup,
  dimension: StatsDimension,
  formatDuration: (ms: number) => string,
): string[] {
  return [
    formatGroupName(group.name, dimension),
    formatRate(group),
    String(group.contradictions),
    formatFigure(group.attempts_per_success, group, (value) => value.toFixed(1)),
    formatFigure(group.median_wall_ms, group, formatDuration),
    formatFigure(group.tokens_per_success, group, formatTokenCount),
    formatFigure(group.cost_usd_per_success, group, formatDollars),
  ];
}

/** `3 running, 2 cancelled not counted`; null if all runs count. */
function describeNotCounted({ running, cancelled, unreadable }: Stats['not_counted']): string | null {
  const parts = Object.entries({ running, cancelled, unreadable })
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${count} ${kind}`);
  return parts.length === 0 ? null : `${parts.join(', ')} not counted`;
}

/** `44 runs since 2026-11-01; 3 running, 2 cancelled not counted`. */
export function describeRuns({ runs, since, not_counted }: Stats): string {
  const counted = `${formatCount(runs, 'run')}${since === null ? '' : ` since ${since}`}`;
  return [counted, describeNotCounted(not_counted)].filter((part) => part !== null).join('; ');
}
