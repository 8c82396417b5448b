import { programOf, type Word } from '../grammar/shell-word.ts';

/** Where an interpreter gets its program from. */
export type CodeUse =
  /** From a file, or it runs no program. */
  | { readonly kind: 'none' }
  /** A shell line, with its arguments. */
  | {
      readonly kind: 'line';
      readonly line: Word;
      readonly args: readonly Word[];
      readonly isForeign: boolean;
    }
  /** Code on the command line, in another language. */
  | { readonly kind: 'code'; readonly text: string; readonly problem: string }
  | { readonly kind: 'input'; readonly isShell: boolean; readonly problem: string }
  | { readonly kind: 'unknown'; readonly problem: string };

/** How an interpreter accepts its program on the command line. */
interface Interpreter {
  /** Short options that take code; they may appear anywhere in a cluster. */
  readonly letters: string;
  /** Short options after which the rest of the cluster is a value. */
  readonly stops: string;
  /** The subset of `stops` whose value is the next word if the cluster ends there. */
  readonly values: string;
  readonly names: readonly string[];
  /** Options that make a missing script harmless: versions, help, modules, test runners. */
  readonly without: RegExp;
}

const SHELL: Interpreter = {
  letters: 'c',
  stops: 'oO',
  values: 'oO',
  names: ['--command'],
  without: /^(?:--version|--help)$/,
};
const FISH: Interpreter = { ...SHELL, letters: 'cC', names: ['--command', '--init-command'] };
/** Shells with a different grammar. */
const FOREIGN_SHELL: Interpreter = { ...SHELL };
const SHELLS: ReadonlySet<Interpreter> = new Set([SHELL, FISH, FOREIGN_SHELL]);
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
  [/^(?:r?bash|sh|d?ash|zsh|[mo]?ksh\d*|pdksh|yash|posh)$/, SHELL],
  [/^(?:t?csh|elvish|nu|xonsh)$/, FOREIGN_SHELL],
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

/** Python modules that take code on the command line. */
const CODE_MODULES = new Set(['timeit', 'pdb', 'code', 'trace', 'cProfile', 'profile']);

const NONE: CodeUse = { kind: 'none' };

export function findCode(words: readonly Word[]): CodeUse {
  const [first, ...rest] = words;
  const program = programOf(first);
  if (program === 'deno' || program === 'bun') return findSubcommandCode(program, rest);
  const family = FAMILIES.find(([name]) => name.test(program))?.[1];
  return family === undefined ? NONE : findFamilyCode(program, rest, family);
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
/** Files that a shell runs before its program. */
const START_FILES = new Set(['--rcfile', '--init-file']);

function findFamilyCode(program: string, rest: readonly Word[], family: Interpreter): CodeUse {
  const isShell = SHELLS.has(family);
  const input: CodeUse = {
    kind: 'input',
    isShell,
    problem: `${program} reads its program from standard input`,
  };
  const onLine = (index: number): CodeUse =>
    code(rest.slice(index), `${program} takes its program from the line`);
  let isHarmless = false;
  let isLine = false;
  for (let index = 0; index < rest.length; index += 1) {
    const word = rest[index];
    if (word === undefined) break;
    const { text } = word;
    if (isLine && !/^[-+]./.test(text)) return line(word, rest.slice(index + 1), family);
    if (mayBeOption(word)) return unknown(`${program} may take its program from an expansion`);
    if (STANDARD_INPUT.test(text)) return input;
    if (!text.startsWith('-') && !(isShell && text.startsWith('+'))) return NONE;
    if (START_FILES.has(text.split('=')[0] ?? ''))
      return unknown(`${program} runs a file before its program`);
    if (isShell && /^-[^-]*s/.test(text)) return input;
    if (takesCode(text, family)) {
      if (!isShell) return onLine(index);
      const at = text.startsWith('--') ? text.indexOf('=') : -1;
      if (at >= 0) return line({ ...word, text: text.slice(at + 1) }, rest.slice(index + 1), family);
      isLine = true;
    }
    if (family === PYTHON && /^-[^-]*m/.test(text)) {
      const module = text.replace(/^-[^-]*?m/, '') || (rest[index + 1]?.text ?? '');
      return CODE_MODULES.has(module)
        ? code(rest.slice(index), `${program} -m ${module} takes its program from the line`)
        : NONE;
    }
    if (family === PERL && /^-[Mm].*[;({]/.test(text)) return onLine(index);
    isHarmless ||= family.without.test(text);
    if (!takesValue(text, family)) continue;
    index += 1;
    if (rest[index]?.text.startsWith('data:') === true) return onLine(index);
  }
  return isHarmless || isLine ? NONE : input;
}

/** Whether a word starts with an expansion, so that it may turn out to be an option that takes code. */
function mayBeOption({ unknown: isUnknown, pieces, text }: Word): boolean {
  if (!isUnknown) return false;
  const [first] = pieces ?? [];
  return first === undefined || first.kind !== 'text' || first.text === '' || text.startsWith('-');
}

function unknown(problem: string): CodeUse {
  return { kind: 'unknown', problem };
}

function code(words: readonly Word[], problem: string): CodeUse {
  return { kind: 'code', text: words.map(({ text }) => text).join(' '), problem };
}

function line(word: Word, args: readonly Word[], family: Interpreter): CodeUse {
  return { kind: 'line', line: word, args, isForeign: family === FOREIGN_SHELL };
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

function findSubcommandCode(program: string, rest: readonly Word[]): CodeUse {
  const at = rest.findIndex(({ text }) => /^(?:eval|-e|-p|-pe|--eval|--print)(?:$|=)/.test(text));
  if (at >= 0) return code(rest.slice(at), `${program} takes its program from the line`);
  const problem = `${program} reads its program from standard input`;
  return rest.length === 0 || rest.some(isStandardInput) ? { kind: 'input', isShell: false, problem } : NONE;
}
