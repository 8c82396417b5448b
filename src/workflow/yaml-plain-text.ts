import type { PlainKey } from './yaml-plain-node.ts';

/** The characters that mean something. */
export const CHAR = {
  newline: 10,
  space: 32,
  doubleQuote: 34,
  hash: 35,
  singleQuote: 39,
  comma: 44,
  dash: 45,
  colon: 58,
  greater: 62,
  openBracket: 91,
  backslash: 92,
  closeBracket: 93,
  openBrace: 123,
  pipe: 124,
  closeBrace: 125,
} as const;

export function isFlowIndicator(code: number): boolean {
  return (
    code === CHAR.comma ||
    code === CHAR.openBracket ||
    code === CHAR.closeBracket ||
    code === CHAR.openBrace ||
    code === CHAR.closeBrace
  );
}

export function skipSpaces(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) === CHAR.space) at += 1;
  return at;
}

/** Where the line ends: its line feed, or the end of the text. */
export function lineEndFrom(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

/** Where the reading stands: at the first character of a line that says something. */
export interface Cursor {
  readonly text: string;
  /** The same text with its carriage returns, where it has any. */
  readonly given: string;
  /** Whether lists and mappings remember where their parts stand. */
  readonly keepPlaces: boolean;
  at: number;
  /** Column of `at`; -1 when the text is over. */
  column: number;
  /** Where the last value that was read ends, with the comment and the line feed behind it. */
  lastEnd: number;
  /** Whether lines with comments were passed over on the way here. */
  passedComment: boolean;
  /** Whether a key was given again; which ones, only where places are kept. */
  duplicated: boolean;
  readonly duplicates: DuplicateKey[];
}

export interface DuplicateKey {
  readonly key: PlainKey;
  readonly first: PlainKey;
}

export function createCursor(text: string, given: string, keepPlaces: boolean): Cursor {
  const start = { at: 0, column: 0, lastEnd: 0, passedComment: false };
  return { text, given, keepPlaces, ...start, duplicated: false, duplicates: [] };
}

/**
 * Goes from the start of a line to the next one with more than a comment. False where a comment is deeper than what
 * follows it: whose comment that is changes where the values before it end.
 */
export function toNextContent(cursor: Cursor, lineStart: number): boolean {
  const { text } = cursor;
  let deepestComment = -1;
  let start = lineStart;
  while (start < text.length) {
    const at = skipSpaces(text, start);
    const code = text.charCodeAt(at);
    if (code === CHAR.hash) {
      deepestComment = Math.max(deepestComment, at - start);
    } else if (code !== CHAR.newline && at < text.length) {
      if (at === start && isDocumentMarker(text, at)) return false;
      return settle(cursor, at, at - start, deepestComment);
    }
    start = lineEndFrom(text, at) + 1;
  }
  return settle(cursor, text.length, -1, deepestComment);
}

function settle(cursor: Cursor, at: number, column: number, deepestComment: number): boolean {
  cursor.at = at;
  cursor.column = column;
  cursor.passedComment = deepestComment >= 0;
  return deepestComment <= Math.max(column, 0);
}

function isDocumentMarker(text: string, at: number): boolean {
  return text.startsWith('---', at) || text.startsWith('...', at);
}

/** Behind a value only spaces and a comment may stand. False where there is something else. */
export function finishLine(cursor: Cursor, from: number): boolean {
  const { text } = cursor;
  const at = skipSpaces(text, from);
  const code = text.charCodeAt(at);
  const over = code === CHAR.newline || at >= text.length || (code === CHAR.hash && at > from);
  if (!over) return false;
  cursor.lastEnd = Math.min(lineEndFrom(text, at) + 1, text.length);
  return toNextContent(cursor, cursor.lastEnd);
}
