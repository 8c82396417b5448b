import {
  END_KINDS,
  MIN_RUNS_FOR_FIGURE,
  STATS_DEFINITIONS,
  type Stats,
  type StatsGroup,
  type StatsPeriod,
} from '../contracts/cli/cli-stats-document.ts';
import { STATS_DIMENSIONS, type StatsDimension } from '../contracts/vocabulary.ts';
import { formatCount } from '../text/count-of.ts';
import { html, type Markup, renderPage } from './html.ts';
import { formatDollars } from './spend.ts';
import { DIMENSION_TITLES, describeRuns, formatFigure, formatGroupCells } from './stats-format.ts';
import {
  KIND_LABELS,
  MAX_PLOTTED_GROUPS,
  plotCosts,
  plotEnds,
  plotRates,
  renderLegend,
} from './stats-plots.ts';

/** The statistics as one page without scripts: each plot has a table with its numbers beside it. */
export function renderStatsPage(stats: Stats, formatDuration: (ms: number) => string): string {
  const dimensions = STATS_DIMENSIONS.flatMap((dimension) => {
    const groups = stats.groups[dimension] ?? [];
    return groups.length === 0 ? [] : [renderDimension(dimension, groups, formatDuration)];
  });
  return renderPage({
    title: 'conductor stats',
    style: STYLE,
    body: html`<main>
<h1>conductor stats</h1>
<p>${describeRuns(stats)}</p>
${dimensions}
${stats.periods.length === 0 ? [] : renderCourse(stats.periods)}
${renderDefinitions()}
</main>`,
  });
}

function renderDimension(
  dimension: StatsDimension,
  groups: readonly StatsGroup[],
  formatDuration: (ms: number) => string,
): Markup {
  const title = DIMENSION_TITLES[dimension];
  const plot = plotRates(
    {
      id: `rates-${dimension}`,
      title: `Success rate ${title.toLowerCase()}`,
      description: 'A point for each rate and a line for its 95 % interval; the table has the numbers.',
    },
    dimension,
    groups,
  );
  const head = [
    dimension,
    'success',
    'contradictions caught',
    'attempts per success',
    'median time',
    'tokens per success',
    'cost per success',
    'median cost of a run',
  ];
  const rows = groups.map((group) => [
    ...formatGroupCells(group, dimension, formatDuration),
    formatFigure(group.median_cost_usd, group, formatDollars),
  ]);
  const isCut = groups.length > MAX_PLOTTED_GROUPS;
  return html`<section>
<h2>${title}</h2>
<div class="pair">
<div>
${plot}
${isCut ? html`<p class="dim">The plot shows the ${MAX_PLOTTED_GROUPS} largest groups, the table all ${groups.length}.</p>` : []}
</div>
<div class="table rates">${renderTable(title, head, rows)}</div>
</div>
</section>`;
}

function renderCourse(periods: readonly StatsPeriod[]): Markup {
  const length = periods[0]?.days ?? 1;
  const each = length === 1 ? 'day' : `${length} days`;
  const ended = `How runs ended, per ${each} of their start`;
  const spent = `Reported cost, per ${each}`;
  const description = 'A bar for each period; the table has the numbers.';
  const head = ['from (UTC)', ...END_KINDS.map((kind) => KIND_LABELS[kind]), 'cost', 'cost unknown'];
  const rows = periods
    .filter(({ ends }) => END_KINDS.some((kind) => ends[kind] > 0))
    .map(({ from, ends, cost_usd, cost_unknown }) => [
      from,
      ...END_KINDS.map((kind) => String(ends[kind])),
      formatDollars(cost_usd),
      formatCount(cost_unknown, 'run'),
    ]);
  return html`<section>
<h2>Over time</h2>
<div class="pair">
<div>
<h3>${ended}</h3>
${plotEnds({ id: 'ends', title: ended, description }, periods)}
${renderLegend()}
<h3>${spent}</h3>
${plotCosts({ id: 'costs', title: spent, description }, periods)}
</div>
${renderTable(`Per ${each}, without those that have no runs`, head, rows)}
</div>
</section>`;
}

/** On a narrow screen each row becomes a block, and each cell shows its heading. */
function renderTable(caption: string, head: readonly string[], rows: readonly (readonly string[])[]): Markup {
  return html`<table>
<caption>${caption}</caption>
<thead><tr>${head.map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead>
<tbody>
${rows.map(
  ([first = '', ...cells]) =>
    html`<tr><th scope="row">${first}</th>${cells.map((cell, at) => html`<td data-heading="${head[at + 1] ?? ''}">${cell}</td>`)}</tr>`,
)}
</tbody>
</table>`;
}

const TERMS: readonly (readonly [term: string, definition: string])[] = [
  ['n', STATS_DEFINITIONS.runs],
  ['success', STATS_DEFINITIONS.success],
  ['contradictions caught', STATS_DEFINITIONS.contradictions],
  ['attempts per success', STATS_DEFINITIONS.attempts],
  ['median time', STATS_DEFINITIONS.time],
  ['tokens per success', STATS_DEFINITIONS.tokens],
  ['cost per success', STATS_DEFINITIONS.cost],
  ['by agent, model and prompt', STATS_DEFINITIONS.own],
  ['too few runs', `Fewer than ${MIN_RUNS_FOR_FIGURE}: a number would say more than the runs do.`],
];

function renderDefinitions(): Markup {
  return html`<section>
<h2>How the figures are computed</h2>
<dl>
${TERMS.map(([term, definition]) => html`<dt>${term}</dt><dd>${definition.replaceAll('`', '')}</dd>`)}
</dl>
</section>`;
}

const STYLE = `
:root { --page: 84rem; }
.pair { display: grid; gap: 1rem 2.5rem; grid-template-columns: minmax(0, 1fr); align-items: start; }
@media (min-width: 60rem) { .pair { grid-template-columns: minmax(0, 24rem) minmax(0, 1fr); } }
.plot { display: block; width: 100%; max-width: 26rem; height: auto; overflow: visible; font-size: 12px; fill: var(--fg); }
.axis { font-size: 11px; fill: var(--dim); }
.value { font-variant-numeric: tabular-nums; }
.grid { stroke: var(--line); }
.whisker { stroke: var(--accent); stroke-width: 2; }
.point, .cost { fill: var(--accent); }
.success { fill: var(--good); } .unverified { fill: var(--attention); }
.stopped { fill: var(--neutral); } .failed { fill: var(--bad); }
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1rem; list-style: none; padding: 0; margin-bottom: 1rem; }
.key { width: .75rem; height: .75rem; margin-right: .4rem; }
caption { text-align: left; color: var(--dim); }
td { font-variant-numeric: tabular-nums; }
tbody th { min-width: 7rem; overflow-wrap: break-word; }
.rates td:first-of-type { white-space: nowrap; }
dt { font-weight: 600; margin-top: .5rem; }
dd { margin: 0; max-width: 45rem; }
@media (max-width: 47.99rem) {
  table, caption, tbody, tr, th, td { display: block; }
  thead { display: none; }
  tr { border-bottom: 1px solid var(--line); padding: .5rem 0; }
  th, td { border: 0; padding: 0; }
  td { display: flex; justify-content: space-between; gap: 1rem; }
  td::before { content: attr(data-heading); color: var(--dim); }
}
`;
