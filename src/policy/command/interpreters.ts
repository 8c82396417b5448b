import type { Word } from './shell-word.ts';
import { programOf } from './shell-word.ts';

/** How an interpreter is told its program on the command line. */
interface Interpreter {
  /** Short options that take code; they may stand anywhere in a cluster. */
  readonly letters: string;
  /** Short options after which the rest of the cluster is a value. */
  readonly stops: string;
  /** Those of them whose value is the next word where the cluster ends. */
  readonly values: string;
  readonly names: readonly string[];
  /** Options that make a missing script harmless: versions, help, modules, test runners. */
  readonly without: RegExp;
}

const SHELL: Interpreter = {
  letters: 'cs',
  stops: 'oO',
  values: 'oO',
  names: ['--command'],
  without: /^(?:--version|--help)$/,
};
const FISH: Interpreter = { ...SHELL, letters: 'cC', names: ['--command', '--init-command'] };
const PYTHON: Interpreter = {
  letters: 'ci',
  stops: 'mWX',
  values: 'WX',
  names: [],
  without: /^(?:-m.*|-[VVh]+|--version|--help)$/,
};
const NODE: Interpreter = {
  letters: 'epi',
  stops: 'rC',
  values: 'rC',
  names: ['--eval', '--print', '--interactive'],
  without: /^(?:-v|-h|--version|--help|--test.*|--run(?:=.*)?|--v8-options)$/,
};
const PERL: Interpreter = {
  letters: 'eE',
  stops: 'IMmxC0FDVi',
  values: 'I',
  names: [],
  without: /^(?:-v|-V.*|-h|--version|--help)$/,
};
const RUBY: Interpreter = {
  letters: 'e',
  stops: 'IrCFEKxW0i',
  values: 'IrCE',
  names: [],
  without: /^(?:-v|-h|--version|--help)$/,
};
const PHP: Interpreter = {
  letters: 'rBREa',
  stops: 'cdzfStFn',
  values: 'cdzft',
  names: ['--run', '--process-begin', '--process-code', '--process-end', '--interactive'],
  without: /^(?:-v|-i|-m|-h|-S.*|--version|--help|--ini)$/,
};
const OTHER: Interpreter = {
  letters: 'eEp',
  stops: 'lIr',
  values: 'lIr',
  names: ['--eval', '--print', '--expression', '--execute'],
  without: /^(?:-v|-V|-h|--version|--help)$/,
};
const POWERSHELL: Interpreter = {
  letters: 'cCeE',
  stops: 'Ff',
  values: '',
  names: ['--command'],
  without: /^(?:-v.*|-h|--version|--help)$/i,
};

const FAMILIES: readonly (readonly [RegExp, Interpreter])[] = [
  [/^(?:r?bash|sh|d?ash|zsh|[mo]?ksh\d*|pdksh|yash|t?csh|posh|elvish|nu|xonsh)$/, SHELL],
  [/^fish$/, FISH],
  [/^(?:python|pypy|ipython)[\d.]*$/, PYTHON],
  [/^(?:node|nodejs|tsx|ts-node(?:-\w+)?|babel-node|vite-node|esno|jiti)$/, NODE],
  [/^perl[\d.]*$/, PERL],
  [/^j?ruby[\d.]*$/, RUBY],
  [/^php[\d.]*$/, PHP],
  [/^(?:pwsh|powershell)(?:\.exe)?$/, POWERSHELL],
  [
    /^(?:lua[\d.]*|luajit|rscript|r|julia|osascript|elixir|iex|erl|racket|guile|tclsh[\d.]*|wish|scala|groovy|jshell|irb|ghci|qjs|d8)$/,
    OTHER,
  ],
];

const STANDARD_INPUT = /^(?:-|\/dev\/stdin|\/dev\/fd\/.*|\/proc\/.*\/fd\/.*)$/;

export function isStandardInput({ text }: Word): boolean {
  return STANDARD_INPUT.test(text);
}

/** Modules of python that take code on the line. */
const CODE_MODULES = new Set(['timeit', 'pdb', 'code', 'trace', 'cProfile', 'profile']);

/** Why a command runs code that nobody can look at, or null. */
export function inlineCode(words: readonly Word[]): string | null {
  const [first, ...rest] = words;
  const program = programOf(first);
  if (program === 'deno' || program === 'bun') return subcommandCode(program, rest);
  const family = FAMILIES.find(([name]) => name.test(program))?.[1];
  return family === undefined ? null : codeOf(program, rest, family);
}

/** Long options whose value is the next word. */
const LONG_VALUES = new Set([
  '--require',
  '--import',
  '--loader',
  '--experimental-loader',
  '--env-file',
  '--conditions',
  '--input-type',
  '--rcfile',
  '--init-file',
]);

function codeOf(program: string, rest: readonly Word[], family: Interpreter): string | null {
  let harmless = false;
  for (let index = 0; index < rest.length; index += 1) {
    const word = rest[index];
    if (word === undefined) break;
    if (word.unknown) return `${program} may be given its program by an expansion`;
    if (STANDARD_INPUT.test(word.text)) return `${program} reads its program from standard input`;
    if (!word.text.startsWith('-') && !(family === SHELL && word.text.startsWith('+'))) return null;
    if (takesCode(word.text, family)) return `${program} is given its program on the line`;
    if (family === PYTHON && /^-[^-]*m/.test(word.text)) {
      const module = word.text.replace(/^-[^-]*?m/, '') || (rest[index + 1]?.text ?? '');
      return CODE_MODULES.has(module) ? `${program} -m ${module} takes its program from the line` : null;
    }
    if (family === PERL && /^-[Mm].*[;({]/.test(word.text))
      return `${program} is given its program on the line`;
    harmless ||= family.without.test(word.text);
    if (!takesValue(word.text, family)) continue;
    index += 1;
    if (rest[index]?.text.startsWith('data:') === true) return `${program} is given its program on the line`;
  }
  return harmless ? null : `${program} reads its program from standard input`;
}

function takesValue(option: string, { values }: Interpreter): boolean {
  if (option.startsWith('--')) return LONG_VALUES.has(option);
  return option.length > 1 && values.includes(option.at(-1) ?? '-');
}

function takesCode(option: string, { letters, stops, names }: Interpreter): boolean {
  if (option.includes('data:')) return true;
  if (option.startsWith('--')) return names.includes(option.split('=')[0] ?? '');
  for (const letter of option.slice(1)) {
    if (letters.includes(letter)) return true;
    if (stops.includes(letter)) return false;
  }
  return false;
}

function subcommandCode(program: string, rest: readonly Word[]): string | null {
  const code = rest.find(({ text }) => /^(?:eval|-e|-p|-pe|--eval|--print)(?:$|=)/.test(text));
  if (code !== undefined) return `${program} is given its program on the line`;
  if (rest.some(({ text }) => STANDARD_INPUT.test(text)))
    return `${program} reads its program from standard input`;
  return rest.length === 0 ? `${program} reads its program from standard input` : null;
}
