import type { PlainKey, PlainNode, PlainPair } from './yaml-plain-node.ts';
import { resolvePlain, scanFlowPlain, scanQuoted } from './yaml-plain-scalar.ts';
import { CHAR, skipSpaces } from './yaml-plain-text.ts';
import { createMapping, MAX_DEPTH } from './yaml-tree.ts';

/** The `: ` of a key may be at most 1,024 characters away from its start. */
export const MAX_KEY_LENGTH = 1000;

interface FlowContext {
  readonly text: string;
  /** Lines that go on inside the brackets stand deeper than this column. */
  readonly parentColumn: number;
  readonly keepPlaces: boolean;
}

/** A list or mapping in brackets, over one line or several. Null: left to the other reader. */
export function readFlow(context: FlowContext, start: number, depth: number): PlainNode | null {
  if (depth >= MAX_DEPTH) return null;
  return context.text.charCodeAt(start) === CHAR.openBracket
    ? readFlowSequence(context, start, depth)
    : readFlowMapping(context, start, depth);
}

function readFlowSequence(context: FlowContext, start: number, depth: number): PlainNode | null {
  const { text } = context;
  const items: PlainNode[] = [];
  const data: unknown[] = [];
  let at = skipInFlow(context, start + 1);
  while (text.charCodeAt(at) !== CHAR.closeBracket) {
    const item = readFlowValue(context, at, depth + 1);
    if (item === null) return null;
    if (context.keepPlaces) items.push(item);
    data.push(item.data);
    at = behindItem(context, item.end, CHAR.closeBracket);
    if (at < 0) return null;
  }
  return { kind: 'sequence', data, start, end: at + 1, items };
}

function readFlowMapping(context: FlowContext, start: number, depth: number): PlainNode | null {
  const { text } = context;
  const pairs: PlainPair[] = [];
  const data = createMapping();
  let at = skipInFlow(context, start + 1);
  while (text.charCodeAt(at) !== CHAR.closeBrace) {
    const key = readFlowKey(text, at);
    if (key === null || key.name in data) return null;
    const value = readFlowValue(context, skipInFlow(context, key.end + 1), depth + 1);
    if (value === null) return null;
    if (context.keepPlaces) pairs.push({ key, value });
    data[key.name] = value.data;
    at = behindItem(context, value.end, CHAR.closeBrace);
    if (at < 0) return null;
  }
  return { kind: 'mapping', data, start, end: at + 1, pairs };
}

/** The next item or the closing bracket; -1 where neither a comma nor that bracket comes next. */
function behindItem(context: FlowContext, end: number, close: number): number {
  const at = skipInFlow(context, end);
  const code = context.text.charCodeAt(at);
  if (code === close) return at;
  return code === CHAR.comma ? skipInFlow(context, at + 1) : -1;
}

function readFlowKey(text: string, at: number): PlainKey | null {
  const quoted = isQuote(text, at);
  if (quoted) {
    const piece = scanQuoted(text, at);
    // Behind a key in quotes, and only there, a value may follow its colon at once.
    if (piece === null || text.charCodeAt(piece.end) !== CHAR.colon) return null;
    if (piece.end - at > MAX_KEY_LENGTH) return null;
    return { name: piece.text, start: at, end: piece.end };
  }
  const piece = scanFlowPlain(text, at);
  if (piece === null || !piece.colon) return null;
  const name = text.slice(at, piece.end);
  return name === '<<' ? null : { name, start: at, end: piece.end };
}

function readFlowValue(context: FlowContext, at: number, depth: number): PlainNode | null {
  const { text } = context;
  const code = text.charCodeAt(at);
  if (code === CHAR.openBracket || code === CHAR.openBrace) return readFlow(context, at, depth);
  if (isQuote(text, at)) {
    const piece = scanQuoted(text, at);
    return piece === null ? null : { kind: 'scalar', data: piece.text, start: at, end: piece.end };
  }
  const piece = scanFlowPlain(text, at);
  if (piece === null || piece.colon) return null;
  return { kind: 'scalar', data: resolvePlain(text.slice(at, piece.end)), start: at, end: piece.end };
}

/** Passes spaces and line ends; stops at a line that is not deep enough, which then fits nothing. */
function skipInFlow({ text, parentColumn }: FlowContext, from: number): number {
  let at = skipSpaces(text, from);
  while (text.charCodeAt(at) === CHAR.newline) {
    const next = skipSpaces(text, at + 1);
    const blank = text.charCodeAt(next) === CHAR.newline;
    if (!blank && next - at - 1 <= parentColumn) return at;
    at = next;
  }
  return at;
}

export function isQuote(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === CHAR.doubleQuote || code === CHAR.singleQuote;
}

/** A colon with white space behind it. */
export function isColon(text: string, at: number): boolean {
  if (text.charCodeAt(at) !== CHAR.colon) return false;
  const next = text.charCodeAt(at + 1);
  return next === CHAR.space || next === CHAR.newline || at + 1 >= text.length;
}
