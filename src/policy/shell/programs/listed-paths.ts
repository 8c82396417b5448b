import { plainWord, programOf, type Word } from '../grammar/shell-word.ts';
import { hasOption, type OptionForm, parseOptions } from './options.ts';

/** The paths that a program prints, as words for their locations; null for programs that don't print paths. */
export function listedPaths(
  program: string,
  rest: readonly Word[],
  input: readonly Word[] | null,
): readonly Word[] | null {
  switch (program) {
    case 'find':
      return rest.some(({ text }) => FIND_PRINTS_MORE.test(text)) ? null : foundPaths(rest);
    case 'ls':
      return lsPaths(rest);
    case 'grep':
    case 'egrep':
    case 'rg':
      return matchingFiles(program, rest);
    case 'fd':
    case 'fdfind':
      return fdPaths(rest);
    case 'git':
      return gitPaths(rest);
    case 'xargs': {
      const { operands } = parseOptions(rest, { letters: 'adEIJLnPRSs', stopAtOperand: true });
      const [inner, ...args] = operands;
      const isSearch = /^(?:e|f)?grep$|^rg$/.test(programOf(inner)) && printsNames(args);
      return isSearch ? input : null;
    }
    default:
      return null;
  }
}

function below(word: Word, reach: 'some' | 'all'): Word {
  return { ...word, below: word.below === 'all' ? 'all' : reach };
}

/** `ls` prints file operands as they were given, and the entries of folders without the folder. */
function lsPaths(rest: readonly Word[]): readonly Word[] {
  const parsed = parseOptions(rest);
  const isAll = hasOption(parsed, '-a', '-A', '--all', '--almost-all');
  return [...parsed.operands, below(plainWord('.'), isAll ? 'all' : 'some')];
}

/** Paths in the folder that git runs in, unless an argument leads out of it. */
function gitPaths([verb, ...rest]: readonly Word[]): readonly Word[] | null {
  const listed =
    verb?.text === 'ls-files' ||
    (verb?.text === 'grep' && printsNames(rest)) ||
    (verb?.text === 'diff' && rest.some(({ text }) => text === '--name-only'));
  const leadsOut = rest.some(
    ({ text, unknown }) => unknown || /^\/|^--no-index$|(?:^|\/)\.\.(?:\/|$)/.test(text),
  );
  return listed && !leadsOut ? [below(plainWord('.'), 'some')] : null;
}

function printsNames(words: readonly Word[]): boolean {
  return words.some(({ text }) => /^-[a-zA-Z]*[lL]|^--files(?:-with(?:out)?-match(?:es)?)?$/.test(text));
}

const GREP_FORM: OptionForm = {
  letters: 'eEfABCmdDgtTj',
  names: ['--include', '--exclude', '--exclude-dir', '--regexp', '--file', '--glob', '--type', '--max-count'],
};

function matchingFiles(program: string, rest: readonly Word[]): readonly Word[] | null {
  if (!printsNames(rest)) return null;
  const parsed = parseOptions(rest, GREP_FORM);
  const isGiven = parsed.options.some(({ name }) =>
    ['-e', '--regexp', '-f', '--file', '--files'].includes(name),
  );
  const starts = parsed.operands.slice(isGiven ? 0 : 1);
  const isRecursive = program === 'rg' || rest.some(({ text }) => /^-[a-zA-Z]*[rR]|^--recursive/.test(text));
  if (starts.length === 0) return isRecursive ? [below(plainWord('.'), 'some')] : null;
  return starts.map((word) => below(word, 'some'));
}

/** The folders that `fd` searches. */
export function fdPaths(words: readonly Word[]): readonly Word[] {
  const form = { letters: 'eEtdjS', names: ['--extension', '--exclude', '--type', '--max-depth'] };
  const [, ...starts] = parseOptions(words, form).operands;
  return (starts.length > 0 ? starts : [plainWord('.')]).map((word) => below(word, 'some'));
}

const FIND_PRINTS_MORE = /^-(?:printf|fprint.*|ls|fls|exec|execdir|ok|okdir|delete)$/;
const FIND_CHOICE = /^-i?(name|path|wholename|regex|lname)$/;

/**
 * What `find` finds: everything below the folders it searches, or some of it if it filters by name. Name filters
 * are returned as words of their own if they are paths or patterns.
 */
export function foundPaths(words: readonly Word[]): readonly Word[] {
  const starts = findStarts(words);
  const choices = words.flatMap((word, index) => {
    const kind = FIND_CHOICE.exec(word.text)?.[1];
    const value = words[index + 1];
    if (kind === undefined || value === undefined) return [];
    const isExcluded =
      /^(?:!|-not)$/.test(words[index - 1]?.text ?? '') || words[index + 2]?.text === '-prune';
    return [{ kind, value, isExcluded }];
  });
  const picked = choices.filter(({ isExcluded, value }) => !isExcluded && !value.unknown);
  const isAll = choices.length === 0 || picked.some(({ value }) => /^\*+$/.test(value.text));
  if (isAll) return starts.map((word) => below(word, 'all'));
  const named = picked.flatMap(({ kind, value }) =>
    kind === 'name'
      ? starts.map((start) => inFolder(start, value))
      : kind === 'path'
        ? [asPattern(value)]
        : [],
  );
  return [...starts.map((word) => below(word, 'some')), ...named];
}

/** `find` matches patterns itself, so quoting doesn't prevent it. */
function asPattern(word: Word): Word {
  return { ...word, pattern: /[*?[]/.test(word.text) };
}

function inFolder(folder: Word, name: Word): Word {
  const text = `${folder.text}/${name.text}`;
  return { ...folder, text, raw: text, pattern: folder.pattern || asPattern(name).pattern };
}

function findStarts(words: readonly Word[]): readonly Word[] {
  const from = words.findIndex(({ text }) => !/^-(?:[HLP]|O\d?)$/.test(text));
  const given = words.slice(Math.max(from, 0));
  const end = given.findIndex(({ text }) => /^[-(!]/.test(text));
  const named = given.slice(0, end < 0 ? given.length : end);
  return named.length === 0 ? [plainWord('.')] : named;
}
