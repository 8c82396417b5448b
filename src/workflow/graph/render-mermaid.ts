import type { Opcode } from '../../contracts/vocabulary.ts';
import type { FlowEdge, FlowGraph, FlowNode } from './flow-graph.ts';
import { linesOf, toneOf } from './node-text.ts';

const SHAPES: Readonly<Record<Opcode, readonly [string, string]>> = {
  RUN_AGENT: ['[', ']'],
  RUN_VALIDATION: ['[[', ']]'],
  EVALUATE: ['{', '}'],
  GATE: ['{{', '}}'],
  ROLLBACK: ['[\\', '/]'],
  STOP: ['([', '])'],
};

const CLASSES = [
  'agent fill:#e8f1fb,stroke:#2b6cb0,color:#1a202c',
  'validation fill:#eaf7ee,stroke:#2f855a,color:#1a202c',
  'evaluate fill:#f3eefc,stroke:#6b46c1,color:#1a202c',
  'gate fill:#fff3cd,stroke:#b7791f,stroke-width:3px,color:#1a202c',
  'rollback fill:#fde8e8,stroke:#c53030,stroke-width:3px,color:#1a202c',
  'completed fill:#2f855a,stroke:#22543d,color:#ffffff',
  'blocked fill:#b7791f,stroke:#744210,color:#ffffff',
  'failed fill:#c53030,stroke:#742a2a,color:#ffffff',
  'mixed fill:#4a5568,stroke:#1a202c,color:#ffffff',
];

/** Renders a flowchart. Nodes are numbered, because an id such as `end` is a Mermaid keyword. */
export function renderMermaid(graph: FlowGraph): string {
  const nodes = graph.nodes.map((node, at) => `  ${declare(node, at)}`);
  const entry = graph.nodes.findIndex((node) => node.entry);
  const edges = graph.edges.map((edge) => `  ${connect(edge)}`);
  const loops = graph.edges.flatMap((edge, at) => (edge.back ? [at + 1] : []));
  return [
    `%% ${escapeComment(graph.title)}`,
    'flowchart TD',
    '  start(( ))',
    ...nodes,
    `  start --> n${entry}`,
    ...edges,
    ...CLASSES.map((line) => `  classDef ${line}`),
    ...(loops.length === 0 ? [] : [`  linkStyle ${loops.join(',')} stroke:#2b6cb0,stroke-width:3px`]),
    '',
  ].join('\n');
}

function declare(node: FlowNode, at: number): string {
  const [open, close] = SHAPES[node.opcode];
  const [first = '', ...rest] = linesOf(node).map(escapeText);
  return `n${at}${open}"${[`<b>${first}</b>`, ...rest].join('<br/>')}"${close}:::${toneOf(node)}`;
}

function connect({ from, to, keys, back }: FlowEdge): string {
  const label = `${back ? '↺ ' : ''}${keys.join('<br/>')}`;
  return `n${from} ${back ? '-.->' : '-->'}|"${label}"| n${to}`;
}

/** Escapes everything that could end the text or be read as markup. */
function escapeText(text: string): string {
  return text.replace(/[^\p{L}\p{N} ._,:·/-]/gu, (character) => `#${character.codePointAt(0) ?? 0xfffd};`);
}

/** Mermaid reads braces in a comment as a directive. */
function escapeComment(text: string): string {
  return text.replace(/[^\w.-]/g, ' ');
}
