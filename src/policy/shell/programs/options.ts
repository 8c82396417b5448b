import type { Word } from '../grammar/shell-word.ts';

/** Which options of a program take a value. */
export interface OptionForm {
  /** Letters of short options whose value may be the next word. */
  readonly letters?: string;
  /** Letters of short options whose value can only be the rest of their word. */
  readonly clusterValues?: string;
  /** Long options whose value may be the next word. */
  readonly names?: readonly string[];
  /** The words after the first operand belong to another program. */
  readonly stopAtOperand?: boolean;
}

export interface Parsed {
  readonly options: readonly { readonly name: string; readonly value: Word | null }[];
  readonly operands: readonly Word[];
}

/** Separates options from operands, as getopt does. */
export function parseOptions(words: readonly Word[], form: OptionForm = {}): Parsed {
  const options: { name: string; value: Word | null }[] = [];
  const operands: Word[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index];
    if (word === undefined) break;
    if (word.text === '--') return { options, operands: operands.concat(words.slice(index + 1)) };
    if (!word.text.startsWith('-') || word.text === '-') {
      if (form.stopAtOperand === true) return { options, operands: words.slice(index) };
      operands.push(word);
      continue;
    }
    const read = word.text.startsWith('--') ? longOption(word, form) : shortOptions(word, form);
    if (read.needsValue) index += 1;
    const value = read.needsValue ? (words[index] ?? null) : read.value;
    read.names.forEach((name, position) => {
      options.push({ name, value: position === read.names.length - 1 ? value : null });
    });
  }
  return { options, operands };
}

interface ReadOption {
  readonly names: readonly string[];
  readonly value: Word | null;
  readonly needsValue: boolean;
}

function longOption(word: Word, form: OptionForm): ReadOption {
  const at = word.text.indexOf('=');
  if (at >= 0) return { names: [word.text.slice(0, at)], value: sliceWord(word, at + 1), needsValue: false };
  const needsValue =
    form.names?.some((name) => (OWN_NAMES.has(word.text) ? name === word.text : isNamed(word.text, name))) ??
    false;
  return { names: [word.text], value: null, needsValue };
}

/** Complete options that are also prefixes of longer ones. */
const OWN_NAMES = new Set(['--force', '--file', '--output', '--exec', '--set-upstream', '--strategy']);

/** Long names may be abbreviated. */
function isNamed(option: string, name: string): boolean {
  return option === name || (option.startsWith('--') && option.length > 3 && name.startsWith(option));
}

function shortOptions(word: Word, form: OptionForm): ReadOption {
  const names: string[] = [];
  const letters = Array.from(word.text.slice(1));
  for (const [index, letter] of letters.entries()) {
    names.push(`-${letter}`);
    // `-i.bak` has a value, but `-pi -e` is three options.
    if (
      form.clusterValues?.includes(letter) === true &&
      !/^[a-zA-Z]*$/.test(letters.slice(index + 1).join(''))
    )
      return { names, value: sliceWord(word, index + 2), needsValue: false };
    if (form.letters?.includes(letter) !== true) continue;
    const value = letters.slice(index + 1).join('');
    return value === ''
      ? { names, value: null, needsValue: true }
      : { names, value: sliceWord(word, word.text.length - value.length), needsValue: false };
  }
  return { names, value: null, needsValue: false };
}

function sliceWord(word: Word, from: number): Word {
  return { ...word, text: word.text.slice(from), raw: word.text.slice(from), quoting: 'whole' };
}

export function hasOption(parsed: Parsed, ...names: readonly string[]): boolean {
  return parsed.options.some((option) => names.some((name) => isNamed(option.name, name)));
}

export function optionValues(parsed: Parsed, ...names: readonly string[]): Word[] {
  return parsed.options.flatMap((option) =>
    option.value !== null && names.some((name) => isNamed(option.name, name)) ? [option.value] : [],
  );
}
