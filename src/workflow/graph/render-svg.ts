import type { FlowGraph } from './flow-graph.ts';
import { type Tone, toneOf } from './node-text.ts';
import {
  type Box,
  type Label,
  type Layout,
  LINE_HEIGHT,
  type Loop,
  layoutGraph,
  type Piece,
  type Point,
} from './svg-layout.ts';

interface Look {
  readonly fill: string;
  readonly stroke: string;
  readonly width: number;
  readonly text: string;
  /** Colour of the lines that lead to the node. */
  readonly line: string;
}

const INK = '#1a202c';
const LINE = '#4a5568';
const LOOP = '#2b6cb0';

const LOOKS: Readonly<Record<Tone, Look>> = {
  agent: { fill: '#e8f1fb', stroke: '#2b6cb0', width: 1.5, text: INK, line: LINE },
  validation: { fill: '#eaf7ee', stroke: '#2f855a', width: 1.5, text: INK, line: LINE },
  evaluate: { fill: '#f3eefc', stroke: '#6b46c1', width: 1.5, text: INK, line: LINE },
  gate: { fill: '#fff3cd', stroke: '#b7791f', width: 3, text: INK, line: '#b7791f' },
  rollback: { fill: '#fde8e8', stroke: '#c53030', width: 3, text: INK, line: '#c53030' },
  completed: { fill: '#2f855a', stroke: '#22543d', width: 1.5, text: '#ffffff', line: '#2f855a' },
  blocked: { fill: '#b7791f', stroke: '#744210', width: 1.5, text: '#ffffff', line: '#b7791f' },
  failed: { fill: '#c53030', stroke: '#742a2a', width: 1.5, text: '#ffffff', line: '#c53030' },
  mixed: { fill: '#4a5568', stroke: '#1a202c', width: 1.5, text: '#ffffff', line: LINE },
};

