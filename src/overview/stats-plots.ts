import {
  END_KINDS,
  type EndKind,
  type StatsGroup,
  type StatsPeriod,
} from '../contracts/cli/cli-stats-document.ts';
import type { StatsDimension } from '../contracts/vocabulary.ts';
import { formatCount } from '../text/count-of.ts';
import { cutText } from '../text/shorten.ts';
import { html, type Markup } from './html.ts';
import { formatDollars } from './spend.ts';
import { formatGroupName, formatRate } from './stats-format.ts';

// Plots are inline SVG without scripts. They are 360 units wide: on a phone one unit is about one pixel, so that the
// text stays readable, and the page limits how far they grow.

const WIDTH = 360;

export const KIND_LABELS: Readonly<Record<EndKind, string>> = {
  success: 'success',
  unverified: 'unverified',
  stopped: 'stopped for a person',
  failed: 'failed',
};

export interface Plot {
  /** Unique on the page. */
  readonly id: string;
  readonly title: string;
  /** What a reader who can't see the plot should know. */
  readonly description: string;
}

function renderFrame({ id, title, description }: Plot, height: number, content: readonly Markup[]): Markup {
  return html`<svg class="plot" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="${id}-title ${id}-desc">
<title id="${id}-title">${title}</title>
<desc id="${id}-desc">${description}</desc>
${content}
</svg>`;
}

/** More groups than this make a plot that needs scrolling; the table beside it has all. */
export const MAX_PLOTTED_GROUPS = 20;
const ROW_HEIGHT = 38;
const AXIS_HEIGHT = 18;
const MAX_LABEL_LENGTH = 28;

/** The success rate of each group as a point, its interval as a line with ends. */
export function plotRates(plot: Plot, dimension: StatsDimension, groups: readonly StatsGroup[]): Markup {
  const shown = groups.slice(0, MAX_PLOTTED_GROUPS);
  const bottom = shown.length * ROW_HEIGHT;
  const axis = [0, 0.5, 1].map(
    (share) =>
      html`<text class="axis" x="${rateToX(share)}" y="${bottom + 13}" text-anchor="${anchorAt(share)}">${share * 100} %</text>`,
  );
  return renderFrame(plot, bottom + AXIS_HEIGHT, [
    ...shown.map((group, index) => plotRate(group, dimension, index * ROW_HEIGHT)),
    ...axis,
  ]);
}

function plotRate(group: StatsGroup, dimension: StatsDimension, top: number): Markup {
  const y = top + 26;
  const label = cutText(formatGroupName(group.name, dimension), MAX_LABEL_LENGTH);
  return html`<text x="0" y="${top + 14}">${label}</text>
<text class="value" x="${WIDTH}" y="${top + 14}" text-anchor="end">${formatRate(group)}</text>
<line class="grid" x1="${rateToX(0)}" x2="${rateToX(1)}" y1="${y}" y2="${y}"/>
${[0, 0.25, 0.5, 0.75, 1].map((share) => drawTick('grid', share, y, 3))}
${group.success_rate === null ? [] : plotInterval(group.success_rate, y)}`;
}

function plotInterval({ rate, low, high }: NonNullable<StatsGroup['success_rate']>, y: number): Markup {
  return html`<line class="whisker" x1="${rateToX(low)}" x2="${rateToX(high)}" y1="${y}" y2="${y}"/>
${[low, high].map((share) => drawTick('whisker', share, y, 5))}
<circle class="point" cx="${rateToX(rate)}" cy="${y}" r="4"/>`;
}

function drawTick(className: string, share: number, y: number, half: number): Markup {
  const x = rateToX(share);
  return html`<line class="${className}" x1="${x}" x2="${x}" y1="${y - half}" y2="${y + half}"/>`;
}

/** Leaves room for the points at both ends. */
function rateToX(share: number): number {
  return round(5 + share * (WIDTH - 10));
}

function anchorAt(share: number): string {
  return share === 0 ? 'start' : share === 1 ? 'end' : 'middle';
}

/** The runs of each period as a bar, divided by how they ended. */
export function plotEnds(plot: Plot, periods: readonly StatsPeriod[]): Markup {
  const highest = Math.max(
    ...periods.map(({ ends }) => END_KINDS.reduce((sum, kind) => sum + ends[kind], 0)),
  );
  return plotBars(plot, periods, formatCount(highest, 'run'), ({ ends }) =>
    END_KINDS.map((kind) => ({
      share: ends[kind] / highest,
      className: kind,
      title: `${ends[kind]} ${KIND_LABELS[kind]}`,
    })),
  );
}

/** The cost of each period as a bar. */
export function plotCosts(plot: Plot, periods: readonly StatsPeriod[]): Markup {
  const highest = Math.max(...periods.map(({ cost_usd }) => cost_usd));
  return plotBars(plot, periods, formatDollars(highest), ({ cost_usd }) => [
    { share: highest === 0 ? 0 : cost_usd / highest, className: 'cost', title: formatDollars(cost_usd) },
  ]);
}

/** A part of a bar; `share` is its part of the height of the plot. */
interface BarPart {
  readonly share: number;
  readonly className: string;
  readonly title: string;
}

const TOP = 16;
const HEIGHT = 120;
const MAX_BAR_WIDTH = 48;

function plotBars(
  plot: Plot,
  periods: readonly StatsPeriod[],
  highestLabel: string,
  partsOf: (period: StatsPeriod) => readonly BarPart[],
): Markup {
  const bottom = TOP + HEIGHT;
  const step = Math.min(WIDTH / periods.length, MAX_BAR_WIDTH * 1.25);
  const bars = periods.flatMap((period, index) => {
    let y = bottom;
    return partsOf(period)
      .filter(({ share }) => share > 0)
      .map(({ share, className, title }) => {
        y -= share * HEIGHT;
        return html`<rect class="${className}" x="${round((index + 0.1) * step)}" y="${round(y)}" width="${round(step * 0.8)}" height="${round(share * HEIGHT)}"><title>${period.from}: ${title}</title></rect>`;
      });
  });
  const dates = periods.length === 1 ? periods : [periods[0], periods.at(-1)];
  return renderFrame(plot, bottom + AXIS_HEIGHT, [
    html`<line class="grid" x1="0" x2="${WIDTH}" y1="${TOP}" y2="${TOP}"/>
<line class="grid" x1="0" x2="${WIDTH}" y1="${bottom}" y2="${bottom}"/>
<text class="axis" x="0" y="${TOP - 4}">${highestLabel}</text>`,
    ...bars,
    ...dates.map(
      (period, index) =>
        html`<text class="axis" x="${index === 0 ? 0 : round(Math.max(step * periods.length, 150))}" y="${bottom + 13}" text-anchor="${anchorAt(index)}">${period?.from ?? ''}</text>`,
    ),
  ]);
}

/** Names the colours of `plotEnds`. */
export function renderLegend(): Markup {
  return html`<ul class="legend">
${END_KINDS.map(
  (kind) =>
    html`<li><svg class="key" viewBox="0 0 10 10" aria-hidden="true"><rect class="${kind}" width="10" height="10"/></svg>${KIND_LABELS[kind]}</li>`,
)}
</ul>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
