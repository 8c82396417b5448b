import type { FlowEdge, FlowGraph, FlowNode } from './flow-graph.ts';
import { longestPaths } from './flow-layers.ts';
import { linesOf } from './node-text.ts';
import { placeColumns, type Slot } from './svg-columns.ts';

export interface Box {
  readonly node: FlowNode;
  readonly lines: readonly string[];
  /** The centre. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The keys of an edge, written below the node that it leaves. */
export interface Label {
  readonly edge: FlowEdge;
  readonly lines: readonly string[];
  /** The middle of its upper border. */
  readonly x: number;
  readonly y: number;
  readonly bottom: Point;
}

/** A segment of a line between two rows; segments to the same target share slots. */
export interface Piece {
  readonly target: number;
  readonly points: readonly Point[];
  readonly arrow: boolean;
}

/** A line back up, through its own lane to the right of all nodes. */
export interface Loop {
  readonly edge: FlowEdge;
  readonly points: readonly Point[];
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
  readonly labels: readonly Label[];
  readonly pieces: readonly Piece[];
  readonly loops: readonly Loop[];
}

export const LINE_HEIGHT = 13;
const KEY_WIDTH = 6.1;
const TEXT_WIDTH = 7.3;
const MARGIN = 30;
const LANE = 14;
const ROOM_FOR_CURVES = 44;
const PASSING_WIDTH = 8;

interface Row {
  readonly top: number;
  /** The y coordinate where nodes end and labels begin. */
  readonly labels: number;
  readonly bottom: number;
}

/** Assigns rows by the longest path from the entry; the ends share the last row. */
export function layoutGraph(graph: FlowGraph): Layout {
  const layers = layerNodes(graph);
  const edgesOf = groupEdges(graph);
  const { slots, rows, passing } = makeSlots(graph, layers, edgesOf);
  const middles = placeColumns(slots, rows);
  const bands = stackRows(graph, layers, edgesOf);
  const left = largest(slots.map((slot, at) => slot.width / 2 - (middles[at] ?? 0)));
  const xOf = (at: number) => (middles[at] ?? 0) + left + MARGIN;
  const right = largest(slots.map((slot, at) => xOf(at) + slot.width / 2));
  const boxes = graph.nodes.map((node, at): Box => {
    const row = bands[layers[at] ?? 0];
    const y = row === undefined ? 0 : (row.top + row.labels) / 2;
    return {
      node,
      lines: linesOf(node),
      x: xOf(at),
      y,
      width: slots[at]?.width ?? 0,
      height: heightOf(node),
    };
  });
  const geometry: Geometry = { layers, bands, boxes, xOf, passing };
  const labels = placeLabels(edgesOf, geometry);
  const last = bands.at(-1);
  const loops = placeLoops(labels, geometry, right);
  return {
    width: right + MARGIN + loops.length * LANE,
    height: (last?.bottom ?? 0) + MARGIN,
    boxes,
    labels,
    pieces: placePieces(labels, geometry),
    loops,
  };
}

function layerNodes(graph: FlowGraph): number[] {
  const forward = graph.edges.filter((edge) => !edge.back);
  const layers = longestPaths(graph.nodes.length, forward);
  const deepest = largest(layers);
  return layers.map((layer, at) => (graph.nodes[at]?.id.startsWith('STOP ') ? deepest : layer));
}

/** `Math.max(...values)` would overflow the stack for a long list. */
function largest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
}

function groupEdges(graph: FlowGraph): readonly (readonly FlowEdge[])[] {
  const groups: FlowEdge[][] = graph.nodes.map(() => []);
  for (const edge of graph.edges) groups[edge.from]?.push(edge);
  return groups;
}

