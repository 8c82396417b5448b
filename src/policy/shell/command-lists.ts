import { RE2JS } from 're2js';
import { readExpression } from '../../contracts/documents/policy.ts';
import { resolveFrom } from '../../text/paths.ts';
import { matchesGlob } from '../globs.ts';
import { wordsWithoutGlobals } from './git/git-words.ts';
import { isFixed, MASK, programOf, type Word } from './grammar/shell-word.ts';

/** A compiled entry of `commands.deny`. */
export type DenyEntry =
  | { readonly kind: 'prefix'; readonly source: string; readonly words: readonly string[] }
  | { readonly kind: 'expression'; readonly source: string; readonly expression: Expression }
  | { readonly kind: 'broken'; readonly source: string };

export function readDenyEntry(source: string): DenyEntry {
  const read = readExpression(source);
  if (read === null) return { kind: 'prefix', source, words: source.trim().split(/\s+/) };
  const expression = compileExpression(read.body, read.flags);
  return expression === null ? { kind: 'broken', source } : { kind: 'expression', source, expression };
}

/** Whether a command starts with a denied prefix, or might once the shell has expanded its words. */
export function startsWithPrefix(words: readonly Word[], prefix: readonly string[]): boolean {
  const [first, ...wanted] = prefix;
  const given = wordsWithoutGlobals(words);
  const [program, ...rest] = given;
  if (first === undefined || program === undefined || !isProgram(program, first)) return false;
  return covers(rest, wanted);
}

/** Whether an argument is the path of a denied program in a `bin` folder: the command could give it another name. */
export function namesProgram(words: readonly Word[], prefix: readonly string[]): boolean {
  return words
    .slice(1)
    .some(
      (word) =>
        word.quoting === 'none' &&
        /^(?:\/usr|\/usr\/local)?\/s?bin\//.test(word.text) &&
        isProgram(word, prefix[0] ?? ''),
    );
}

/** A bare name matches the program in any folder; a path matches only itself. */
function isProgram(word: Word, wanted: string): boolean {
  if (wanted.includes('/')) return resolveFrom('/', word.text) === resolveFrom('/', wanted);
  return programOf(word).replace(/\.exe$/, '') === wanted.toLowerCase();
}

/**
 * Operands must match in order; options match anywhere, in any grouping of letters, and long options by their first
 * letter too.
 */
function covers(rest: readonly Word[], wanted: readonly string[]): boolean {
  if (wanted.length === 0) return true;
  const operands = wanted.filter((word) => !word.startsWith('-'));
  const flags = wanted.filter((word) => word.startsWith('-'));
  const unknownAt = rest.findIndex((word) => mayExpandTo(word, operands, flags));
  const known = unknownAt < 0 ? rest : rest.slice(0, unknownAt);
  const reached = matchOperands(
    known.map(({ text }) => text),
    operands,
  );
  if (reached === 'none') return false;
  if (reached === 'some') return unknownAt >= 0;
  const options = known.filter(({ text }) => text.startsWith('-')).map(({ text }) => text);
  const missing = flags.filter((word) => !hasFlag(options, word));
  return missing.length === 0 || unknownAt >= 0;
}

/** Longer patterns are not matched; they count as a possible match. */
const MAX_PATTERN = 512;

