import { takeHeredocs } from './heredoc.ts';
import {
  charAt,
  createCursor,
  finish,
  giveUp,
  isAtEnd,
  type LineCursor,
  nest,
  sees,
  skipComment,
} from './line-cursor.ts';
import { readCommand } from './read-command.ts';
import type { Connector, ShellLine } from './shell-word.ts';

/**
 * Splits a line as a POSIX shell or bash would. Groups, subshells, loops and functions are flattened: every
 * simple command in them is a segment. What is not understood is a problem, never a guess.
 */
export function readLine(source: string): ShellLine {
  const cursor = createCursor(source, (nested) => readCommands(nested, ')'));
  if (source.includes('\u0000')) giveUp(cursor, 'it holds a NUL');
  else readCommands(cursor, null);
  if (cursor.heredocs.length > 0) cursor.problems.add('a here-document is not closed');
  return finish(cursor);
}

/** Reads up to the bracket that closes, or to the end. */
function readCommands(cursor: LineCursor, closing: ')' | null): void {
  const cases = { open: 0 };
  while (!isAtEnd(cursor)) {
    skipSpace(cursor);
    if (isAtEnd(cursor)) break;
    const char = charAt(cursor);
    if (char === ')' && closing !== null) {
      cursor.at += 1;
      return;
    }
    if (char === '(' && charAt(cursor, 1) === '(') giveUp(cursor, 'an arithmetic command is not understood');
    else if (char === '(') readSubshell(cursor);
    else if (takeConnector(cursor, cases)) continue;
    else readCommand(cursor, cases);
  }
  if (closing !== null) giveUp(cursor, 'a bracket is not closed');
}

function readSubshell(cursor: LineCursor): void {
  const { shells } = cursor;
  cursor.at += 1;
  cursor.shellCount += 1;
  cursor.shells = [...shells, cursor.shellCount];
  nest(cursor, () => readCommands(cursor, ')'));
  cursor.shells = shells;
}

/** White space, comments, and line breaks joined by a backslash. */
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

function takeConnector(cursor: LineCursor, cases: { open: number }): boolean {
  if (charAt(cursor) === '\n') {
    cursor.at += 1;
    join(cursor, ';');
    takeHeredocs(cursor);
    return true;
  }
  if (sees(cursor, ';;') || sees(cursor, ';&')) {
    endCase(cursor, cases);
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

/** The branches of a `case` end in `;;`, and then the next pattern follows. */
function endCase(cursor: LineCursor, cases: { open: number }): void {
  if (cases.open === 0) {
    giveUp(cursor, 'two semicolons stand outside a case');
    return;
  }
  cursor.at += sees(cursor, ';;&') ? 3 : 2;
  join(cursor, ';');
  readCommand(cursor, cases, true);
}

/** A command learns what follows it once that is read. */
function join(cursor: LineCursor, next: Connector): void {
  const last = cursor.segments.at(-1);
  if (last === undefined || last.next !== 'end') return;
  cursor.segments[cursor.segments.length - 1] = { ...last, next };
}
