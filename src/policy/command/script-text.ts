import { optionValues, parseOptions } from './options.ts';
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
    letters: 'fFveil',
    names: ['--file', '--field-separator', '--assign', '--source', '--include', '--load'],
    stopAtOperand: true,
  });
  const given = optionValues(parsed, '-e', '--source');
  const hasFile = optionValues(parsed, '-f', '--file').length > 0;
  const scripts = given.length > 0 || hasFile ? given : parsed.operands.slice(0, 1);
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

/** The commands `e` and `w`, and the flags of `s` by the same names. */
const SED_COMMAND =
  /(?:^|[;{}\n])\s*(?:\d+|\$|\/(?:\\.|[^/\n\\])*\/)?(?:\s*,\s*(?:\+?\d+|\$|\/(?:\\.|[^/\n\\])*\/))?\s*!?\s*(?:[ewW](?:\s|$)|[wW]\S)/;

function sedProblem(program: string, rest: readonly Word[]): string | null {
  const parsed = parseOptions(rest, { letters: 'efl', names: ['--expression', '--file', '--line-length'] });
  const given = optionValues(parsed, '-e', '--expression');
  const hasFile = optionValues(parsed, '-f', '--file').length > 0;
  for (const { text, unknown } of given.length > 0 || hasFile ? given : parsed.operands.slice(0, 1)) {
    if (unknown) continue;
    if (
      text.length > MAX_SCRIPT ||
      SED_COMMAND.test(text) ||
      substituteFlags(text).some((flags) => /[ew]/.test(flags))
    )
      return `${program} can run a program or write a file with this script`;
  }
  return null;
}

/** The flags behind each `s` with its three delimiters, read once from left to right. */
function substituteFlags(text: string): string[] {
  const flags: string[] = [];
  for (const match of text.matchAll(/(?:^|[;{}\n\d$/!]|\s)s([^\w\s\\;])/g)) {
    const delimiter = match[1] ?? '/';
    let at = match.index + match[0].length;
    for (let left = 2; left > 0 && at < text.length; at += 1) {
      if (text[at] === '\\') at += 1;
      else if (text[at] === delimiter) left -= 1;
    }
    flags.push(/^[\w]*/.exec(text.slice(at, at + 16))?.[0] ?? '');
    if (flags.length > 100) return ['e'];
  }
  return flags;
}

const STARTING_OPTIONS: Readonly<Record<string, RegExp>> = {
  tar: /^(?:--to-command|--checkpoint-action|--use-compress-program|--rsh-command|--info-script|--new-volume-script|-I|-F)/,
  bsdtar: /^--use-compress-program/,
  rsync: /^(?:-[a-zA-Z]*e|--rsh|--rsync-path)/,
  rg: /^--(?:pre|hostname-bin)(?:$|=)/,
  sort: /^--compress-program/,
  make: /^(?:--eval|-$|-f-|--(?:file|makefile)=-$|SHELL=|\.SHELLFLAGS)/,
  gmake: /^(?:--eval|-$|-f-|--(?:file|makefile)=-$|SHELL=|\.SHELLFLAGS)/,
  man: /^(?:-P|--pager|-H|--html)/,
  zip: /^(?:-TT|--unzip-command)/,
  scp: /^-S|ProxyCommand|LocalCommand/i,
  ssh: /ProxyCommand|LocalCommand/i,
  gdb: /^(?:-ex|--eval-command|-x|--command|--args)/,
  sqlite3: /^-cmd|^\.(?:shell|system|output|once|read)/,
  curl: /^(?:-K|--config)/,
};

function optionProblem(program: string, rest: readonly Word[]): string | null {
  const option = Object.hasOwn(STARTING_OPTIONS, program) ? STARTING_OPTIONS[program] : undefined;
  const found = option === undefined ? undefined : rest.find(({ text }) => option.test(text));
  if (found === undefined) return null;
  return `${program} ${found.text.split('=')[0]} can run what the line does not show`;
}
