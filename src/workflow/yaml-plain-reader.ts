import { readBlockScalar } from './yaml-plain-block-scalar.ts';
import { isColon, isQuote, MAX_KEY_LENGTH, readFlow } from './yaml-plain-flow.ts';
import type { PlainKey, PlainNode, PlainPair } from './yaml-plain-node.ts';
import { resolvePlain, scanPlain, scanQuoted } from './yaml-plain-scalar.ts';
import {
  CHAR,
  type Cursor,
  createCursor,
  type DuplicateKey,
  finishLine,
  lineEndFrom,
  skipSpaces,
  toNextContent,
} from './yaml-plain-text.ts';
import { createMapping, MAX_DEPTH, type Mapping } from './yaml-tree.ts';

/** Tabs, carriage returns, byte order marks and the like have rules of their own. */
const UNUSUAL = /[^\n\u0020-\ufefe\uff00-\uffff]/;

/** A mapping with more keys than this is none that anybody has written; the other reader has words for it. */
const MAX_KEYS = 150_000;

/**
 * Reads the part of YAML that practically every document is written in, many times faster than a reader of all of it.
 * Null means "not mine": errors, anchors, tags and whatever else is rare are never judged here,
 * and a document is either understood without any doubt or left alone. Places are kept on demand: a sound document is only asked
 * for its data.
 */
export function readPlainYaml(given: string, keepPlaces: boolean): PlainDocument | null {
  const text = withLineFeeds(given);
  if (UNUSUAL.test(text)) return null;
  const cursor = createCursor(text, given, keepPlaces);
  const indented = !toNextContent(cursor, 0) || cursor.column > 0;
  if (indented || isOver(cursor)) return null;
  const root = startsFlow(text, cursor.at) ? readFlowRoot(cursor) : readBlock(cursor, 0);
  if (root === null || !isOver(cursor)) return null;
  return { root, duplicated: cursor.duplicated, duplicates: cursor.duplicates };
}

export interface PlainDocument {
  readonly root: PlainNode;
  readonly duplicated: boolean;
  /** Empty where no places are kept. */
  readonly duplicates: readonly DuplicateKey[];
}

/**
 * A space at the end of a line means nothing to this reader, which leaves block scalars with one alone, and every
 * offset stays what it is.
 */
function withLineFeeds(text: string): string {
  return text.includes('\r\n') ? text.replaceAll('\r\n', ' \n') : text;
}

function isOver(cursor: Cursor): boolean {
  return cursor.column < 0;
}

function startsFlow(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === CHAR.openBrace || code === CHAR.openBracket;
}

/** At the start of a line inside the brackets, these would end the document. */
const MARKER_LINE = /\n(?:---|\.\.\.)/;

/** A document all in brackets, as programs that write JSON leave it. */
function readFlowRoot(cursor: Cursor): PlainNode | null {
  const { text, at, keepPlaces } = cursor;
  if (MARKER_LINE.test(text)) return null;
  const node = readFlow({ text, parentColumn: -1, keepPlaces }, at, 0);
  return node !== null && finishLine(cursor, node.end) ? node : null;
}

function readBlock(cursor: Cursor, depth: number): PlainNode | null {
  if (depth >= MAX_DEPTH) return null;
  return isDash(cursor.text, cursor.at) ? readSequence(cursor, depth) : readMapping(cursor, depth);
}

function readSequence(cursor: Cursor, depth: number): PlainNode | null {
  const { at: start, column } = cursor;
  const items: PlainNode[] = [];
  const data: unknown[] = [];
  while (cursor.column === column && isDash(cursor.text, cursor.at)) {
    const item = readItem(cursor, depth + 1);
    if (item === null) return null;
    if (cursor.keepPlaces) items.push(item);
    data.push(item.data);
  }
  if (cursor.column > column) return null;
  return { kind: 'sequence', data, start, end: cursor.lastEnd, items };
}

function readItem(cursor: Cursor, depth: number): PlainNode | null {
  const { text, at: dash, column } = cursor;
  const at = skipSpaces(text, dash + 1);
  if (isDash(text, at) || readKey(text, at) !== null) {
    cursor.at = at;
    cursor.column = column + at - dash;
    return readBlock(cursor, depth);
  }
  return readInline(cursor, at, column, depth);
}

function readMapping(cursor: Cursor, depth: number): PlainNode | null {
  const { text, at: start, column } = cursor;
  const pairs: PlainPair[] = [];
  const data = createMapping();
  let firstKeys: Map<string, PlainKey> | null = null;
  for (let count = 0; cursor.column === column; count += 1) {
    if (count > MAX_KEYS) return null;
    if (!cursor.keepPlaces && readPlainestPair(cursor, data)) continue;
    const key = readKey(text, cursor.at);
    if (key === null) return null;
    const again = key.name in data;
    const value = readValue(cursor, key.end + 1, column, depth + 1);
    if (value === null) return null;
    if (again) {
      cursor.duplicated = true;
      if (cursor.keepPlaces) firstKeys = keepDuplicate(cursor, key, pairs, firstKeys);
      continue;
    }
    if (cursor.keepPlaces) pairs.push({ key, value });
    firstKeys?.set(key.name, key);
    data[key.name] = value.data;
  }
  if (cursor.column > column) return null;
  return { kind: 'mapping', data, start, end: cursor.lastEnd, pairs };
}

