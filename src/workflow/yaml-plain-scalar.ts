import { CHAR, isFlowIndicator } from './yaml-plain-text.ts';

/** A piece of text that ends at `end`; `colon` says whether it is a key, with its colon right there. */
export interface PlainPiece {
  readonly end: number;
  readonly colon: boolean;
}

/** A quoted scalar with its quotes. */
export interface QuotedPiece {
  readonly end: number;
  readonly text: string;
}

/** An unquoted scalar in block context, up to a colon, a comment or the end of the line. Null: not plain. */
export function scanPlain(text: string, start: number): PlainPiece | null {
  let end = simpleEnd(text, start);
  if (end === start && !startsPlain(text, start, false)) return null;
  for (let at = end; ; at += 1) {
    const code = text.charCodeAt(at);
    if (code === CHAR.newline || at >= text.length) return { end, colon: false };
    if (code === CHAR.colon && isBlank(text, at + 1)) return at === end ? { end, colon: true } : null;
    if (code === CHAR.space) {
      if (text.charCodeAt(at + 1) === CHAR.hash) return { end, colon: false };
    } else {
      end = at + 1;
    }
  }
}

/** The same between brackets, where brackets and commas end it too. */
export function scanFlowPlain(text: string, start: number): PlainPiece | null {
  let end = simpleEnd(text, start);
  if (end === start && !startsPlain(text, start, true)) return null;
  for (let at = end; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === CHAR.newline || isFlowIndicator(code)) return { end, colon: false };
    if (code === CHAR.colon) {
      if (isFlowIndicator(text.charCodeAt(at + 1))) return null;
      if (isBlank(text, at + 1)) return at === end ? { end, colon: true } : null;
    }
    if (code === CHAR.space) {
      if (text.charCodeAt(at + 1) === CHAR.hash) return null;
    } else {
      end = at + 1;
    }
  }
  return null;
}

/** Characters that are text wherever they stand; a pattern is fast from the first line on, a loop is not. */
const SIMPLE = /\w[\w./-]*/y;

function simpleEnd(text: string, start: number): number {
  SIMPLE.lastIndex = start;
  return SIMPLE.test(text) ? SIMPLE.lastIndex : start;
}

/** Everything that can begin something else is left to the other reader. */
const OTHER_STARTS = new Set(Array.from(',[]{}#&*!|>\'"%@`?: ', (character) => character.charCodeAt(0)));

function startsPlain(text: string, start: number, flow: boolean): boolean {
  const code = text.charCodeAt(start);
  if (OTHER_STARTS.has(code) || code === CHAR.newline || start >= text.length) return false;
  if (code !== CHAR.dash) return true;
  const next = text.charCodeAt(start + 1);
  return !isBlank(text, start + 1) && !(flow && isFlowIndicator(next));
}

function isBlank(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return at >= text.length || code === CHAR.space || code === CHAR.newline;
}

/** A quoted scalar on one line. Null: it runs on, or has an escape that is seldom used. */
export function scanQuoted(text: string, start: number): QuotedPiece | null {
  return text.charCodeAt(start) === CHAR.doubleQuote
    ? scanDoubleQuoted(text, start)
    : scanSingleQuoted(text, start);
}

// Both look at one character after the other: a search for the end of a long line at every quote on it would
// take time that grows with the square of its length.
function scanSingleQuoted(text: string, start: number): QuotedPiece | null {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === CHAR.newline) return null;
    if (code !== CHAR.singleQuote) continue;
    if (text.charCodeAt(at + 1) !== CHAR.singleQuote) {
      return { end: at + 1, text: text.slice(start + 1, at).replaceAll("''", "'") };
    }
    at += 1;
  }
  return null;
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  [' ', ' '],
]);

function scanDoubleQuoted(text: string, start: number): QuotedPiece | null {
  let decoded = '';
  let from = start + 1;
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === CHAR.newline) return null;
    if (code === CHAR.doubleQuote) return { end: at + 1, text: decoded + text.slice(from, at) };
    if (code !== CHAR.backslash) continue;
    const escaped = ESCAPES.get(text.charAt(at + 1));
    if (escaped === undefined) return null;
    decoded += text.slice(from, at) + escaped;
    at += 1;
    from = at + 1;
  }
  return null;
}

/** Only these can be the start of something other than text. */
const TYPED_START = /^[-+.0-9~nNtTfF]/;

/** An unquoted scalar by the core schema of YAML 1.2. */
export function resolvePlain(source: string): unknown {
  if (!TYPED_START.test(source)) return source;
  if (/^(?:~|[Nn]ull|NULL)$/.test(source)) return null;
  if (/^(?:[Tt]rue|TRUE|[Ff]alse|FALSE)$/.test(source)) return source[0] === 't' || source[0] === 'T';
  if (/^0o[0-7]+$/.test(source)) return Number.parseInt(source.slice(2), 8);
  if (/^[-+]?[0-9]+$/.test(source)) return Number.parseInt(source, 10);
  if (/^0x[0-9a-fA-F]+$/.test(source)) return Number.parseInt(source.slice(2), 16);
  if (/^(?:\.nan|\.NaN|\.NAN)$/.test(source)) return Number.NaN;
  if (/^[-+]?\.(?:inf|Inf|INF)$/.test(source)) {
    return source[0] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  }
  if (/^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/.test(source)) {
    return Number.parseFloat(source);
  }
  return source;
}
