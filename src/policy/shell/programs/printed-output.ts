import { isFixed, plainWord, programOf, type Word } from '../grammar/shell-word.ts';
import { listedPaths } from './listed-paths.ts';
import { optionValues, parseOptions } from './options.ts';

/** The known output of a command. */
export interface Output {
  /** Its lines, each as a word. */
  readonly words: readonly Word[];
  /** The whole text; null if only the kind of its lines is known. */
  readonly text: string | null;
}

/** Where the printing command runs. */
export interface PrintingPlace {
  /** Null if unknown or ambiguous. */
  readonly folder: string | null;
  readonly workspace: string;
  readonly temporary: readonly string[];
}

/** The output of a command as far as its words and its input determine it; null if they don't. */
export function printedOutput(
  words: readonly Word[],
  input: Output | null,
  place: PrintingPlace,
): Output | null {
  const [first, ...rest] = words;
  const program = programOf(first);
  const listed = listedPaths(program, rest, input?.words ?? null);
  if (listed !== null) return { words: listed, text: null };
  if (isFilter(program, rest))
    return input === null ? null : { words: input.words, text: program === 'cat' ? input.text : null };
  if (program === 'printf') return printfOutput(rest);
  const printed = printedWord(program, rest, place);
  if (printed === null) return null;
  return isFixed(printed) ? textOutput(printed.text) : { words: [printed], text: null };
}

/** Splits a text into its lines. */
export function textOutput(text: string): Output {
  const lines = text.split('\n').filter((line) => line !== '');
  return { words: lines.map(plainWord), text };
}

/** Programs that pass on some of the lines they read, in any order. */
function isFilter(program: string, rest: readonly Word[]): boolean {
  const { operands } = parseOptions(rest, { letters: 'nkteABCmcs', names: ['--lines', '--key', '--regexp'] });
  switch (program) {
    case 'sort':
    case 'uniq':
    case 'head':
    case 'tail':
    case 'cat':
    case 'tac':
    case 'shuf':
      return operands.length === 0;
    case 'grep':
    case 'egrep':
    case 'fgrep':
      return (
        operands.length <= 1 && !rest.some(({ text }) => /^-[a-zA-Z]*[ocr]|^--(?:only|count)/.test(text))
      );
    default:
      return false;
  }
}

function printedWord(program: string, rest: readonly Word[], place: PrintingPlace): Word | null {
  const { operands } = parseOptions(rest);
  const [operand, second] = operands;
  switch (program) {
    case 'pwd':
      return place.folder === null ? null : plainWord(place.folder);
    case 'echo':
      return echoOutput(rest);
    case 'mktemp':
      return temporaryPath(rest, place);
    case 'dirname':
      return operand !== undefined && isFixed(operand) ? plainWord(folderPart(operand.text)) : null;
    case 'basename':
      return operand !== undefined &&
        !operand.unknown &&
        operand.below === null &&
        rest.length === operands.length
        ? { ...operand, text: baseNamePart(operand.text, second?.text ?? '') }
        : null;
    case 'realpath':
      return operand !== undefined && isFixed(operand) && operands.length === 1 ? operand : null;
    case 'which':
      return operand !== undefined && isFixed(operand) ? plainWord(operand.text) : null;
    case 'command':
      return rest[0]?.text === '-v' && rest[1] !== undefined && isFixed(rest[1]) ? rest[1] : null;
    case 'seq':
    case 'nproc':
      return rest.every(({ text, unknown }) => unknown || /^-?[\d.]+$/.test(text)) ? plainWord('1') : null;
    case 'whoami':
    case 'hostname':
    case 'uname':
    case 'arch':
      return plainWord('name');
    case 'id':
      return rest.some(({ text }) => text === '-u' || text === '-g') ? plainWord('1') : null;
    case 'wc':
      return operands.length === 0 ? plainWord('1') : null;
    case 'date':
      return rest.every((word) => isFixed(word) && !word.text.slice(1).includes('/')) && rest.length > 0
        ? plainWord('2000')
        : null;
    case 'git':
      return gitOutput(rest, place);
    default:
      return null;
  }
}

function echoOutput(rest: readonly Word[]): Word | null {
  const words = rest.filter(({ text }, index) => index > 0 || !/^-[neE]+$/.test(text));
  const [only] = words;
  // Some shells interpret backslash escapes.
  if (words.some(({ text }) => text.includes('\\'))) return null;
  if (only !== undefined && words.length === 1 && !only.unknown) return only;
  return words.every(isFixed) ? plainWord(words.map(({ text }) => text).join(' ')) : null;
}

/** Handles formats without fields, and `%s` for each of the values that follow. */
function printfOutput(rest: readonly Word[]): Output | null {
  const [format, ...values] = rest;
  if (format === undefined || !isFixed(format)) return null;
  const text = format.text.replaceAll('\\n', '\n');
  if (text.includes('\\')) return null;
  if (!text.includes('%') && values.length === 0) return textOutput(text);
  const isPlain = /^%s\n?$/.test(text) && (values.length === 1 || text.endsWith('\n'));
  if (!isPlain || values.length === 0 || values.some(({ unknown }) => unknown)) return null;
  if (!values.every(isFixed)) return { words: values, text: null };
  return textOutput(values.map((value) => text.replace('%s', () => value.text)).join(''));
}

function temporaryPath(rest: readonly Word[], { temporary }: PrintingPlace): Word | null {
  const parsed = parseOptions(rest, { letters: 'p', names: ['--suffix', '--tmpdir'] });
  const [folder] = optionValues(parsed, '-p', '--tmpdir');
  const [template] = parsed.operands;
  if ([folder, template].some((word) => word !== undefined && !isFixed(word))) return null;
  const isNamed = parsed.options.some(({ name }) => name === '-t');
  const base = folder?.text ?? temporary[0] ?? '/tmp';
  if (template === undefined) return plainWord(`${base}/tmp.0`);
  if (isNamed || folder !== undefined || parsed.options.some(({ name }) => name === '--tmpdir'))
    return template.text.includes('/') ? null : plainWord(`${base}/${template.text}`);
  return plainWord(template.text);
}

function folderPart(path: string): string {
  const at = path.replace(/\/+$/, '').lastIndexOf('/');
  return at < 0 ? '.' : path.slice(0, at) || '/';
}

function baseNamePart(path: string, ending: string): string {
  const trimmed = path.replace(/\/+$/, '');
  const name = trimmed.slice(trimmed.lastIndexOf('/') + 1);
  return name !== ending && name.endsWith(ending) ? name.slice(0, name.length - ending.length) : name;
}

/**
 * Handles the workspace root, which is the only path that `git rev-parse` prints here, and hashes, which name no
 * file.
 */
function gitOutput(rest: readonly Word[], { folder, workspace }: PrintingPlace): Word | null {
  const [verb, ...args] = rest.map(({ text }) => text);
  if (verb !== 'rev-parse' || !rest.every(isFixed)) return null;
  const isInside = folder !== null && (folder === workspace || folder.startsWith(`${workspace}/`));
  if (args.includes('--show-toplevel')) return isInside ? plainWord(workspace) : null;
  return args.length > 0 && args.every((arg) => /^(?:--short(?:=\d+)?|--verify|HEAD[~^\d]*)$/.test(arg))
    ? plainWord('0000000')
    : null;
}