/** Renders a self-contained SVG: no scripts, fonts or external files. */
export function renderSvg(graph: FlowGraph): string {
  const layout = layoutGraph(graph);
  const { width, height } = layout;
  const lookOf = (at: number): Look => {
    const node = graph.nodes[at];
    return LOOKS[node === undefined ? 'mixed' : toneOf(node)];
  };
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${number(width)}" height="${number(height)}" viewBox="0 0 ${number(width)} ${number(height)}" role="img" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace">`,
    `<title>${escapeXml(graph.title)}</title>`,
    `<desc>${escapeXml(graph.description)}</desc>`,
    `<rect width="100%" height="100%" fill="#ffffff"/>`,
    ...layout.labels.map((label) => drawStub(label, layout, lookOf(label.edge.to))),
    ...layout.pieces.map((piece) => drawPiece(piece, lookOf(piece.target))),
    ...layout.loops.map(drawLoop),
    ...layout.boxes.map((box) => drawBox(box)),
    ...layout.labels.map((label) => drawLabel(label, lookOf(label.edge.to))),
    '</svg>',
    '',
  ].join('\n');
}

/** A line from the middle of the node to the bottom of the label. Both are drawn on top of it. */
function drawStub({ edge, bottom }: Label, { boxes }: Layout, look: Look): string {
  const start: Point = { x: bottom.x, y: boxes[edge.from]?.y ?? 0 };
  return line(`M${at(start)} L${at(bottom)}`, edge.back ? LOOP : look.line, edge.back);
}

function drawPiece({ points, arrow }: Piece, { line: colour }: Look): string {
  const [first, ...rest] = points;
  if (first === undefined) return '';
  const end = rest.at(-1) ?? first;
  const start = rest.length > 1 ? (rest[0] ?? first) : first;
  const tip = arrow ? { x: end.x, y: end.y - 7 } : end;
  const bend = (tip.y - start.y) / 2;
  const straight = start === first ? '' : ` L${at(start)}`;
  const curve = ` C${at({ x: start.x, y: start.y + bend })} ${at({ x: tip.x, y: tip.y - bend })} ${at(tip)}`;
  return line(`M${at(first)}${straight}${curve}`, colour, false) + (arrow ? arrowAt(end, colour) : '');
}

function drawLoop({ points }: Loop): string {
  const end = points.at(-1);
  return end === undefined ? '' : line(roundedPath(points), LOOP, true) + arrowAt(end, LOOP);
}

/** Straight segments with rounded corners. */
function roundedPath(points: readonly Point[]): string {
  const parts = points.map((point, index) => {
    const [before, after] = [points[index - 1], points[index + 1]];
    if (before === undefined) return `M${at(point)}`;
    if (after === undefined) return `L${at(point)}`;
    return `L${at(towards(point, before))} Q${at(point)} ${at(towards(point, after))}`;
  });
  return parts.join(' ');
}

function towards(from: Point, to: Point): Point {
  const distance = Math.hypot(to.x - from.x, to.y - from.y);
  const share = distance === 0 ? 0 : Math.min(10, distance / 2) / distance;
  return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
}

function arrowAt({ x, y }: Point, colour: string): string {
  return `<path d="M${at({ x: x - 4.5, y: y - 9 })} L${at({ x, y })} L${at({ x: x + 4.5, y: y - 9 })} Z" fill="${colour}"/>`;
}

function line(path: string, colour: string, loop: boolean): string {
  const look = loop ? 'stroke-width="2" stroke-dasharray="6 4"' : 'stroke-width="1.4"';
  return `<path d="${path}" fill="none" stroke="${colour}" ${look}/>`;
}

function drawLabel({ edge, lines, x, y }: Label, look: Look): string {
  const colour = edge.back ? LOOP : look.line;
  const widest = Math.max(...lines.map((key) => key.length)) * 6.1 + 4;
  const height = lines.length * LINE_HEIGHT;
  const back = `<rect x="${number(x - widest / 2)}" y="${number(y)}" width="${number(widest)}" height="${number(height)}" fill="#ffffff"/>`;
  const texts = lines.map(
    (key, index) =>
      `<text x="${number(x)}" y="${number(y + 10 + index * LINE_HEIGHT)}" text-anchor="middle" font-size="10" fill="${colour}">${escapeXml(key)}</text>`,
  );
  return back + texts.join('');
}

function drawBox(box: Box): string {
  const look = LOOKS[toneOf(box.node)];
  const first = box.y - ((box.lines.length - 1) * 15) / 2 + 4;
  const texts = box.lines.map((text, index) => {
    const style = index === 0 ? 'font-size="13" font-weight="bold"' : 'font-size="11"';
    return `<text x="${number(box.x)}" y="${number(first + index * 15)}" text-anchor="middle" ${style} fill="${look.text}">${escapeXml(text)}</text>`;
  });
  const shape = `fill="${look.fill}" stroke="${look.stroke}" stroke-width="${look.width}"`;
  return `<g>${box.node.entry ? drawEntry(box) : ''}${outline(box, shape)}${texts.join('')}</g>`;
}

/** A dot with an arrow, beside the point where other lines arrive. */
function drawEntry({ x, y, width, height, node }: Box): string {
  const beside = node.opcode === 'EVALUATE' ? 0 : -Math.min(40, width / 4);
  const end: Point = { x: x + beside, y: y - height / 2 };
  const dot = `<circle cx="${number(end.x)}" cy="${number(end.y - 26)}" r="5" fill="${INK}"/>`;
  return (
    dot +
    line(`M${at({ x: end.x, y: end.y - 26 })} L${at({ x: end.x, y: end.y - 7 })}`, INK, false) +
    arrowAt(end, INK)
  );
}

function outline({ node, x, y, width, height }: Box, shape: string): string {
  const [left, right, top, bottom] = [x - width / 2, x + width / 2, y - height / 2, y + height / 2];
  const polygon = (...points: Point[]) => `<polygon points="${points.map(at).join(' ')}" ${shape}/>`;
  const rectangle = (radius: number) =>
    `<rect x="${number(left)}" y="${number(top)}" width="${number(width)}" height="${number(height)}" rx="${radius}" ${shape}/>`;
  switch (node.opcode) {
    case 'RUN_AGENT':
      return rectangle(8);
    case 'RUN_VALIDATION': {
      const bars = [left + 7, right - 7].map(
        (bar) => `M${at({ x: bar, y: top })} L${at({ x: bar, y: bottom })}`,
      );
      return `${rectangle(0)}<path d="${bars.join(' ')}" ${shape}/>`;
    }
    case 'EVALUATE':
      return polygon({ x: left, y }, { x, y: top }, { x: right, y }, { x, y: bottom });
    case 'GATE':
      return polygon(
        { x: left, y },
        { x: left + 16, y: top },
        { x: right - 16, y: top },
        { x: right, y },
        { x: right - 16, y: bottom },
        { x: left + 16, y: bottom },
      );
    case 'ROLLBACK':
      return polygon(
        { x: left, y: top },
        { x: right, y: top },
        { x: right - 18, y: bottom },
        { x: left + 18, y: bottom },
      );
    case 'STOP':
      return rectangle(number(height / 2));
  }
}

function at({ x, y }: Point): string {
  return `${number(x)},${number(y)}`;
}

function number(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Replaces characters that XML can't represent with U+FFFD. */
function escapeXml(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
