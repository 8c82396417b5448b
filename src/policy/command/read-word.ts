import { decodeAnsi } from './ansi-quote.ts';
import { charAt, countWord, giveUp, isAtEnd, type LineCursor, mask, nest, sees } from './line-cursor.ts';
import type { Word } from './shell-word.ts';

const WORD_END = ' \t\n;&|<>()';

const SUBSTITUTION = 'command substitution hides what it runs';
export const PROCESS_SUBSTITUTION = 'process substitution hides what it runs';

interface Draft {
  readonly parts: string[];
  unknown: boolean;
  glob: boolean;
  quoted: boolean;
  bare: boolean;
  /** How far a brace expansion has come: 0 none, 1 open, 2 with a list, 3 closed. */
  brace: 0 | 1 | 2 | 3;
  /** An open bracket that may become a set of characters. */
  bracket: boolean;
}

/** Reads one word from where the cursor stands; null where no word begins. */
export function readWord(cursor: LineCursor, ends: string = WORD_END): Word | null {
  const start = cursor.at;
  const draft: Draft = {
    parts: [],
    unknown: false,
    glob: false,
    quoted: false,
    bare: false,
    brace: 0,
    bracket: false,
  };
  while (!isAtEnd(cursor) && !ends.includes(charAt(cursor))) readPart(cursor, draft);
  if (cursor.at === start) return null;
  const raw = cursor.source.slice(start, cursor.at);
  countWord(cursor);
  return {
    text: draft.parts.join(''),
    raw,
    quoting: draft.quoted ? (draft.bare ? 'part' : 'whole') : 'none',
    unknown: draft.unknown,
    pattern: draft.glob || draft.brace === 3,
  };
}

function readPart(cursor: LineCursor, draft: Draft): void {
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
      readBackquoted(cursor, draft);
      return;
    default:
      readBare(cursor, draft, char);
  }
}

function readBare(cursor: LineCursor, draft: Draft, char: string): void {
  draft.bare = true;
  if (char === '*' || char === '?') draft.glob = true;
  if (char === '[') draft.bracket = true;
  if (char === ']' && draft.bracket) draft.glob = true;
  if (char === '{' && draft.brace === 0) draft.brace = 1;
  if (draft.brace === 1 && (char === ',' || sees(cursor, '..'))) draft.brace = 2;
  if (char === '}' && draft.brace === 2) draft.brace = 3;
  draft.parts.push(char);
  cursor.at += 1;
}

/** Outside quotes a backslash takes the meaning from what follows; before a line break both vanish. */
function readEscape(cursor: LineCursor, draft: Draft): void {
  const next = charAt(cursor, 1);
  if (next === '') {
    giveUp(cursor, 'it ends in a backslash');
    return;
  }
  if (next !== '\n') {
    draft.quoted = true;
    draft.bare = true;
    draft.parts.push(next);
  }
  cursor.at += 2;
}

function readSingleQuoted(cursor: LineCursor, draft: Draft): void {
  const start = cursor.at + 1;
  const end = cursor.source.indexOf("'", start);
  if (end < 0) {
    giveUp(cursor, 'a quote is not closed');
    return;
  }
  draft.parts.push(cursor.source.slice(start, end));
  mask(cursor, start, end);
  cursor.at = end + 1;
}

function readDoubleQuoted(cursor: LineCursor, draft: Draft): void {
  const start = cursor.at + 1;
  cursor.at = start;
  nest(cursor, () => {
    while (!isAtEnd(cursor) && charAt(cursor) !== '"') readQuotedPart(cursor, draft);
  });
  if (isAtEnd(cursor)) {
    giveUp(cursor, 'a quote is not closed');
    return;
  }
  mask(cursor, start, cursor.at);
  cursor.at += 1;
}

/** What stands between double quotes, or in a here-document whose delimiter is not quoted. */
export function readQuotedPart(cursor: LineCursor, draft: Pick<Draft, 'parts' | 'unknown'>): void {
  const char = charAt(cursor);
  if (char === '\\') {
    const next = charAt(cursor, 1);
    if (next !== '\n') draft.parts.push('$`"\\'.includes(next) ? next : `\\${next}`);
    cursor.at += 2;
  } else if (char === '$') readDollar(cursor, draft, true);
  else if (char === '`') readBackquoted(cursor, draft);
  else {
    draft.parts.push(char);
    cursor.at += 1;
  }
}