/** One slot per node, plus one per target and row in between, which all edges to that target pass through. */
function makeSlots(
  graph: FlowGraph,
  layers: readonly number[],
  edgesOf: readonly (readonly FlowEdge[])[],
): { readonly slots: Slot[]; readonly rows: number[][]; readonly passing: Map<string, number> } {
  const passing = new Map<string, number>();
  const below: number[][] = graph.nodes.map(() => []);
  const widths = graph.nodes.map((node, at) => widthOf(node, edgesOf[at] ?? []));
  const rows: number[][] = Array.from({ length: largest(layers) + 1 }, () => []);
  for (const [at, layer] of layers.entries()) rows[layer]?.push(at);
  for (const { from, to, back } of graph.edges) {
    if (back) continue;
    let slot = from;
    for (let layer = (layers[from] ?? 0) + 1; layer < (layers[to] ?? 0); layer += 1) {
      const known = passing.get(`${to}@${layer}`);
      const next = known ?? widths.push(PASSING_WIDTH) - 1;
      below[slot]?.push(next);
      slot = next;
      if (known !== undefined) break;
      passing.set(`${to}@${layer}`, next);
      rows[layer]?.push(next);
      below[next] = [];
    }
    // An edge that joined an existing slot chain shares the rest of it.
    if (slot === from || below[slot]?.length === 0) below[slot]?.push(to);
  }
  const slots = widths.map((width, at): Slot => ({ width, below: below[at] ?? [] }));
  return { slots, rows, passing };
}

function heightOf(node: FlowNode): number {
  return node.opcode === 'EVALUATE' ? 78 : 22 + linesOf(node).length * 15;
}

function widthOf(node: FlowNode, edges: readonly FlowEdge[]): number {
  const text = Math.max(...linesOf(node).map(measure)) * TEXT_WIDTH;
  const padding = node.opcode === 'EVALUATE' ? 110 : 44;
  const keys = edges.reduce((sum, edge) => sum + labelWidth(edge), 0);
  return Math.ceil(Math.max(120, text + padding, keys));
}

function labelWidth(edge: FlowEdge): number {
  return Math.max(...edge.keys.map((key) => key.length)) * KEY_WIDTH + 14;
}

/** Wide characters count as two. */
function measure(text: string): number {
  return [...text].reduce((sum, character) => sum + ((character.codePointAt(0) ?? 0) > 0x2e7f ? 2 : 1), 0);
}

/** Computes the rows: each has room for its nodes, their labels and the lines to the next row. */
function stackRows(
  graph: FlowGraph,
  layers: readonly number[],
  edgesOf: readonly (readonly FlowEdge[])[],
): Row[] {
  const needs = Array.from({ length: largest(layers) + 1 }, () => ({ height: 0, keys: 0, out: 0, into: 0 }));
  for (const [at, node] of graph.nodes.entries()) {
    const need = needs[layers[at] ?? 0];
    if (need === undefined) continue;
    need.height = Math.max(need.height, heightOf(node));
    for (const edge of edgesOf[at] ?? []) {
      need.keys = Math.max(need.keys, edge.keys.length);
      const target = needs[layers[edge.to] ?? 0];
      if (!edge.back || target === undefined) continue;
      need.out += 1;
      target.into += 1;
    }
  }
  let y = MARGIN + 24;
  return needs.map(({ height, keys, out, into }): Row => {
    const top = y + into * LANE;
    const labels = top + height;
    const bottom = labels + (keys === 0 ? 0 : keys * LINE_HEIGHT + 10);
    y = bottom + out * LANE + ROOM_FOR_CURVES;
    return { top, labels, bottom };
  });
}

interface Geometry {
  readonly layers: readonly number[];
  readonly bands: readonly Row[];
  readonly boxes: readonly Box[];
  readonly xOf: (slot: number) => number;
  readonly passing: ReadonlyMap<string, number>;
}

