import { addSegment, charAt, giveUp, isAtEnd, type LineCursor, sees, skipComment } from './line-cursor.ts';
import { PROCESS_SUBSTITUTION, readSubstitution, readWord } from './read-word.ts';
import {
  type Assignment,
  plainWord,
  type Redirection,
  readAssignment,
  SUPPLIED_WORD,
  type Word,
} from './shell-word.ts';

/** Words of the grammar after which a command may begin. */
const CONTROL_WORDS = new Set([
  'if',
  'then',
  'else',
  'elif',
  'fi',
  'do',
  'done',
  'while',
  'until',
  '!',
  '{',
  '}',
  'time',
]);
/** The filter goes by what these do; a function of the same name would do something else. */
const NOT_TO_REDEFINE = new Set(['cd', 'pushd', 'popd']);

interface Draft {
  readonly assignments: Assignment[];
  readonly words: Word[];
  readonly redirections: Redirection[];
  negated: boolean;
}

/** Reads one simple command, with the words of the grammar around it. */
export function readCommand(cursor: LineCursor, cases: { open: number }, inPattern = false): void {
  const draft: Draft = { assignments: [], words: [], redirections: [], negated: false };
  if (inPattern && !readPattern(cursor, cases)) return;
  while (!isAtEnd(cursor)) {
    skipBlanks(cursor);
    if (takeRedirection(cursor, draft)) continue;
    if (isAtEnd(cursor) || '\n;&|()'.includes(charAt(cursor))) break;
    const word = readWord(cursor);
    if (word === null) break;
    if (takeDescriptor(cursor, word)) continue;
    if (draft.words.length === 0 && word.quoting === 'none') {
      const taken = takeGrammar(cursor, word, cases, draft);
      if (taken === 'done') break;
      if (taken === 'skip') continue;
    }
    takeWord(cursor, word, draft);
  }
  if (charAt(cursor) === '(' && !isAtEnd(cursor) && draft.words.length > 0) defineFunction(cursor, draft);
  finishCommand(cursor, draft);
}

function finishCommand(cursor: LineCursor, draft: Draft): void {
  if (draft.words.length + draft.assignments.length + draft.redirections.length === 0) return;
  addSegment(cursor, draft);
}

function skipBlanks(cursor: LineCursor): void {
  for (;;) {
    if (charAt(cursor) === ' ' || charAt(cursor) === '\t') cursor.at += 1;
    else if (sees(cursor, '\\\n')) cursor.at += 2;
    else break;
  }
  // Only at the start of a word does it begin a comment; the caller ends the command there.
  if (charAt(cursor) === '#') skipComment(cursor);
}

