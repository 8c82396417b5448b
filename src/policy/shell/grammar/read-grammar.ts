import {
  charAt,
  closeCompound,
  isAtEnd,
  type LineCursor,
  openCompound,
  openPart,
  sees,
  skipComment,
  stopReading,
} from './line-cursor.ts';
import { readWord, skipArithmetic } from './read-word.ts';
import {
  type Assignment,
  plainWord,
  type Redirection,
  SUPPLIED_WORD,
  UNKNOWN_CONTENT,
  type Word,
} from './shell-word.ts';

/** A command while it is being read. */
export interface CommandDraft {
  readonly assignments: Assignment[];
  readonly words: Word[];
  readonly redirections: Redirection[];
  negated: boolean;
}

/** The filter relies on the meaning of these builtins, which a function of the same name would change. */
const NOT_TO_REDEFINE = new Set(['cd', 'pushd', 'popd']);

/**
 * Handles a reserved word: `skip` if the command continues, `done` if it is complete, `word` if it isn't a reserved
 * word here.
 */
export function takeGrammar(cursor: LineCursor, word: Word, draft: CommandDraft): 'skip' | 'done' | 'word' {
  if (word.text === 'time') return skipTimeOption(cursor);
  // After an assignment or a redirection, the other reserved words are program names.
  if (draft.assignments.length + draft.redirections.length > 0) return 'word';
  switch (word.text) {
    case '!':
      draft.negated = true;
      return 'skip';
    case '{':
      return skipAnd(() => openCompound(cursor, 'group', { negated: draft.negated }));
    case '}':
      return skipAnd(() => closeCompound(cursor, 'group'));
    case 'if':
      return skipAnd(() => openCompound(cursor, 'if', { negated: draft.negated }));
    case 'then':
      return skipAnd(() => openPart(cursor, ['if'], 'body'));
    case 'elif':
      return skipAnd(() => openPart(cursor, ['if'], 'condition'));
    case 'else':
      return skipAnd(() => openPart(cursor, ['if'], 'otherwise'));
    case 'fi':
      return skipAnd(() => closeCompound(cursor, 'if'));
    case 'while':
    case 'until':
      return skipAnd(() => openCompound(cursor, 'loop', { negated: draft.negated }));
    case 'do':
      return skipAnd(() => openPart(cursor, ['loop'], 'body'));
    case 'done':
      return skipAnd(() => closeCompound(cursor, 'loop'));
    case 'for':
    case 'select':
      openCompound(cursor, 'loop', { negated: draft.negated });
      return readLoopHead(cursor, draft);
    case 'case':
      openCompound(cursor, 'case', { negated: draft.negated });
      return openCase(cursor) ? 'skip' : 'done';
    case 'esac':
      return skipAnd(() => closeCompound(cursor, 'case'));
    case 'function':
      skipBlanks(cursor);
      draft.words.push(readWord(cursor) ?? SUPPLIED_WORD);
      defineFunction(cursor, draft);
      return 'done';
    case 'coproc':
      cursor.problems.add('a coprocess is not supported');
      return 'skip';
    case '[[':
      draft.words.push(word);
      readCondition(cursor, draft);
      return 'done';
    default:
      return 'word';
  }
}

function skipAnd(act: () => void): 'skip' {
  act();
  return 'skip';
}

function skipTimeOption(cursor: LineCursor): 'skip' {
  skipBlanks(cursor);
  if (sees(cursor, '-p ') || sees(cursor, '-p\t')) cursor.at += 2;
  return 'skip';
}

export function skipBlanks(cursor: LineCursor): void {
  for (;;) {
    if (charAt(cursor) === ' ' || charAt(cursor) === '\t') cursor.at += 1;
    else if (sees(cursor, '\\\n')) cursor.at += 2;
    else break;
  }
  // `#` starts a comment only at the start of a word; the caller ends the command there.
  if (charAt(cursor) === '#') skipComment(cursor);
}

