import { takeHeredocs } from './heredoc.ts';
import {
  addSegment,
  charAt,
  createCursor,
  finish,
  giveUp,
  isAtEnd,
  join,
  type LineCursor,
  openPart,
  readInside,
  sees,
  skipComment,
} from './line-cursor.ts';
import { readCommand } from './read-command.ts';
import { readPattern } from './read-grammar.ts';
import { skipArithmetic } from './read-word.ts';
import { type Assignment, type Connector, plainWord, type ShellLine } from './shell-word.ts';

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
    giveUp(cursor, 'it holds a NUL');
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
  if (closing !== null) giveUp(cursor, 'a bracket is not closed');
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
      adds: false,
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
    giveUp(cursor, 'a bracket closes nothing');
    return true;
  }
  cursor.at += found[0].length;
  join(cursor, found[1]);
  return true;
}

/** A `case` branch ends with `;;`, and the next pattern follows. */
function endBranch(cursor: LineCursor): void {
  if (cursor.open.at(-1)?.compound.shape !== 'case') {
    giveUp(cursor, 'two semicolons stand outside a case');
    return;
  }
  cursor.at += sees(cursor, ';;&') ? 3 : 2;
  join(cursor, ';');
  openPart(cursor, ['case'], 'body');
  readPattern(cursor);
}