function takeWord(cursor: LineCursor, word: Word, draft: Draft): void {
  const assignment = draft.words.length === 0 ? readAssignment(word) : null;
  // A subscript may hold blanks and quotes, and what follows it is the command.
  if (assignment === null && draft.words.length === 0 && /^[A-Za-z_]\w*\[/.test(word.raw))
    giveUp(cursor, 'a subscript is not understood');
  if (assignment === null) draft.words.push(word);
  else {
    draft.assignments.push(assignment);
    if (word.raw.endsWith('=') && charAt(cursor) === '(') skipList(cursor);
  }
}

/** The values of an array. */
function skipList(cursor: LineCursor): void {
  cursor.at += 1;
  while (!isAtEnd(cursor)) {
    skipSpaces(cursor);
    if (charAt(cursor) === ')') break;
    if (readWord(cursor) === null) {
      giveUp(cursor, 'a list of values is not understood');
      return;
    }
  }
  if (isAtEnd(cursor)) giveUp(cursor, 'a bracket is not closed');
  cursor.at += 1;
}

/** What the words of the grammar stand for. */
function takeGrammar(
  cursor: LineCursor,
  word: Word,
  cases: { open: number },
  draft: Draft,
): 'skip' | 'done' | 'word' {
  if (word.text === '!') draft.negated = true;
  if (word.text === 'time') skipTimeOption(cursor);
  if (word.text === 'while' || word.text === 'until') cursor.repeats = true;
  if (CONTROL_WORDS.has(word.text)) return 'skip';
  // Behind an assignment or a redirection these are names of programs.
  if (draft.assignments.length + draft.redirections.length > 0) return 'word';
  switch (word.text) {
    case 'for':
    case 'select':
      return skipLoopHead(cursor, draft);
    case 'case':
      cases.open += 1;
      return openCase(cursor, cases) ? 'skip' : 'done';
    case 'esac':
      cases.open -= 1;
      return 'skip';
    case 'function':
      skipBlanks(cursor);
      draft.words.push(readWord(cursor) ?? SUPPLIED_WORD);
      defineFunction(cursor, draft);
      return 'done';
    case 'coproc':
      giveUp(cursor, 'a coprocess is not understood');
      return 'done';
    case '[[':
      draft.words.push(word);
      readCondition(cursor, draft);
      return 'done';
    default:
      return 'word';
  }
}

function skipTimeOption(cursor: LineCursor): void {
  skipBlanks(cursor);
  if (sees(cursor, '-p ') || sees(cursor, '-p\t')) cursor.at += 2;
}

/** The variable of a loop is set as any other. */
function skipLoopHead(cursor: LineCursor, draft: Draft): 'skip' | 'done' {
  cursor.repeats = true;
  skipBlanks(cursor);
  const name = readWord(cursor);
  if (name !== null) draft.assignments.push({ name: name.text, value: null });
  // Without a list of words the body may follow at once, and line breaks may come before either.
  skipSpaces(cursor);
  const start = cursor.at;
  const keyword = readWord(cursor);
  if (keyword?.raw !== 'in') {
    if (keyword?.raw === 'do' || keyword?.raw === '{') cursor.at = start;
    else if (charAt(cursor) !== ';') giveUp(cursor, 'the head of a loop is not understood');
    return 'done';
  }
  for (;;) {
    skipBlanks(cursor);
    const char = charAt(cursor);
    if (isAtEnd(cursor) || char === ';' || char === '\n') return 'done';
    if (readWord(cursor) === null) {
      giveUp(cursor, 'the head of a loop is not understood');
      return 'done';
    }
  }
}

function openCase(cursor: LineCursor, cases: { open: number }): boolean {
  skipBlanks(cursor);
  const subject = readWord(cursor);
  skipSpaces(cursor);
  const keyword = readWord(cursor);
  if (subject === null || keyword?.raw !== 'in') {
    giveUp(cursor, 'a case is not understood');
    return false;
  }
  return readPattern(cursor, cases);
}

/** Up to the bracket after a pattern. False where the case ends instead. */
function readPattern(cursor: LineCursor, cases: { open: number }): boolean {
  skipSpaces(cursor);
  if (charAt(cursor) === '(') cursor.at += 1;
  while (!isAtEnd(cursor)) {
    skipSpaces(cursor);
    const char = charAt(cursor);
    if (char === ')') {
      cursor.at += 1;
      return true;
    }
    if (char === '|') cursor.at += 1;
    else {
      const word = readWord(cursor);
      if (word?.raw === 'esac') {
        cases.open -= 1;
        return false;
      }
      if (word === null) break;
    }
  }
  giveUp(cursor, 'a case is not understood');
  return false;
}

/** White space, comments and line breaks inside a list, a case or a condition. */
function skipSpaces(cursor: LineCursor): void {
  while (!isAtEnd(cursor)) {
    const char = charAt(cursor);
    if (char === '#') skipComment(cursor);
    else if (sees(cursor, '\\\n')) cursor.at += 2;
    else if (char === '\n' && cursor.heredocs.length > 0) giveUp(cursor, 'a here-document begins too early');
    else if (' \t\n'.includes(char)) cursor.at += 1;
    else return;
  }
}

/** Inside `[[ … ]]` the signs of the shell compare and group. */
function readCondition(cursor: LineCursor, draft: Draft): void {
  while (!isAtEnd(cursor)) {
    skipSpaces(cursor);
    if ((charAt(cursor) === '<' || charAt(cursor) === '>') && charAt(cursor, 1) === '(') break;
    const start = cursor.at;
    const word = readWord(cursor, ' \t\n;');
    if (word === null) break;
    if (/^\]\][&|<>()]/.test(word.raw)) {
      cursor.at = start + 2;
      draft.words.push(plainWord(']]'));
      return;
    }
    draft.words.push(word);
    if (word.raw === ']]') return;
  }
  giveUp(cursor, 'a condition is not closed');
}

/** The body is read like any other command; only the name is of no further concern. */
function defineFunction(cursor: LineCursor, draft: Draft): void {
  const name = draft.words.splice(0);
  cursor.repeats = true;
  skipBlanks(cursor);
  if (charAt(cursor) === '(') {
    cursor.at += 1;
    skipBlanks(cursor);
    if (charAt(cursor) !== ')') {
      giveUp(cursor, 'a bracket stands where none belongs');
      return;
    }
    cursor.at += 1;
  }
  const [first] = name;
  if (name.length !== 1 || first === undefined || NOT_TO_REDEFINE.has(first.text) || first.unknown)
    giveUp(cursor, 'a function is not understood');
  skipSpaces(cursor);
  // Some shells take any command for a body, which then is not run where it stands.
  if (
    !/^(?:[{(]|\[\[|(?:if|for|while|until|case|select)\s)/.test(cursor.source.slice(cursor.at, cursor.at + 8))
  )
    giveUp(cursor, 'a function is not understood');
}

/** `2>` and `{fd}>` name what is redirected. */
function takeDescriptor(cursor: LineCursor, word: Word): boolean {
  const next = charAt(cursor);
  return (next === '<' || next === '>') && /^(?:\d+|\{[A-Za-z_]\w*\})$/.test(word.raw);
}

const OPERATORS = ['&>>', '&>', '<<<', '<<-', '<<', '<&', '<>', '<', '>>', '>|', '>&', '>'] as const;

function takeRedirection(cursor: LineCursor, draft: Draft): boolean {
  if (sees(cursor, '<(') || sees(cursor, '>(')) {
    readSubstitution(cursor, 2, PROCESS_SUBSTITUTION);
    draft.words.push(SUPPLIED_WORD);
    return true;
  }
  const operator = OPERATORS.find((candidate) => sees(cursor, candidate));
  if (operator === undefined) return false;
  cursor.at += operator.length;
  skipBlanks(cursor);
  if (sees(cursor, '<(') || sees(cursor, '>(')) {
    readSubstitution(cursor, 2, PROCESS_SUBSTITUTION);
    return true;
  }
  const target = readWord(cursor);
  if (target === null) {
    giveUp(cursor, 'a redirection leads nowhere');
    return true;
  }
  if (operator === '<<' || operator === '<<-') {
    cursor.heredocs.push({
      delimiter: target.text,
      literal: target.quoting !== 'none',
      stripTabs: operator === '<<-',
    });
    draft.redirections.push({ operator: '<<', target });
  } else draft.redirections.push({ operator, target });
  return true;
}