/** Skips white space, comments and line breaks inside a list, a case or a condition. */
export function skipSpaces(cursor: LineCursor): void {
  while (!isAtEnd(cursor)) {
    const char = charAt(cursor);
    if (char === '#') skipComment(cursor);
    else if (sees(cursor, '\\\n')) cursor.at += 2;
    else if (char === '\n' && cursor.heredocs.length > 0)
      stopReading(cursor, 'a here-document begins too early');
    else if (' \t\n'.includes(char)) cursor.at += 1;
    else return;
  }
}

/** Reads the loop variable and the words it takes in turn. */
function readLoopHead(cursor: LineCursor, draft: CommandDraft): 'skip' | 'done' {
  skipBlanks(cursor);
  if (sees(cursor, '((')) {
    if (!skipArithmetic(cursor, 2, '))')) stopReading(cursor, 'the head of a loop is not supported');
    skipBlanks(cursor);
    return 'done';
  }
  const name = readWord(cursor)?.text;
  const add = (content: Assignment['content']): void => {
    if (name !== undefined) draft.assignments.push({ name, value: null, content, appends: false });
  };
  // Without a list of words the body may follow directly, and line breaks may precede either.
  skipSpaces(cursor);
  const start = cursor.at;
  const keyword = readWord(cursor);
  if (keyword?.raw !== 'in') {
    if (keyword?.raw === 'do' || keyword?.raw === '{') cursor.at = start;
    else if (charAt(cursor) !== ';') stopReading(cursor, 'the head of a loop is not supported');
    add(UNKNOWN_CONTENT);
    return 'done';
  }
  const words: Word[] = [];
  for (;;) {
    skipBlanks(cursor);
    const char = charAt(cursor);
    const word = isAtEnd(cursor) || char === ';' || char === '\n' ? undefined : readWord(cursor);
    if (word === null) stopReading(cursor, 'the head of a loop is not supported');
    if (word === undefined || word === null) break;
    words.push(word);
  }
  add({ kind: 'choice', words });
  return 'done';
}

function openCase(cursor: LineCursor): boolean {
  skipBlanks(cursor);
  const subject = readWord(cursor);
  skipSpaces(cursor);
  const keyword = readWord(cursor);
  if (subject === null || keyword?.raw !== 'in') {
    stopReading(cursor, 'a case is not supported');
    return false;
  }
  return readPattern(cursor);
}

/** Reads up to the parenthesis after a pattern. False if the case ends instead. */
export function readPattern(cursor: LineCursor): boolean {
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
        closeCompound(cursor, 'case');
        return false;
      }
      if (word === null) break;
    }
  }
  stopReading(cursor, 'a case is not supported');
  return false;
}

/** Inside `[[ … ]]` the shell's operators compare and group. */
function readCondition(cursor: LineCursor, draft: CommandDraft): void {
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
  stopReading(cursor, 'a condition is not closed');
}

/** Reads the head of a function; its body is the compound that follows. */
export function defineFunction(cursor: LineCursor, draft: CommandDraft): void {
  const name = draft.words.splice(0);
  skipBlanks(cursor);
  if (charAt(cursor) === '(') {
    cursor.at += 1;
    skipBlanks(cursor);
    if (charAt(cursor) !== ')') {
      stopReading(cursor, 'a bracket is misplaced');
      return;
    }
    cursor.at += 1;
  }
  const [first] = name;
  if (name.length !== 1 || first === undefined || NOT_TO_REDEFINE.has(first.text) || first.unknown)
    cursor.problems.add('a function is not supported');
  skipSpaces(cursor);
  // Some shells accept any command as the body, which then isn't run in place.
  if (/^(?:[{(]|(?:if|for|while|until|case|select)\s)/.test(cursor.source.slice(cursor.at, cursor.at + 8)))
    openCompound(cursor, 'function', { name: first?.text ?? '' });
  else cursor.problems.add('a function is not supported');
}
