import {
  addSegment,
  charAt,
  isAtEnd,
  type LineCursor,
  redirectLast,
  sees,
  stopReading,
} from './line-cursor.ts';
import { type CommandDraft, defineFunction, skipBlanks, skipSpaces, takeGrammar } from './read-grammar.ts';
import { readSubstitution, readWord } from './read-word.ts';
import {
  type Assignment,
  plainWord,
  quotedWord,
  type Redirection,
  readAssignment,
  UNKNOWN_CONTENT,
  type Word,
} from './shell-word.ts';

/** Reads one simple command, including the reserved words around it. */
export function readCommand(cursor: LineCursor): void {
  const draft: CommandDraft = { assignments: [], words: [], redirections: [], negated: false };
  while (!isAtEnd(cursor)) {
    skipBlanks(cursor);
    if (takeRedirection(cursor, draft)) continue;
    if (isAtEnd(cursor) || '\n;&|()'.includes(charAt(cursor))) break;
    if (draft.words.length === 0 && takeElement(cursor, draft)) continue;
    const word = readWord(cursor);
    if (word === null) break;
    if (takeDescriptor(cursor, word)) continue;
    if (draft.words.length === 0 && word.quoting === 'none') {
      const taken = takeGrammar(cursor, word, draft);
      if (taken === 'done') break;
      if (taken === 'skip') continue;
    }
    takeWord(cursor, word, draft);
  }
  if (charAt(cursor) === '(' && !isAtEnd(cursor) && draft.words.length > 0) defineFunction(cursor, draft);
  finishCommand(cursor, draft);
}

function finishCommand(cursor: LineCursor, draft: CommandDraft): void {
  const { words, assignments, redirections } = draft;
  if (words.length + assignments.length + redirections.length === 0) return;
  if (words.length + assignments.length === 0 && redirectLast(cursor, redirections)) return;
  addSegment(cursor, draft);
}

const DECLARATION_BUILTINS = new Set(['export', 'declare', 'typeset', 'readonly', 'local']);

function takeWord(cursor: LineCursor, word: Word, draft: CommandDraft): void {
  const [first] = draft.words;
  const isFirst = first === undefined;
  const assignment = isFirst ? readAssignment(word) : null;
  // A subscript may contain blanks and quotes, and the command follows after it.
  if (assignment === null && isFirst && /^[A-Za-z_]\w*\[/.test(word.raw))
    stopReading(cursor, 'a subscript is not supported');
  const isList = word.raw.endsWith('=') && charAt(cursor) === '(';
  if (assignment === null) {
    draft.words.push(word);
    if (isList && first !== undefined && DECLARATION_BUILTINS.has(first.text)) readList(cursor);
  } else draft.assignments.push(isList ? { ...assignment, content: readList(cursor) } : assignment);
}

const ELEMENT = /([A-Za-z_]\w*)\[(?:[^\]"'`$\\\n]|"[^"`$\\]*"|'[^']*')*\]\+?=/y;

/** `x[1 + 1]=value` sets one element of an array. */
function takeElement(cursor: LineCursor, draft: CommandDraft): boolean {
  ELEMENT.lastIndex = cursor.at;
  const [whole, name] = ELEMENT.exec(cursor.source) ?? [];
  if (whole === undefined || name === undefined) return false;
  cursor.at += whole.length;
  const word = ' \t\n;&|<>()'.includes(charAt(cursor)) ? plainWord('') : (readWord(cursor) ?? plainWord(''));
  const value = word.unknown ? null : word.text;
  draft.assignments.push({ name, value, content: UNKNOWN_CONTENT, appends: false });
  return true;
}

/** Reads the values of an array. */
function readList(cursor: LineCursor): Assignment['content'] {
  const words: Word[] = [];
  cursor.at += 1;
  while (!isAtEnd(cursor)) {
    skipSpaces(cursor);
    if (charAt(cursor) === ')') break;
    const word = readWord(cursor);
    if (word === null) {
      stopReading(cursor, 'an array literal is not supported');
      return UNKNOWN_CONTENT;
    }
    words.push(word);
  }
  if (isAtEnd(cursor)) stopReading(cursor, 'a bracket is not closed');
  cursor.at += 1;
  return words.some(({ raw }) => raw.startsWith('[')) ? UNKNOWN_CONTENT : { kind: 'list', words };
}

/** `2>` and `{fd}>` name the redirected descriptor. */
function takeDescriptor(cursor: LineCursor, word: Word): boolean {
  const next = charAt(cursor);
  return (next === '<' || next === '>') && /^(?:\d+|\{[A-Za-z_]\w*\})$/.test(word.raw);
}

const OPERATORS = ['&>>', '&>', '<<<', '<<-', '<<', '<&', '<>', '<', '>>', '>|', '>&', '>'] as const;

/** The file from which `<(…)` is read or to which `>(…)` is written. */
const PROCESS_FILE = '/dev/fd/63';

function takeRedirection(cursor: LineCursor, draft: CommandDraft): boolean {
  if (sees(cursor, '<(') || sees(cursor, '>(')) {
    const start = cursor.at;
    readSubstitution(cursor);
    draft.words.push({ ...plainWord(PROCESS_FILE), raw: cursor.source.slice(start, cursor.at) });
    return true;
  }
  const operator = OPERATORS.find((candidate) => sees(cursor, candidate));
  if (operator === undefined) return false;
  cursor.at += operator.length;
  skipBlanks(cursor);
  if (sees(cursor, '<(') || sees(cursor, '>(')) {
    const input = readSubstitution(cursor);
    if (operator === '<') draft.redirections.push({ ...redirection('<', plainWord(PROCESS_FILE)), input });
    return true;
  }
  const target = readWord(cursor);
  if (target === null) {
    stopReading(cursor, 'a redirection has no target');
    return true;
  }
  if (operator === '<<' || operator === '<<-') {
    const body = { word: { ...quotedWord(''), unknown: true } };
    const literal = target.quoting !== 'none';
    cursor.heredocs.push({ delimiter: target.text, literal, stripTabs: operator === '<<-', body });
    draft.redirections.push({ ...redirection('<<', target), body });
  } else draft.redirections.push(redirection(operator, target));
  return true;
}

function redirection(operator: Redirection['operator'], target: Word): Redirection {
  return { operator, target, body: null, input: null };
}
