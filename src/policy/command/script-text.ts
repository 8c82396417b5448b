import { isStandardInput } from './interpreters.ts';
import { optionValues, parseOptions } from './options.ts';
import { readSedScript } from './sed-script.ts';
import { programOf, type Word } from './shell-word.ts';

/** Longer scripts are not looked through. */
const MAX_SCRIPT = 20_000;

const AWKS = new Set(['awk', 'gawk', 'mawk', 'nawk', 'original-awk', 'goawk']);
const SEDS = new Set(['sed', 'gsed']);
const EDITORS = new Set(['ed', 'ex', 'vi', 'vim', 'nvim', 'view', 'emacs', 'emacsclient', 'nano', 'red']);

/** Why a small language on the line could start a program or write a file, or null. */
export function scriptProblem(words: readonly Word[]): string | null {
  const [first, ...rest] = words;
  const program = programOf(first);
  if (AWKS.has(program)) return awkProblem(program, rest);
  if (SEDS.has(program)) return sedProblem(program, rest);
  if (EDITORS.has(program)) return `${program} runs commands that the line does not show`;
  return optionProblem(program, rest);
}

function awkProblem(program: string, rest: readonly Word[]): string | null {
  const parsed = parseOptions(rest, {
    letters: 'fFveilE',
    names: ['--file', '--exec', '--field-separator', '--assign', '--source', '--include', '--load'],
    stopAtOperand: true,
  });
  const given = optionValues(parsed, '-e', '--source');
  const files = optionValues(parsed, '-f', '--file', '-E', '--exec');
  if (files.some(isStandardInput)) return `${program} reads its program from standard input`;
  const scripts = given.length > 0 || files.length > 0 ? given : parsed.operands.slice(0, 1);
  if (optionValues(parsed, '-l', '--load', '-i', '--include').length > 0)
    return `${program} loads more than the line shows`;
  for (const { text, unknown } of scripts) {
    if (unknown) return `${program} may be given its program by an expansion`;
    const code = text.length > MAX_SCRIPT ? null : awkCode(text);
    if (code === null || /\bsystem\b|\bgetline\b|@\s*\w|(?<!\|)\|(?!\|)/.test(code))
      return `${program} can run a program with this script`;
    if (/\bprintf?\b[^;}\n]*>/.test(code)) return `${program} writes a file with this script`;
  }
  return null;
}

/** An awk program without its strings, expressions and comments; null where a slash could be either of two things. */
function awkCode(text: string): string | null {
  const code: string[] = [];
  let last = '';
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? '';
    const divides = char === '/' && /[\w)\]$"]/.test(last);
    if (divides && /\||system|getline/.test(text)) return null;
    if (char === '"' || (char === '/' && !divides)) at = closingOf(text, at, char);
    else if (char === '#')
      at = Math.max(at, text.indexOf('\n', at) < 0 ? text.length : text.indexOf('\n', at));
    else code.push(char);
    if (/\S/.test(char)) last = char;
  }
  return code.join('');
}

function closingOf(text: string, from: number, delimiter: string): number {
  let at = from + 1;
  while (at < text.length && text[at] !== delimiter) at += text[at] === '\\' ? 2 : 1;
  return at;
}

function sedProblem(program: string, rest: readonly Word[]): string | null {
  const parsed = parseOptions(rest, { letters: 'efl', names: ['--expression', '--file', '--line-length'] });
  const given = optionValues(parsed, '-e', '--expression');
  const files = optionValues(parsed, '-f', '--file');
  if (files.some(isStandardInput)) return `${program} reads its program from standard input`;
  const scripts = given.length > 0 || files.length > 0 ? given : parsed.operands.slice(0, 1);
  const text = scripts.map((script) => script.text).join('\n');
  const unknown = scripts.some((script) => script.unknown);
  if (unknown && scripts.some((script) => /^(?:\$\w+|\$\{[^}]*\})$/.test(script.text)))
    return `${program} may be given its program by an expansion`;
  const verdict = text.length > MAX_SCRIPT ? 'unreadable' : readSedScript(text);
  // Where an expansion stands for a number or a name, the text around it need not make sense.
  return verdict === 'acts' || (verdict === 'unreadable' && !unknown)
    ? `${program} can run a program or write a file with this script`
    : null;
}

const MAKE_OPTIONS =
  /^(?:--eval|-$|(?:-f|--(?:file|makefile)=)?\/(?:dev|proc)\/|-f-|--(?:file|makefile)=-$|SHELL=|\.SHELLFLAGS|-E|[^=]*!?=.*\$[({](?:shell|eval)\b)/;

const STARTING_OPTIONS: Readonly<Record<string, RegExp>> = {
  tar: /^(?:--to-command|--checkpoint-action|--use-compress-program|--rsh-command|--info-script|--new-volume-script|-I|-F)/,
  bsdtar: /^--use-compress-program/,
  rsync: /^(?:-[a-zA-Z]*e|--rsh|--rsync-path)/,
  rg: /^--(?:pre|hostname-bin)(?:$|=)/,
  sort: /^--compress-program/,
  mapfile: /^-[a-zA-Z]*C/,
  readarray: /^-[a-zA-Z]*C/,
  compgen: /^-[a-zA-Z]*[CF]/,
  nc: /^-[a-zA-Z0-9]*[ec]/,
  netcat: /^-[a-zA-Z0-9]*[ec]/,
  ncat: /^(?:-[a-zA-Z0-9]*[ec]|--(?:sh-|lua-)?exec)/,
  socat: /(?:^|[!,])(?:exec|system|shell):/i,
  nix: /^(?:-c|--command)$/,
  just: /^(?:-c|--command)$/,
  vagrant: /^(?:-c|--command)$/,
  go: /^--?(?:exec|toolexec)(?:$|=)/,
  cargo: /^--config(?:$|=)/,
  npm: /^--(?:script-shell|node-options)(?:$|=)/,
  ghc: /^-e/,
  swift: /^-e$/,
  clojure: /^(?:-e|--eval)$/,
  clj: /^(?:-e|--eval)$/,
  bb: /^(?:-e|--eval)$/,
  raku: /^-\w*e/,
  ocaml: /^-e$/,
  kotlin: /^-e$/,
  sbcl: /^--eval$/,
  guile: /^-c$/,
  make: MAKE_OPTIONS,
  gmake: MAKE_OPTIONS,
  man: /^(?:-P|--pager|-H|--html)/,
  zip: /^(?:-TT|--unzip-command)/,
  scp: /^-S|ProxyCommand|LocalCommand/i,
  ssh: /ProxyCommand|LocalCommand/i,
  gdb: /^(?:-ex|--eval-command|-x|--command|--args)/,
  sqlite3: /^-cmd|^\.(?:shell|system|output|once|read)/,
  psql: /\\!|\\(?:o|g|w|copy)\b.*\|/,
  mysql: /\\!|^system\s|;\s*system\s/i,
  mariadb: /\\!|^system\s|;\s*system\s/i,
  less: /^\+.*!/,
  curl: /^(?:-K|--config)/,
  dc: /^(?:-e|--expression|-f|--file)|^-$/,
  gnuplot: /^(?:-e|--persist)|^-$/,
};

function optionProblem(program: string, rest: readonly Word[]): string | null {
  const option = Object.hasOwn(STARTING_OPTIONS, program) ? STARTING_OPTIONS[program] : undefined;
  const found = option === undefined ? undefined : rest.find(({ text }) => option.test(text));
  if (found === undefined) return null;
  return `${program} ${found.text.split('=')[0]} can run what the line does not show`;
}
