import {
  addSubstitution,
  charAt,
  countWord,
  isAtEnd,
  type LineCursor,
  mask,
  nest,
  readInside,
  sees,
  stopReading,
} from './line-cursor.ts';
import type { Step, Word } from './shell-word.ts';
import {
  addPiece,
  addText,
  bracedPiece,
  createDraft,
  outputPiece,
  variablePiece,
  type WordDraft,
  wordOf,
} from './word-draft.ts';

const ESCAPE =
  /\\(?:([abeEfnrtv\\'"?])|([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|c([\s\S]))/g;

const NAMED: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  e: '\u001b',
  E: '\u001b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** Decodes the text between `$'` and `'` as bash does: a NUL cuts off the rest. */
function decodeAnsi(text: string): string {
  const decoded = text.replace(
    ESCAPE,
    (_all, named?: string, octal?: string, hex?: string, short?: string, long?: string, control?: string) => {
      if (named !== undefined) return NAMED[named] ?? named;
      if (octal !== undefined) return character(Number.parseInt(octal, 8) % 256);
      if (control !== undefined) return character(control.charCodeAt(0) % 32);
      return character(Number.parseInt(hex ?? short ?? long ?? '0', 16));
    },
  );
  const end = decoded.indexOf('\u0000');
  return end < 0 ? decoded : decoded.slice(0, end);
}

function character(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

const WORD_END = ' \t\n;&|<>()';

/** Problem for an expansion that runs commands which aren't written in place. */
const HIDING = 'an expansion decides what it runs';

/** Reads one word at the cursor; null if no word starts there. */
export function readWord(cursor: LineCursor, ends: string = WORD_END): Word | null {
  const start = cursor.at;
  const draft = createDraft();
  while (!isAtEnd(cursor) && !ends.includes(charAt(cursor))) readPart(cursor, draft);
  if (cursor.at === start) return null;
  countWord(cursor);
  return wordOf(draft, cursor.source.slice(start, cursor.at));
}

function readPart(cursor: LineCursor, draft: WordDraft): void {
  const char = charAt(cursor);
  switch (char) {
    case "'":
      draft.quoted = true;
      readSingleQuoted(cursor, draft);
      return;
    case '"':
      draft.quoted = true;
      readDoubleQuoted(cursor, draft);
      return;
    case '\\':
      readEscape(cursor, draft);
      return;
    case '$':
      readDollar(cursor, draft, false);
      return;
    case '`':
      readBackquoted(cursor, draft, false);
      return;
    default:
      readBare(cursor, draft, char);
  }
}

const EXTENDED_PATTERN = /[@?*+!]\([\w.|*?-]*\)/y;

/** Characters without a special meaning to a shell outside braces. */
const PLAIN = /[\w./:=%^-]+/y;

function readBare(cursor: LineCursor, draft: WordDraft, char: string): void {
  draft.bare = true;
  PLAIN.lastIndex = cursor.at;
  const plain = draft.brace === 0 ? PLAIN.exec(cursor.source)?.[0] : undefined;
  if (plain !== undefined) {
    addText(draft, plain, false);
    cursor.at += plain.length;
    return;
  }
  if (char === '*' || char === '?') draft.glob = true;
  if (char === '[') draft.bracket = true;
  if (char === ']' && draft.bracket) draft.glob = true;
  if (char === '{' && draft.brace === 0) draft.brace = 1;
  if (draft.brace === 1 && (char === ',' || sees(cursor, '..'))) draft.brace = 2;
  if (char === '}' && draft.brace === 2) draft.brace = 3;
  EXTENDED_PATTERN.lastIndex = cursor.at;
  const extended = charAt(cursor, 1) === '(' ? EXTENDED_PATTERN.exec(cursor.source)?.[0] : undefined;
  if (extended !== undefined) draft.glob = true;
  addText(draft, extended ?? char, false);
  cursor.at += extended?.length ?? 1;
}

/** Outside quotes, a backslash makes the next character literal; before a line break both are removed. */
function readEscape(cursor: LineCursor, draft: WordDraft): void {
  const next = charAt(cursor, 1);
  if (next === '') {
    stopReading(cursor, 'it ends in a backslash');
    return;
  }
  if (next !== '\n') {
    draft.quoted = true;
    draft.bare = true;
    addText(draft, next, true);
  }
  cursor.at += 2;
}

function readSingleQuoted(cursor: LineCursor, draft: WordDraft): void {
  const start = cursor.at + 1;
  const end = cursor.source.indexOf("'", start);
  if (end < 0) {
    stopReading(cursor, 'a quote is not closed');
    return;
  }
  addText(draft, cursor.source.slice(start, end), true);
  mask(cursor, start, end);
  cursor.at = end + 1;
}

function readDoubleQuoted(cursor: LineCursor, draft: WordDraft): void {
  const start = cursor.at + 1;
  cursor.at = start;
  addText(draft, '', true);
  nest(cursor, () => {
    while (!isAtEnd(cursor) && charAt(cursor) !== '"') readQuotedPart(cursor, draft);
  });
  if (isAtEnd(cursor)) {
    cursor.at = start;
    stopReading(cursor, 'a quote is not closed');
    return;
  }
  mask(cursor, start, cursor.at);
  cursor.at += 1;
}

const QUOTED_TEXT = /[^\\$`"]+/y;

/** Reads text between double quotes, or in a here-document with an unquoted delimiter. */
export function readQuotedPart(cursor: LineCursor, draft: WordDraft, end = cursor.source.length): void {
  const char = charAt(cursor);
  if (char === '\\') {
    const next = charAt(cursor, 1);
    if (next !== '\n') addText(draft, '$`"\\'.includes(next) ? next : `\\${next}`, true);
    cursor.at += 2;
  } else if (char === '$') readDollar(cursor, draft, true);
  else if (char === '`') readBackquoted(cursor, draft, true);
  else {
    QUOTED_TEXT.lastIndex = cursor.at;
    const text = (QUOTED_TEXT.exec(cursor.source)?.[0] ?? char).slice(0, end - cursor.at);
    addText(draft, text, true);
    cursor.at += text.length;
  }
}

const SPECIAL_PARAMETER = /[A-Za-z0-9_@*#?$!-]/;
const NAME_CHARACTER = /[A-Za-z0-9_]/;

function readDollar(cursor: LineCursor, draft: WordDraft, quoted: boolean): void {
  const start = cursor.at;
  const next = charAt(cursor, 1);
  const raw = () => cursor.source.slice(start, cursor.at);
  if (!quoted && next === "'") {
    draft.quoted = true;
    readAnsiQuoted(cursor, draft);
  } else if (!quoted && next === '"') {
    // `$"…"` is a message to translate; treat it as ordinary quoted text.
    cursor.at += 1;
  } else if (sees(cursor, '$((')) {
    if (skipArithmetic(cursor, 3, '))')) addPiece(draft, { kind: 'number', raw: raw(), quoted });
    else readOutput(cursor, draft, quoted);
  } else if (next === '(') readOutput(cursor, draft, quoted);
  else if (next === '{') {
    readBraced(cursor, quoted);
    addPiece(draft, bracedPiece(raw(), quoted));
  } else if (next === '[') {
    if (!skipArithmetic(cursor, 2, ']')) stopReading(cursor, 'arithmetic in `$[…]` is not supported');
    addPiece(draft, { kind: 'number', raw: raw(), quoted });
  } else if (SPECIAL_PARAMETER.test(next)) {
    readName(cursor);
    addPiece(draft, variablePiece(raw().slice(1), raw(), quoted));
  } else {
    draft.bare ||= !quoted;
    addText(draft, '$', quoted);
    cursor.at += 1;
  }
}

function readName(cursor: LineCursor): void {
  const isWord = /[A-Za-z_]/.test(charAt(cursor, 1));
  cursor.at += 2;
  while (isWord && NAME_CHARACTER.test(charAt(cursor))) cursor.at += 1;
}

function readAnsiQuoted(cursor: LineCursor, draft: WordDraft): void {
  const start = cursor.at + 2;
  let end = start;
  while (end < cursor.source.length && cursor.source[end] !== "'") end += cursor.source[end] === '\\' ? 2 : 1;
  if (end >= cursor.source.length) {
    stopReading(cursor, 'a quote is not closed');
    return;
  }
  addText(draft, decodeAnsi(cursor.source.slice(start, end)), true);
  mask(cursor, start, end);
  cursor.at = end + 1;
}

function readOutput(cursor: LineCursor, draft: WordDraft, quoted: boolean): void {
  const start = cursor.at;
  const steps = readSubstitution(cursor);
  addPiece(draft, outputPiece(cursor.source.slice(start, cursor.at), steps, quoted));
}

/** Reads the content of `$(…)` and `<(…)` as commands of their own. */
export function readSubstitution(cursor: LineCursor): Step[] {
  cursor.at += 2;
  return readInside(cursor, 'substitution', () => cursor.readNested(cursor));
}

/** Inside backquotes, a backslash adds a level of quoting. */
function readBackquoted(cursor: LineCursor, draft: WordDraft, quoted: boolean): void {
  const start = cursor.at;
  let end = start + 1;
  while (end < cursor.source.length && cursor.source[end] !== '`') end += cursor.source[end] === '\\' ? 2 : 1;
  if (end >= cursor.source.length) {
    stopReading(cursor, 'a quote is not closed');
    return;
  }
  cursor.at = end + 1;
  const escaped = quoted ? /\\([\\`$"])/g : /\\([\\`$])/g;
  nest(cursor, () => {
    const inner = cursor.readText(cursor.source.slice(start + 1, end).replace(escaped, '$1'), cursor.depth);
    addSubstitution(cursor, inner);
    addPiece(draft, outputPiece(cursor.source.slice(start, cursor.at), inner.steps, quoted));
  });
}

/** A longer text is not treated as arithmetic. */
const MAX_ARITHMETIC = 4_096;
const ARITHMETIC = /[\w\s+\-*/%<>=!&|^~?:,$#;]/;

/**
 * Skips arithmetic to its end. Returns false and restores the position if it contains more than numbers, names and
 * operators.
 */
export function skipArithmetic(cursor: LineCursor, opening: number, closing: ')' | '))' | ']'): boolean {
  const start = cursor.at;
  let open = 0;
  for (cursor.at += opening; !isAtEnd(cursor) && cursor.at < start + MAX_ARITHMETIC; cursor.at += 1) {
    const char = charAt(cursor);
    if (open === 0 && sees(cursor, closing)) {
      cursor.at += closing.length;
      return true;
    }
    if (char === '(' || char === '[') open += 1;
    else if ((char === ')' || char === ']') && open > 0) open -= 1;
    else if (!ARITHMETIC.test(char)) break;
    if (sees(cursor, '$(') || sees(cursor, '${')) break;
  }
  cursor.at = start;
  return false;
}

/** Reads `${…}` with its content. */
function readBraced(cursor: LineCursor, quoted: boolean): void {
  cursor.at += 2;
  if (/[\s|]/.test(charAt(cursor))) {
    stopReading(cursor, HIDING);
    return;
  }
  const inner = createDraft();
  nest(cursor, () => {
    while (!isAtEnd(cursor) && charAt(cursor) !== '}') {
      if (quoted && charAt(cursor) === "'") stopReading(cursor, 'a quote in quoted braces is ambiguous');
      else readPart(cursor, inner);
    }
  });
  if (isAtEnd(cursor)) {
    stopReading(cursor, 'a brace is not closed');
    return;
  }
  // `${x@P}` expands the value again, including command substitutions in it.
  const last = inner.pieces.at(-1);
  if (last?.kind === 'text' && last.text.endsWith('@P')) cursor.problems.add(HIDING);
  cursor.at += 1;
}
