import { readBlockScalar } from './yaml-plain-block-scalar.ts';
import { isColon, isQuote, readFlow } from './yaml-plain-flow.ts';
import type { PlainKey, PlainNode, PlainPair } from './yaml-plain-node.ts';
import { resolvePlain, scanPlain, scanQuoted } from './yaml-plain-scalar.ts';
import {
  CHAR,
  type Cursor,
  createCursor,
  finishLine,
  lineEndFrom,
  skipSpaces,
  toNextContent,
} from './yaml-plain-text.ts';
import { createMapping, MAX_DEPTH } from './yaml-tree.ts';

/** Tabs, carriage returns, byte order marks and the like have rules of their own. */
const UNUSUAL = /[^\n\u0020-\ufefe\uff00-\uffff]/;

/** The `: ` of a key may be at most 1,024 characters away from its start. */
const MAX_KEY_LENGTH = 1000;

/**
 * Reads the part of YAML that practically every document is written in, many times faster than a reader of all of it.
 * Null means "not mine": errors, duplicate keys, anchors, tags and whatever else is rare are never judged here,
 * and a document is either understood without any doubt or left alone. Places are kept on demand: a sound document is only asked
 * for its data.
 */
export function readPlainYaml(text: string, keepPlaces: boolean): PlainNode | null {
  if (UNUSUAL.test(text)) return null;
  const cursor = createCursor(text, keepPlaces);
  const indented = !toNextContent(cursor, 0) || cursor.column > 0;
  if (indented || isOver(cursor)) return null;
  const root = readBlock(cursor, 0);
  return isOver(cursor) ? root : null;
}

function isOver(cursor: Cursor): boolean {
  return cursor.column < 0;
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
  while (cursor.column === column) {
    const key = readKey(text, cursor.at);
    if (key === null || key.name in data) return null;
    const value = readValue(cursor, key.end + 1, column, depth + 1);
    if (value === null) return null;
    if (cursor.keepPlaces) pairs.push({ key, value });
    data[key.name] = value.data;
  }
  if (cursor.column > column) return null;
  return { kind: 'mapping', data, start, end: cursor.lastEnd, pairs };
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
  cursor.lastEnd = at;
  return { kind: 'scalar', data: null, start: at, end: at };
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
  const code = text.charCodeAt(at);
  if (code === CHAR.openBracket || code === CHAR.openBrace) {
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