const SPECIAL_PARAMETER = /[A-Za-z0-9_@*#?$!-]/;
const NAME_CHARACTER = /[A-Za-z0-9_]/;

function readDollar(
  cursor: LineCursor,
  draft: Pick<Draft, 'parts' | 'unknown'> & Partial<Draft>,
  quoted: boolean,
): void {
  const start = cursor.at;
  const next = charAt(cursor, 1);
  if (!quoted && next === "'") {
    draft.quoted = true;
    readAnsiQuoted(cursor, draft);
    return;
  }
  if (!quoted && next === '"') {
    // A message to translate is a quoted text to us.
    cursor.at += 1;
    return;
  }
  if (sees(cursor, '$((')) readArithmetic(cursor);
  else if (next === '(') readSubstitution(cursor, 2, SUBSTITUTION);
  else if (next === '{') readBraced(cursor, quoted);
  else if (next === '[') giveUp(cursor, 'an old form of arithmetic is not understood');
  else if (SPECIAL_PARAMETER.test(next)) readName(cursor);
  else {
    draft.parts.push('$');
    draft.bare = true;
    cursor.at += 1;
    return;
  }
  draft.unknown = true;
  draft.bare = true;
  draft.parts.push(cursor.source.slice(start, cursor.at));
}

function readName(cursor: LineCursor): void {
  const isWord = /[A-Za-z_]/.test(charAt(cursor, 1));
  cursor.at += 2;
  while (isWord && NAME_CHARACTER.test(charAt(cursor))) cursor.at += 1;
}

function readAnsiQuoted(cursor: LineCursor, draft: Pick<Draft, 'parts'>): void {
  const start = cursor.at + 2;
  let end = start;
  while (end < cursor.source.length && cursor.source[end] !== "'") end += cursor.source[end] === '\\' ? 2 : 1;
  if (end >= cursor.source.length) {
    giveUp(cursor, 'a quote is not closed');
    return;
  }
  draft.parts.push(decodeAnsi(cursor.source.slice(start, end)));
  mask(cursor, start, end);
  cursor.at = end + 1;
}

/** Reads what stands in `$(…)` and `<(…)` as commands of their own, and notes that the line hides them. */
export function readSubstitution(cursor: LineCursor, opening: number, problem: string): void {
  cursor.problems.add(problem);
  cursor.at += opening;
  nest(cursor, () => cursor.readNested(cursor));
}

function readBackquoted(cursor: LineCursor, draft: Pick<Draft, 'parts' | 'unknown'>): void {
  cursor.problems.add(SUBSTITUTION);
  let end = cursor.at + 1;
  while (end < cursor.source.length && cursor.source[end] !== '`') end += cursor.source[end] === '\\' ? 2 : 1;
  if (end >= cursor.source.length) giveUp(cursor, 'a quote is not closed');
  else cursor.at = end + 1;
  draft.unknown = true;
  draft.parts.push('`');
}

const ARITHMETIC = /[\w\s+\-*/%<>=!&|^~?:,$]/;

/** `$(( … ))` computes, unless its brackets show that it is a subshell in a substitution. */
function readArithmetic(cursor: LineCursor): void {
  const start = cursor.at;
  let open = 0;
  for (cursor.at += 3; !isAtEnd(cursor); cursor.at += 1) {
    const char = charAt(cursor);
    if (char === '(') open += 1;
    else if (char === ')' && open > 0) open -= 1;
    else if (char === ')') break;
    else if (!ARITHMETIC.test(char)) break;
    if (sees(cursor, '$(')) break;
  }
  if (sees(cursor, '))')) {
    cursor.at += 2;
    return;
  }
  cursor.at = start;
  giveUp(cursor, SUBSTITUTION);
}

/** `${…}`, with whatever stands in it. */
function readBraced(cursor: LineCursor, quoted: boolean): void {
  cursor.at += 2;
  if (/[\s|]/.test(charAt(cursor))) {
    giveUp(cursor, SUBSTITUTION);
    return;
  }
  const inner: Draft = {
    parts: [],
    unknown: false,
    glob: false,
    quoted: false,
    bare: false,
    brace: 0,
    bracket: false,
  };
  nest(cursor, () => {
    while (!isAtEnd(cursor) && charAt(cursor) !== '}') {
      if (quoted && charAt(cursor) === "'") giveUp(cursor, 'a quote in quoted braces is read in two ways');
      else readPart(cursor, inner);
    }
  });
  if (isAtEnd(cursor)) giveUp(cursor, 'a brace is not closed');
  // `${x@P}` expands the value once more, commands in it included.
  else if (inner.parts.join('').endsWith('@P')) giveUp(cursor, SUBSTITUTION);
  else cursor.at += 1;
}