/** Whether the shell could expand a word to a word of the entry. */
function mayExpandTo(word: Word, operands: readonly string[], flags: readonly string[]): boolean {
  if (word.below !== null) return false;
  if (word.unknown) {
    const [first] = word.pieces ?? [];
    const head = first?.kind === 'text' ? first.text : '';
    return head === '' || head.startsWith('-') || operands.some((wanted) => wanted.startsWith(head));
  }
  if (!word.pattern) return false;
  // A pattern can expand to a file that is named like an option, but not to an option with a suffix.
  if (word.text.length > MAX_PATTERN || /[{(]/.test(word.text)) return true;
  const spellings = flags.flatMap((flag) => [
    flag,
    ...Array.from(flag.replace(/^-+/, ''), (letter) => `-${letter}`),
  ]);
  return [...operands, ...spellings].some((wanted) => matchesGlob(word.text, wanted));
}

/**
 * How far the operands of a command match those of an entry. A word after an option may be its value, so both
 * readings are tracked: as an operand and as a value.
 */
function matchOperands(words: readonly string[], wanted: readonly string[]): 'all' | 'some' | 'none' {
  let reached = new Set([0]);
  for (const [index, word] of words.entries()) {
    if (reached.has(wanted.length)) return 'all';
    if (word.startsWith('-')) continue;
    const before = words[index - 1] ?? '';
    const mayBeValue = before.startsWith('-') && !before.includes('=');
    const further = [...reached].filter((count) => wanted[count] === word).map((count) => count + 1);
    reached = new Set([...(mayBeValue ? reached : []), ...further]);
    if (reached.size === 0) return 'none';
  }
  return reached.has(wanted.length) ? 'all' : 'some';
}

function hasFlag(options: readonly string[], wanted: string): boolean {
  if (wanted.startsWith('--') || wanted === '-')
    return options.some(
      (option) => option === wanted || option.startsWith(`${wanted}=`) || abbreviates(option, wanted),
    );
  if (options.includes(wanted)) return true;
  const letters = new Set(
    options
      .flatMap((option) => (option.startsWith('--') ? [option[2] ?? ''] : Array.from(option.slice(1))))
      .map((letter) => letter.toLowerCase()),
  );
  return Array.from(wanted.slice(1)).every((letter) => letters.has(letter.toLowerCase()));
}

/** Long options may be abbreviated, and `-f` is a common short form of `--force`. */
function abbreviates(option: string, wanted: string): boolean {
  const name = option.split('=')[0] ?? '';
  if (name.startsWith('--')) return name.length > 3 && wanted.startsWith(name);
  return name.slice(1).includes(wanted[2] ?? ' ');
}

/**
 * A command with its plain arguments masked. A quoted program, subcommand or option still takes effect, and a
 * partly quoted word without white space is a disguise rather than text.
 */
export function spellOut(words: readonly Word[]): string {
  const given = wordsWithoutGlobals(words);
  return given.map((word, index) => (index === 0 ? word.text : maskArgument(word, index, given))).join(' ');
}

function maskArgument(word: Word, index: number, words: readonly Word[]): string {
  if (word.quoting === 'none') return word.text;
  const value = /^--?[\w-]+=/.exec(word.text)?.[0];
  if (value !== undefined) return value + MASK.repeat(word.text.length - value.length);
  const takesEffect =
    word.quoting === 'part' || word.text.startsWith('-') || (index === 1 && programOf(words[0]) === 'git');
  return takesEffect && !/\s/.test(word.text) ? word.text : MASK.repeat(word.text.length);
}

/**
 * An entry of `allow` matches the first words of a command literally; if it has several words, all of them must
 * match.
 */
export function isAllowedBy(words: readonly Word[], allow: readonly string[]): boolean {
  const given = wordsWithoutGlobals(words);
  return allow.some((entry) =>
    entry
      .trim()
      .split(/\s+/)
      .every((wanted, index) => {
        const word = given[index];
        return word !== undefined && isFixed(word) && word.text === wanted;
      }),
  );
}

/** A regular expression of a policy. It runs in linear time, while JavaScript's own may take exponential time. */
interface Expression {
  readonly test: (text: string) => boolean;
}

/** Null if it isn't a valid regular expression, or can't be matched in linear time. */
export function compileExpression(body: string, flags: string): Expression | null {
  const options =
    (flags.includes('i') ? RE2JS.CASE_INSENSITIVE : 0) |
    (flags.includes('m') ? RE2JS.MULTILINE : 0) |
    (flags.includes('s') ? RE2JS.DOTALL : 0);
  try {
    return RE2JS.compile(RE2JS.translateRegExp(body), options);
  } catch {
    return null;
  }
}