/** Far more than anybody is shown. */
const MAX_DUPLICATES = 1000;

/** The keys by name are gathered when the first of them is given again, which hardly ever happens. */
function keepDuplicate(
  cursor: Cursor,
  key: PlainKey,
  pairs: readonly PlainPair[],
  known: Map<string, PlainKey> | null,
): Map<string, PlainKey> {
  const firstKeys = known ?? new Map(pairs.map((pair) => [pair.key.name, pair.key]));
  const first = firstKeys.get(key.name);
  if (first !== undefined && cursor.duplicates.length < MAX_DUPLICATES)
    cursor.duplicates.push({ key, first });
  return firstKeys;
}

/** Two words on a line, and the start of a line with more to read. */
const PLAINEST_PAIR = /([A-Za-z_]\w{0,99}): ([A-Za-z_][\w./-]*)\n+( *)(?=[A-Za-z_]|- )/y;

/** Most lines of most documents are of this one kind. False, with nothing done, for any other. */
function readPlainestPair(cursor: Cursor, data: Mapping): boolean {
  PLAINEST_PAIR.lastIndex = cursor.at;
  const match = PLAINEST_PAIR.exec(cursor.text);
  if (match === null) return false;
  const [, name = '', word = '', indent = ''] = match;
  if (name in data) return false;
  data[name] = resolvePlain(word);
  cursor.lastEnd = cursor.at + name.length + word.length + 3;
  cursor.at = PLAINEST_PAIR.lastIndex;
  cursor.column = indent.length;
  cursor.passedComment = false;
  return true;
}

function readKey(text: string, at: number): PlainKey | null {
  const key = isQuote(text, at) ? scanQuotedKey(text, at) : scanPlainKey(text, at);
  if (key === null || key.end - at > MAX_KEY_LENGTH) return null;
  // A merge key is refused with words of its own.
  return key.name === '<<' ? null : key;
}

function scanQuotedKey(text: string, start: number): PlainKey | null {
  const piece = scanQuoted(text, start);
  if (piece === null || !isColon(text, piece.end)) return null;
  return { name: piece.text, start, end: piece.end };
}

function scanPlainKey(text: string, start: number): PlainKey | null {
  const piece = scanPlain(text, start);
  return piece?.colon ? { name: text.slice(start, piece.end), start, end: piece.end } : null;
}

/** What stands behind a colon, or on the lines below it. */
function readValue(cursor: Cursor, from: number, column: number, depth: number): PlainNode | null {
  const { text } = cursor;
  const at = skipSpaces(text, from);
  const code = text.charCodeAt(at);
  const comment = code === CHAR.hash;
  if (!comment && code !== CHAR.newline && at < text.length) return readInline(cursor, at, column, depth);
  if (!toNextContent(cursor, lineEndFrom(text, at) + 1)) return null;
  const sameColumnList = cursor.column === column && isDash(text, cursor.at);
  if (sameColumnList) return readBlock(cursor, depth);
  if (cursor.column > column) return readBelow(cursor, column, depth, comment || cursor.passedComment);
  // Where a comment belongs that stands where a value could, is not for this reader to say.
  if (comment || cursor.passedComment) return null;
  const end = cursor.given[at - 1] === '\r' ? at - 1 : at;
  cursor.lastEnd = end;
  return { kind: 'scalar', data: null, start: end, end };
}

/** A value on a line of its own, deeper than its key. */
function readBelow(cursor: Cursor, column: number, depth: number, commented: boolean): PlainNode | null {
  const { text, at } = cursor;
  if (isDash(text, at) || readKey(text, at) !== null) return readBlock(cursor, depth);
  if (commented) return null;
  const node = readOnLine(cursor, at, column, depth);
  return node !== null && finishLine(cursor, node.end) ? node : null;
}

/** A value that starts on the line of its key or dash. */
function readInline(cursor: Cursor, at: number, column: number, depth: number): PlainNode | null {
  const { text } = cursor;
  const code = text.charCodeAt(at);
  if (code === CHAR.pipe || code === CHAR.greater) {
    const node = readBlockScalar(text, at, column);
    if (node === null || !toNextContent(cursor, node.end)) return null;
    cursor.lastEnd = node.end;
    return node;
  }
  const node = readOnLine(cursor, at, column, depth);
  return node !== null && finishLine(cursor, node.end) ? node : null;
}

function readOnLine(cursor: Cursor, at: number, column: number, depth: number): PlainNode | null {
  const { text, keepPlaces } = cursor;
  if (startsFlow(text, at)) {
    return readFlow({ text, parentColumn: column, keepPlaces }, at, depth);
  }
  if (isQuote(text, at)) {
    const piece = scanQuoted(text, at);
    return piece === null ? null : { kind: 'scalar', data: piece.text, start: at, end: piece.end };
  }
  const piece = scanPlain(text, at);
  if (piece === null || piece.colon) return null;
  return { kind: 'scalar', data: resolvePlain(text.slice(at, piece.end)), start: at, end: piece.end };
}

/** A dash with white space behind it. */
function isDash(text: string, at: number): boolean {
  if (text.charCodeAt(at) !== CHAR.dash) return false;
  const next = text.charCodeAt(at + 1);
  return next === CHAR.space || next === CHAR.newline || at + 1 >= text.length;
}