/** Places labels below each node, ordered by the x coordinate of the target; back edges come last, near the lanes. */
function placeLabels(edgesOf: readonly (readonly FlowEdge[])[], geometry: Geometry): Label[] {
  const { boxes, bands, layers } = geometry;
  return boxes.flatMap((box, at) => {
    const next = (layers[at] ?? 0) + 1;
    const side = ({ to, back }: FlowEdge) =>
      back ? Number.POSITIVE_INFINITY : geometry.xOf(geometry.passing.get(`${to}@${next}`) ?? to);
    const edges = [...(edgesOf[at] ?? [])].sort((a, b) => side(a) - side(b) || 0);
    const total = edges.reduce((sum, edge) => sum + labelWidth(edge), 0);
    const y = (bands[layers[at] ?? 0]?.labels ?? 0) + 5;
    let x = box.x - total / 2;
    return edges.map((edge): Label => {
      const middle = x + labelWidth(edge) / 2;
      x += labelWidth(edge);
      const bottom = { x: middle, y: y + edge.keys.length * LINE_HEIGHT + 2 };
      return { edge, lines: edge.keys, x: middle, y, bottom };
    });
  });
}

function placePieces(labels: readonly Label[], geometry: Geometry): Piece[] {
  const pieces: Piece[] = [];
  for (const { edge, bottom } of labels) {
    if (!edge.back) pieces.push(pieceTo(edge.to, (geometry.layers[edge.from] ?? 0) + 1, [bottom], geometry));
  }
  for (const [key, slot] of geometry.passing) {
    const [target = 0, layer = 0] = key.split('@').map(Number);
    const row = geometry.bands[layer];
    const x = geometry.xOf(slot);
    const points = [
      { x, y: row?.top ?? 0 },
      { x, y: row?.bottom ?? 0 },
    ];
    pieces.push(pieceTo(target, layer + 1, points, geometry));
  }
  return pieces;
}

function pieceTo(target: number, layer: number, points: readonly Point[], geometry: Geometry): Piece {
  const box = geometry.boxes[target];
  if (layer === geometry.layers[target] && box !== undefined)
    return { target, arrow: true, points: [...points, { x: box.x, y: box.y - box.height / 2 }] };
  const x = geometry.xOf(geometry.passing.get(`${target}@${layer}`) ?? target);
  return { target, arrow: false, points: [...points, { x, y: geometry.bands[layer]?.top ?? 0 }] };
}

/** Short loops take the inner lanes, so that lanes do not cross. */
function placeLoops(labels: readonly Label[], geometry: Geometry, right: number): Loop[] {
  const span = ({ edge }: Label) => (geometry.layers[edge.from] ?? 0) - (geometry.layers[edge.to] ?? 0);
  const back = labels.filter(({ edge }) => edge.back).sort((a, b) => span(a) - span(b));
  const used = new Map<string, number>();
  const next = (kind: string, layer: number): number => {
    const key = `${kind}${layer}`;
    const count = (used.get(key) ?? 0) + 1;
    used.set(key, count);
    return count;
  };
  return back.map(({ edge, bottom }, at) => {
    const from = geometry.layers[edge.from] ?? 0;
    const to = geometry.layers[edge.to] ?? 0;
    const box = geometry.boxes[edge.to];
    const lane = right + LANE * (at + 1);
    const entering = next('in', to);
    const below = (geometry.bands[from]?.bottom ?? 0) + LANE * next('out', from) - 4;
    const above = (geometry.bands[to]?.top ?? 0) - LANE * entering - 4;
    const x = (box?.x ?? 0) + Math.min(18 + 10 * entering, (box?.width ?? 0) / 2 - 6);
    return {
      edge,
      points: [
        bottom,
        { x: bottom.x, y: below },
        { x: lane, y: below },
        { x: lane, y: above },
        { x, y: above },
        topOf(box, x),
      ],
    };
  });
}

/** The point on the upper border of a box at `x`: the border of a diamond slopes down from its middle. */
function topOf(box: Box | undefined, x: number): Point {
  if (box === undefined) return { x, y: 0 };
  const half = box.height / 2;
  const slope =
    box.node.opcode === 'EVALUATE' ? half * Math.min(1, Math.abs(x - box.x) / (box.width / 2)) : 0;
  return { x, y: box.y - half + slope };
}
