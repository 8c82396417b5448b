import { readExpression } from '../../contracts/policy.ts';
import { wordsWithoutGlobals } from './git-words.ts';
import { resolvePath } from './paths.ts';
import { isFixed, MASK, programOf, type Word } from './shell-word.ts';

/** An entry of `commands.deny`, ready to be matched. */
export type DenyEntry =
  | { readonly kind: 'prefix'; readonly source: string; readonly words: readonly string[] }
  | { readonly kind: 'expression'; readonly source: string; readonly expression: RegExp }
  | { readonly kind: 'broken'; readonly source: string };

export function readDenyEntry(source: string): DenyEntry {
  const read = readExpression(source);
  if (read === null) return { kind: 'prefix', source, words: source.trim().split(/\s+/) };
  try {
    const expression = new RegExp(read.body, read.flags.replace(/[gy]/g, ''));
    return { kind: 'expression', source, expression };
  } catch {
    return { kind: 'broken', source };
  }
}

/** Whether the words of a command begin with a denied prefix, or might once the shell has expanded them. */
export function startsWithPrefix(words: readonly Word[], prefix: readonly string[]): boolean {
  const [first, ...wanted] = prefix;
  const given = wordsWithoutGlobals(words);
  const [program, ...rest] = given;
  if (first === undefined || program === undefined || !isProgram(program, first)) return false;
  return covers(rest, wanted);
}

/** A denied program that is named where programs lie may get another name there. */
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

/** A name stands for the program wherever it lies; a path only for itself. */
function isProgram(word: Word, wanted: string): boolean {
  if (wanted.includes('/')) return resolvePath('/', word.text) === resolvePath('/', wanted);
  return programOf(word).replace(/\.exe$/, '') === wanted.toLowerCase();
}

/** Operands in their order; options anywhere, letters in any grouping, long names by their first letter too. */
function covers(rest: readonly Word[], wanted: readonly string[]): boolean {
  if (wanted.length === 0) return true;
  const unknownAt = rest.findIndex((word) => word.unknown || word.pattern);
  const known = unknownAt < 0 ? rest : rest.slice(0, unknownAt);
  const reached = operandsReached(
    known.map(({ text }) => text),
    wanted.filter((word) => !word.startsWith('-')),
  );
  if (reached === 'none') return false;
  if (reached === 'some') return unknownAt >= 0;
  const options = known.filter(({ text }) => text.startsWith('-')).map(({ text }) => text);
  const missing = wanted.filter((word) => word.startsWith('-') && !hasFlag(options, word));
  return missing.length === 0 || unknownAt >= 0;
}

/**
 * How far the operands of a command follow those of an entry. A word right behind an option may be its value, so
 * it counts and does not count.
 */
function operandsReached(words: readonly string[], wanted: readonly string[]): 'all' | 'some' | 'none' {
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

/** Long options may be cut short, and `-f` is what many write for `--force`. */
function abbreviates(option: string, wanted: string): boolean {
  const name = option.split('=')[0] ?? '';
  if (name.startsWith('--')) return name.length > 3 && wanted.startsWith(name);
  return name.slice(1).includes(wanted[2] ?? ' ');
}

/**
 * A command with what is only an argument blotted out. A quoted program, subcommand or option still acts as what
 * it says, and a word without white space of which a part is quoted is a disguise, not a text.
 */
export function spellOut(words: readonly Word[]): string {
  const given = wordsWithoutGlobals(words);
  return given.map((word, index) => (index === 0 ? word.text : spellWord(word, index, given))).join(' ');
}

function spellWord(word: Word, index: number, words: readonly Word[]): string {
  if (word.quoting === 'none') return word.text;
  const value = /^--?[\w-]+=/.exec(word.text)?.[0];
  if (value !== undefined) return value + MASK.repeat(word.text.length - value.length);
  const acts =
    word.quoting === 'part' || word.text.startsWith('-') || (index === 1 && programOf(words[0]) === 'git');
  return acts && !/\s/.test(word.text) ? word.text : MASK.repeat(word.text.length);
}

/** `allow` names first words as they are written; an entry of several words names all of them. */
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
