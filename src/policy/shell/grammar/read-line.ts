import {
  addSegment,
  charAt,
  createCursor,
  finish,
  type Heredoc,
  isAtEnd,
  join,
  type LineCursor,
  mask,
  nest,
  openPart,
  readInside,
  sees,
  skipComment,
  stopReading,
} from './line-cursor.ts';
import { readCommand } from './read-command.ts';
import { readPattern } from './read-grammar.ts';
import { readQuotedPart, skipArithmetic } from './read-word.ts';
import {
  type Assignment,
  type Connector,
  plainWord,
  quotedWord,
  type ShellLine,
  type Word,
} from './shell-word.ts';
import { createDraft, wordOf } from './word-draft.ts';

/**
 * Splits a line as a POSIX shell or bash would, into commands and the compounds that contain them. Anything that
 * can't be parsed is reported as a problem, never guessed.
 */
export function readLine(source: string): ShellLine {
  return readText(source, 0);
}

function readText(source: string, depth: number): ShellLine {
  const cursor = createCursor(source, { readNested: (nested) => readCommands(nested, ')'), readText }, depth);
  if (source.includes('\u0000')) {
    cursor.isTooLarge = true;
    stopReading(cursor, 'it contains a NUL character');
  } else readCommands(cursor, null);
  if (cursor.heredocs.length > 0) cursor.problems.add('a here-document is not closed');
  return finish(cursor);
}

/** Reads up to the closing parenthesis, or to the end. */
function readCommands(cursor: LineCursor, closing: ')' | null): void {
  while (!isAtEnd(cursor)) {
    skipSpace(cursor);
    if (isAtEnd(cursor)) break;
    const char = charAt(cursor);
    if (char === ')' && closing !== null) {
      cursor.at += 1;
      return;
    }
    if (char === '(') {
      if (!takeArithmetic(cursor)) readSubshell(cursor);
    } else if (!takeConnector(cursor)) readCommand(cursor);
  }
  if (closing !== null) stopReading(cursor, 'a bracket is not closed');
}

function readSubshell(cursor: LineCursor): void {
  cursor.at += 1;
  readInside(cursor, 'subshell', () => readCommands(cursor, ')'));
}

const CHANGED =
  /([A-Za-z_]\w*)\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)|([A-Za-z_]\w*)(?:\+\+|--)|(?:\+\+|--)([A-Za-z_]\w*)/g;

/** Treats `((…))` as arithmetic, unless it looks like commands: some shells read it as two nested subshells. */
function takeArithmetic(cursor: LineCursor): boolean {
  const start = cursor.at;
  if (!sees(cursor, '((') || !skipArithmetic(cursor, 2, '))')) return false;
  const text = cursor.source.slice(start + 2, cursor.at - 2);
  if (/[\w)]\s+[A-Za-z_]|[A-Za-z_]-[A-Za-z_]|;/.test(text)) {
    cursor.at = start;
    return false;
  }
  const names = [...text.matchAll(CHANGED)].flatMap(([, set, after, before]) => set ?? after ?? before ?? []);
  const assignments = names.map(
    (name): Assignment => ({
      name,
      value: '0',
      content: { kind: 'word', word: plainWord('0') },
      appends: false,
    }),
  );
  addSegment(cursor, { assignments, words: [], redirections: [], negated: true });
  return true;
}

/** Skips white space, comments, and line breaks joined by a backslash. */
function skipSpace(cursor: LineCursor): void {
  while (!isAtEnd(cursor)) {
    const char = charAt(cursor);
    if (char === ' ' || char === '\t') cursor.at += 1;
    else if (sees(cursor, '\\\n')) cursor.at += 2;
    else if (char === '#') skipComment(cursor);
    else return;
  }
}

const CONNECTORS: readonly (readonly [string, Connector])[] = [
  ['&&', '&&'],
  ['||', '||'],
  ['|&', '|'],
  ['|', '|'],
  ['&', '&'],
  [';', ';'],
];

function takeConnector(cursor: LineCursor): boolean {
  if (charAt(cursor) === '\n') {
    cursor.at += 1;
    join(cursor, ';');
    takeHeredocs(cursor);
    return true;
  }
  if (sees(cursor, ';;') || sees(cursor, ';&')) {
    endBranch(cursor);
    return true;
  }
  if (sees(cursor, '&>')) return false;
  const found = CONNECTORS.find(([text]) => sees(cursor, text));
  if (found === undefined) {
    if (charAt(cursor) !== ')') return false;
    stopReading(cursor, 'a closing bracket has no opening one');
    return true;
  }
  cursor.at += found[0].length;
  join(cursor, found[1]);
  return true;
}

/** A `case` branch ends with `;;`, and the next pattern follows. */
function endBranch(cursor: LineCursor): void {
  if (cursor.open.at(-1)?.compound.shape !== 'case') {
    stopReading(cursor, '`;;` is outside a case');
    return;
  }
  cursor.at += sees(cursor, ';;&') ? 3 : 2;
  join(cursor, ';');
  openPart(cursor, ['case'], 'body');
  readPattern(cursor);
}

/** Reads the here-document bodies announced on the line before the cursor. */
function takeHeredocs(cursor: LineCursor): void {
  for (const heredoc of cursor.heredocs.splice(0)) takeBody(cursor, heredoc);
}

function takeBody(cursor: LineCursor, heredoc: Heredoc): void {
  const start = cursor.at;
  for (let line = start; line <= cursor.source.length; ) {
    const found = cursor.source.indexOf('\n', line);
    const end = found < 0 ? cursor.source.length : found;
    const text = cursor.source.slice(line, end);
    if ((heredoc.stripTabs ? text.replace(/^\t+/, '') : text) === heredoc.delimiter) {
      if (!heredoc.literal && isContinued(cursor.source, start, line)) break;
      heredoc.body.word = heredoc.literal
        ? literalBody(cursor.source.slice(start, line), heredoc)
        : readExpansions(cursor, line);
      mask(cursor, start, line);
      cursor.at = end;
      return;
    }
    if (found < 0) break;
    line = end + 1;
  }
  stopReading(cursor, 'a here-document is not closed');
}

/** Whether a backslash joins the next line to this one, so that some shells don't see a delimiter. */
function isContinued(source: string, start: number, line: number): boolean {
  let first = line - 1;
  while (first > start && source[first - 1] === '\\') first -= 1;
  return (line - 1 - first) % 2 === 1;
}

function literalBody(text: string, { stripTabs }: Heredoc): Word {
  return quotedWord(stripTabs ? text.replaceAll(/^\t+/gm, '') : text);
}

/** With an unquoted delimiter, the shell expands the body, including command substitutions. */
function readExpansions(cursor: LineCursor, end: number): Word {
  const draft = { ...createDraft(), quoted: true };
  const start = cursor.at;
  nest(cursor, () => {
    while (!isAtEnd(cursor) && cursor.at < end) readQuotedPart(cursor, draft, end);
  });
  return wordOf(draft, cursor.source.slice(start, end));
}
