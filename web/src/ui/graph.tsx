import type { JSX } from 'preact';
import type { GraphDocument } from '../../../src/contracts/http/run-page.ts';
import '../styles/graph.css';

type GraphNode = GraphDocument['nodes'][number];
type GraphEdge = GraphDocument['edges'][number];

const LINE = 16;
const MARGIN = 12;

/** The workflow as a drawing. It scrolls; its nodes keep their places while a run proceeds. */
export function Graph({
  graph,
  legend = false,
  linkOf,
}: {
  readonly graph: GraphDocument;
  readonly legend?: boolean;
  readonly linkOf: ((key: string) => string) | null;
}): JSX.Element {
  const width = graph.width + 2 * MARGIN;
  const height = graph.height + 2 * MARGIN;
  return (
    <>
      {legend ? (
        <p class="graph-legend muted">
          <span class="legend-taken">taken</span>
          <span class="legend-current">current</span>
          <span class="legend-possible">still possible</span>
          <span class="legend-untaken">not taken</span>
        </p>
      ) : null}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by keyboard. */}
      <section class="graph" tabIndex={0} aria-label="Graph of the workflow">
        <p class="sr-only">{describe(graph)}</p>
        {/* biome-ignore lint/a11y/noSvgWithoutTitle: the text above describes it; a title would be a tooltip everywhere. */}
        <svg viewBox={`${-MARGIN} ${-MARGIN} ${width} ${height}`} width={width} height={height}>
          <defs>
            <marker
              id="arrow"
              viewBox="0 0 8 8"
              refX="7"
              refY="4"
              markerWidth="7"
              markerHeight="7"
              orient="auto"
            >
              <path d="M0 .5 7.5 4 0 7.5z" class="graph-arrow" />
            </marker>
          </defs>
          {graph.edges.map((edge, index) => (
            <Edge key={index} edge={edge} />
          ))}
          {graph.nodes.map((node) => (
            <Node key={node.id} node={node} href={node.key === null ? null : (linkOf?.(node.key) ?? null)} />
          ))}
          {graph.edges.map((edge, index) => (
            <EdgeLabel key={index} edge={edge} />
          ))}
        </svg>
      </section>
    </>
  );
}

/** The drawing as text, for screen readers. */
function describe({ nodes, edges }: GraphDocument): string {
  const steps = nodes.map(
    ({ id, state, visits }) => `${id}${visits > 0 ? `, ${state}, ${visits} visits` : ''}`,
  );
  const routes = edges.map(
    ({ from, to, label, state }) => `${from} to ${to} on ${label.join(' or ')}: ${state}`,
  );
  return `Steps: ${steps.join('; ')}. Routes: ${routes.join('; ')}.`;
}

function Edge({ edge }: { readonly edge: GraphEdge }): JSX.Element {
  const path = edge.points.map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${x} ${y}`).join('');
  return <path d={path} class={`graph-edge is-${edge.state}`} marker-end="url(#arrow)" />;
}

function EdgeLabel({ edge }: { readonly edge: GraphEdge }): JSX.Element {
  return (
    <text x={edge.label_at.x} y={edge.label_at.y} class={`graph-label is-${edge.state}`} text-anchor="middle">
      {edge.label.map((key, index) => (
        <tspan key={key} x={edge.label_at.x} dy={index === 0 ? 12 : LINE - 2}>
          {key}
        </tspan>
      ))}
    </text>
  );
}

function Node({ node, href }: { readonly node: GraphNode; readonly href: string | null }): JSX.Element {
  const shape = (
    <g class={`graph-node is-${node.state}`}>
      <rect
        x={node.x - node.width / 2}
        y={node.y - node.height / 2}
        width={node.width}
        height={node.height}
        rx={node.opcode === 'STOP' ? node.height / 2 : 6}
      />
      <text x={node.x} y={node.y - ((node.lines.length - 1) * LINE) / 2} text-anchor="middle">
        {node.lines.map((line, index) => (
          <tspan
            key={index}
            x={node.x}
            dy={index === 0 ? '0.35em' : LINE}
            class={index === 0 ? 'graph-name' : ''}
          >
            {line}
          </tspan>
        ))}
      </text>
      {node.visits > 1 ? (
        <text
          x={node.x + node.width / 2 - 4}
          y={node.y - node.height / 2 - 4}
          class="graph-visits"
          text-anchor="end"
        >
          ×{node.visits}
        </text>
      ) : null}
    </g>
  );
  return href === null ? shape : <a href={href}>{shape}</a>;
}
