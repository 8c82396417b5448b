import { programOf, quotedWord, type Word } from '../grammar/shell-word.ts';
import { readAwkScript, type ScriptReach } from './awk-script.ts';
import { isStandardInput } from './interpreters.ts';
import { optionValues, parseOptions } from './options.ts';
import { readSedScript } from './sed-script.ts';

/** Longer scripts are not analysed. */
const MAX_SCRIPT = 20_000;

const AWKS = new Set(['awk', 'gawk', 'mawk', 'nawk', 'original-awk', 'goawk']);
const SEDS = new Set(['sed', 'gsed']);
const EDITORS = new Set(['ed', 'ex', 'vi', 'vim', 'nvim', 'view', 'emacs', 'emacsclient', 'nano', 'red']);

/** The effects of awk, sed and similar scripts beyond reading and printing. */
export interface ScriptUse {
  /** Why the programs they run or the files they write are unknown. */
  readonly problems: readonly string[];
  /** Files that they write. */
  readonly files: readonly Word[];
  /** Lines that they pass to a shell. */
  readonly lines: readonly Word[];
}

const NOTHING: ScriptUse = { problems: [], files: [], lines: [] };

export function readScripts(words: readonly Word[]): ScriptUse {
  const [first, ...rest] = words;
  const program = programOf(first);
  if (AWKS.has(program)) return awkUse(program, rest);
  if (SEDS.has(program)) return sedUse(program, rest);
  if (EDITORS.has(program)) return problem(`${program} runs commands that are not on the line`);
  return findStartingOption(program, rest);
}

function problem(text: string): ScriptUse {
  return { ...NOTHING, problems: [text] };
}

function toScriptUse(program: string, { files, lines, hides }: ScriptReach): ScriptUse {
  const verb = hides === 'program' ? 'can run a program' : 'writes a file that it does not name';
  return {
    problems: hides === null ? [] : [`${program} ${verb} with this script`],
    files: files.map(quotedWord),
    lines: lines.map(quotedWord),
  };
}

function awkUse(program: string, rest: readonly Word[]): ScriptUse {
  const parsed = parseOptions(rest, {
    letters: 'fFveilE',
    names: ['--file', '--exec', '--field-separator', '--assign', '--source', '--include', '--load'],
    stopAtOperand: true,
  });
  const given = optionValues(parsed, '-e', '--source');
  const files = optionValues(parsed, '-f', '--file', '-E', '--exec');
  if (files.some(isStandardInput)) return problem(`${program} reads its program from standard input`);
  const scripts = given.length > 0 || files.length > 0 ? given : parsed.operands.slice(0, 1);
  const loaded = optionValues(parsed, '-l', '--load', '-i', '--include').filter(
    ({ text }) => text !== 'inplace',
  );
  if (loaded.length > 0) return problem(`${program} loads more than the line shows`);
  const edited = optionValues(parsed, '-i', '--include').length > 0 ? parsed.operands.slice(1) : [];
  const uses = scripts.map((script) => awkScriptUse(program, script));
  return {
    problems: uses.flatMap(({ problems }) => problems),
    files: [...edited, ...uses.flatMap((use) => use.files)],
    lines: uses.flatMap(({ lines }) => lines),
  };
}

function awkScriptUse(program: string, script: Word): ScriptUse {
  if (script.text.length > MAX_SCRIPT) return problem(`${program} can run a program with this script`);
  const use = toScriptUse(program, readAwkScript(script.text));
  return isGivenByExpansion(script)
    ? { ...use, problems: [...use.problems, `${program} may take its program from an expansion`] }
    : use;
}

/**
 * Whether the script itself may come from an expansion. A variable inside a script may be a number or a name, but a
 * whole script or the output of a command can be anything.
 */
function isGivenByExpansion({ unknown, pieces }: Word): boolean {
  if (!unknown) return false;
  return (
    pieces === null ||
    pieces.length === 1 ||
    pieces.some((piece) => piece.kind !== 'text' && /^(?:\$\(|`)/.test(piece.raw))
  );
}

function sedUse(program: string, rest: readonly Word[]): ScriptUse {
  const parsed = parseOptions(withoutBackup(rest), {
    letters: 'efl',
    names: ['--expression', '--file', '--line-length'],
  });
  const given = optionValues(parsed, '-e', '--expression');
  const files = optionValues(parsed, '-f', '--file');
  if (files.some(isStandardInput)) return problem(`${program} reads its program from standard input`);
  const scripts = given.length > 0 || files.length > 0 ? given : parsed.operands.slice(0, 1);
  const text = scripts.map((script) => script.text).join('\n');
  const isUnknown = scripts.some((script) => script.unknown);
  if (scripts.some(({ unknown, pieces }) => unknown && (pieces === null || pieces.length === 1)))
    return problem(`${program} may take its program from an expansion`);
  if (text.length > MAX_SCRIPT)
    return problem(`${program} can run a program or write a file with this script`);
  const reach = readSedScript(text);
  // If an expansion stands for a number or a name, the text around it may not parse.
  if (!reach.isReadable && !isUnknown)
    return problem(`${program} can run a program or write a file with this script`);
  return toScriptUse(program, reach);
}

/** Removes the backup suffix, which BSD sed takes as a separate word and which is usually empty. */
export function withoutBackup(words: readonly Word[]): readonly Word[] {
  return words.filter(
    ({ text, quoting }, index) => text !== '' || quoting === 'none' || words[index - 1]?.text !== '-i',
  );
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

function findStartingOption(program: string, rest: readonly Word[]): ScriptUse {
  const option = Object.hasOwn(STARTING_OPTIONS, program) ? STARTING_OPTIONS[program] : undefined;
  const found = option === undefined ? undefined : rest.find(({ text }) => option.test(text));
  return found === undefined
    ? NOTHING
    : problem(`${program} ${found.text.split('=')[0]} can run what the line does not show`);
}
