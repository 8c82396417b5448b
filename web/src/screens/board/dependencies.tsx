import type { JSX } from 'preact';
import type { BoardDocument } from '../../../../src/contracts/http/work-page.ts';
import { formatRoute } from '../../state/routes.ts';
import { layOutDependencies } from './lay-out-dependencies.ts';
import '../../styles/graph.css';

const WIDTH = 208;
const HEIGHT = 44;
const GAP_X = 56;
const GAP_Y = 16;
const MAX_TITLE = 26;

/** Blockers on the left, what they block to the right. A double line means: built on the unmerged revision. */
export function Dependencies({
  repo,
  board,
}: {
  readonly repo: string;
  readonly board: BoardDocument;
}): JSX.Element {
  const { places, bends } = layOutDependencies(board.edges);
  const items = new Map(board.items.map((item) => [item.id, item]));
  if (places.size === 0) return <p class="empty">No item depends on another.</p>;
  const xOf = (column: number): number => column * (WIDTH + GAP_X);
  const yOf = (row: number): number => row * (HEIGHT + GAP_Y);
  const all = [...places.values(), ...[...bends.values()].flat()];
  const width = xOf(Math.max(...all.map(({ column }) => column))) + WIDTH;
  const height = yOf(Math.max(...all.map(({ row }) => row))) + HEIGHT;
  return (
    <>
      <p class="graph-legend muted">
        <span class="legend-taken">stacked on an unmerged revision</span>
        <span class="legend-possible">blocks</span>
        <span class="legend-untaken">blocker is done</span>
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by keyboard. */}
      <section class="graph" tabIndex={0} aria-label="Dependencies of the items">
        {/* biome-ignore lint/a11y/noSvgWithoutTitle: each item has one; one for all would be a tooltip everywhere. */}
        <svg viewBox={`-2 -2 ${width + 4} ${height + 4}`} width={width + 4} height={height + 4}>
          {board.edges.map((edge) => {
            const { from, to, kind, done } = edge;
            const start = places.get(from);
            const end = places.get(to);
            if (start === undefined || end === undefined) return null;
            const line = [start, ...(bends.get(edge) ?? []), end].map(({ column, row }) => ({
              left: xOf(column),
              y: yOf(row) + HEIGHT / 2,
            }));
            const state = kind === 'stacked' ? 'taken' : done ? 'untaken' : 'possible';
            return <path key={`${from} ${to}`} class={`graph-edge is-${state}`} d={drawLine(line)} />;
          })}
          {[...places].map(([id, { column, row }]) => {
            const item = items.get(id);
            const title = item?.title ?? '';
            return (
              <a key={id} href={formatRoute({ screen: 'item', repo, item: id })}>
                <g class={`graph-node ${item?.status === 'closed' ? 'is-untaken' : 'is-possible'}`}>
                  <title>{`${id}: ${title}`}</title>
                  <rect x={xOf(column)} y={yOf(row)} width={WIDTH} height={HEIGHT} rx="6" />
                  <text x={xOf(column) + 10} y={yOf(row) + 18}>
                    <tspan class="graph-name">{id}</tspan>
                    <tspan dx="6">
                      {title.length > MAX_TITLE ? `${title.slice(0, MAX_TITLE - 1)}…` : title}
                    </tspan>
                    <tspan x={xOf(column) + 10} dy="16">
                      {item?.status ?? 'not on this board'}
                    </tspan>
                  </text>
                </g>
              </a>
            );
          })}
        </svg>
      </section>
    </>
  );
}

/** From the right of the first place to the left of the last, and straight through those between. */
function drawLine(places: readonly { readonly left: number; readonly y: number }[]): string {
  const [first, ...rest] = places;
  if (first === undefined) return '';
  let [x, y] = [first.left + WIDTH, first.y];
  let path = `M${x} ${y}`;
  for (const next of rest) {
    path += `C${x + GAP_X / 2} ${y} ${next.left - GAP_X / 2} ${next.y} ${next.left} ${next.y}`;
    [x, y] = [next.left + WIDTH, next.y];
    if (next !== rest.at(-1)) path += `H${x}`;
  }
  return path;
}
