import type { FlowEdge, FlowGraph, FlowNode } from './flow-graph.ts';
import { linesOf, type Tone, toneOf } from './node-text.ts';

const LOOKS: Readonly<Record<Tone, string>> = {
  agent: 'shape=box, style="rounded,filled", fillcolor="#e8f1fb", color="#2b6cb0"',
  validation: 'shape=box, peripheries=2, style=filled, fillcolor="#eaf7ee", color="#2f855a"',
  evaluate: 'shape=diamond, style=filled, fillcolor="#f3eefc", color="#6b46c1"',
  gate: 'shape=hexagon, style=filled, penwidth=3, fillcolor="#fff3cd", color="#b7791f"',
  rollback: 'shape=invtrapezium, style=filled, penwidth=3, fillcolor="#fde8e8", color="#c53030"',
  completed: 'shape=box, style="rounded,filled", fillcolor="#2f855a", color="#22543d", fontcolor="#ffffff"',
  blocked: 'shape=box, style="rounded,filled", fillcolor="#b7791f", color="#744210", fontcolor="#ffffff"',
  failed: 'shape=box, style="rounded,filled", fillcolor="#c53030", color="#742a2a", fontcolor="#ffffff"',
  mixed: 'shape=box, style="rounded,filled", fillcolor="#4a5568", color="#1a202c", fontcolor="#ffffff"',
};

/** Renders a digraph for Graphviz, which doesn't have to be installed. */
export function renderDot(graph: FlowGraph): string {
  const nameOf = (at: number) => quote(graph.nodes[at]?.id ?? '');
  const entry = graph.nodes.findIndex((node) => node.entry);
  return [
    `digraph ${quote(graph.title)} {`,
    '  rankdir=TB;',
    '  node [fontname="Helvetica", fontsize=11];',
    '  edge [fontname="Helvetica", fontsize=9];',
    '  "start here" [shape=circle, label="", width=0.2, style=filled, fillcolor="#1a202c"];',
    ...graph.nodes.map((node) => `  ${declare(node)}`),
    `  "start here" -> ${nameOf(entry)};`,
    ...graph.edges.map((edge) => `  ${nameOf(edge.from)} -> ${nameOf(edge.to)} [${edgeLook(edge)}];`),
    '}',
    '',
  ].join('\n');
}

function declare(node: FlowNode): string {
  return `${quote(node.id)} [label=${quoteLines(linesOf(node))}, ${LOOKS[toneOf(node)]}];`;
}

/** Excludes back edges from ranking (`constraint=false`), so that they point upwards. */
function edgeLook({ keys, back }: FlowEdge): string {
  const [first = '', ...rest] = keys;
  if (!back) return `label=${quoteLines(keys)}`;
  return `label=${quoteLines([`↺ ${first}`, ...rest])}, style=dashed, penwidth=2, color="#2b6cb0", constraint=false`;
}

function quote(text: string): string {
  return quoteLines([text]);
}

function quoteLines(lines: readonly string[]): string {
  return `"${lines.map((line) => line.replace(/["\\]/g, '\\$&')).join('\\n')}"`;
}
