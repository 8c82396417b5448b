import { hasOption, type OptionForm, parseOptions } from './options.ts';
import { programOf, readGivenAssignment, SUPPLIED_WORD, type Word } from './shell-word.ts';

/** A program with its words, taken out of whatever starts it. */
export interface Call {
  readonly words: readonly Word[];
  /** Variables that are set for it by `env`. */
  readonly assignments: readonly Word[];
  /** It comes out of a package, so that `commands.allow` names who fetches it there. */
  readonly packaged: boolean;
}

interface Unwrapped {
  readonly inner: readonly Call[];
  readonly problem: string | null;
}

const NOTHING: Unwrapped = { inner: [], problem: null };

/** How deep programs that start programs are followed. */
const MAX_WRAPPERS = 16;

/** The command itself and every command that it would start, outermost first. */
export function unwrapCalls(words: readonly Word[]): { calls: Call[]; problems: string[] } {
  const calls: Call[] = [];
  const problems: string[] = [];
  const open: { call: Call; depth: number }[] = [
    { call: { words, assignments: [], packaged: false }, depth: 0 },
  ];
  for (const { call, depth } of open) {
    calls.push(call);
    const { inner, problem } = unwrap(call.words);
    if (problem !== null) problems.push(problem);
    if (inner.length > 0 && depth >= MAX_WRAPPERS) problems.push('it is nested too deeply');
    else open.push(...inner.map((each) => ({ call: each, depth: depth + 1 })));
  }
  return { calls, problems };
}

/** Programs that start the program named by their operands, and how many operands come before it. */
const STARTERS: Readonly<Record<string, OptionForm & { readonly skip?: number }>> = {
  builtin: {},
  command: {},
  exec: { letters: 'a' },
  nohup: {},
  nice: { letters: 'n', names: ['--adjustment'] },
  ionice: { letters: 'cnpPu', names: ['--class', '--classdata'] },
  chrt: { skip: 1 },
  taskset: { skip: 1 },
  timeout: { letters: 'ks', names: ['--kill-after', '--signal'], skip: 1 },
  gtimeout: { letters: 'ks', names: ['--kill-after', '--signal'], skip: 1 },
  time: { letters: 'fo', names: ['--format', '--output'] },
  stdbuf: { letters: 'ioe', names: ['--input', '--output', '--error'] },
  setsid: {},
  sudo: { letters: 'ugpCThRrtUD', names: ['--user', '--group', '--prompt', '--host', '--chdir', '--chroot'] },
  doas: { letters: 'uC' },
  chroot: { skip: 1, names: ['--userspec', '--groups'] },
  unshare: { letters: 'SG' },
  nsenter: { letters: 'tSG', names: ['--target'] },
  linux32: {},
  linux64: {},
  strace: { letters: 'eopsuPaEIbSXO' },
  ltrace: { letters: 'eopsunl' },
  valgrind: {},
  unbuffer: {},
  caffeinate: { letters: 'tw' },
  prlimit: {},
  choom: { letters: 'n' },
  firejail: {},
  proxychains: { letters: 'f' },
  proxychains4: { letters: 'f' },
  torsocks: {},
  catchsegv: {},
  dotenv: { letters: 'ef' },
  'cross-env': {},
  'dbus-run-session': {},
  'systemd-inhibit': {},
  setpriv: { names: ['--reuid', '--regid', '--groups'] },
  fakeroot: { letters: 'lisb', names: ['--lib', '--faked'] },
  faketime: { skip: 1 },
  eatmydata: {},
  numactl: {
    letters: 'NmCpPiw',
    names: ['--cpunodebind', '--membind', '--physcpubind', '--preferred', '--interleave'],
  },
  chronic: {},
  pkexec: { names: ['--user'] },
  gosu: { skip: 1 },
  'su-exec': { skip: 1 },
  runcon: { letters: 'urtl', skip: 1 },
  cpulimit: { letters: 'lpeP' },
  'aws-vault': { skip: 2 },
  rlwrap: {},
  'dumb-init': {},
  tini: {},
  perf: { skip: 1 },
  'xvfb-run': { letters: 'efnps' },
  busybox: {},
  toybox: {},
};

/** The program that loads programs, which it can be told by name. */
const DYNAMIC_LINKER = /^ld(?:-linux|-musl|64|\.so)[\w.-]*$/;

/** Programs whose words become a line for a shell, here or elsewhere, now or later. */
const LINE_RUNNERS = new Set([
  'eval',
  'alias',
  'parallel',
  'watch',
  'su',
  'runuser',
  'script',
  'at',
  'batch',
  'crontab',
  'systemd-run',
  'entr',
  'hyperfine',
  'concurrently',
  'nodemon',
  'start-stop-daemon',
  'setarch',
  'watchexec',
  'bwrap',
  'nix-shell',
  'proot',
  'capsh',
  'screen',
  'tmux',
  'expect',
  'cross-env-shell',
  'cmd',
  'cmd.exe',
]);

function unwrap(words: readonly Word[]): Unwrapped {
  const [first, ...rest] = words;
  const program = programOf(first);
  const starter = Object.hasOwn(STARTERS, program) ? STARTERS[program] : undefined;
  if (DYNAMIC_LINKER.test(program)) return unwrapStarter(program, rest, {});
  if (starter !== undefined) return unwrapStarter(program, rest, starter);
  if (LINE_RUNNERS.has(program)) return refuse(program, 'runs what its words say');
  switch (program) {
    case 'source':
    case '.':
      return refuse(program, 'runs a file inside this shell');
    case 'env':
      return unwrapEnv(rest);
    case 'xargs':
      return unwrapXargs(rest);
    case 'find':
      return unwrapFind(rest);
    case 'fd':
    case 'fdfind':
      return unwrapFd(rest);
    case 'trap':
      return rest.length < 2 || rest[0]?.text === '-' || rest[0]?.text === ''
        ? NOTHING
        : refuse(program, 'keeps a line to run later');
    case 'hash':
      return rest.some((word) => /^-\w*p/.test(word.text))
        ? refuse(program, 'gives a program another name')
        : NOTHING;
    case 'enable':
      return refuse(program, 'changes what the words of the shell mean');
    case 'ssh':
      return parseOptions(rest, { letters: 'bcDEeFIiJLlmOopQRSWw', stopAtOperand: true }).operands.length > 1
        ? refuse(program, 'runs a line on another machine')
        : NOTHING;
    case 'flock':
      return unwrapFlock(rest);
    case 'direnv':
      return rest[0]?.text === 'exec' ? started(rest.slice(2)) : NOTHING;
    default:
      return unwrapRunner(program, rest);
  }
}

function refuse(program: string, does: string): Unwrapped {
  return { inner: [], problem: `${program} ${does}` };
}

function started(words: readonly Word[], assignments: readonly Word[] = [], packaged = false): Unwrapped {
  return words.length === 0 && assignments.length === 0
    ? NOTHING
    : { inner: [{ words, assignments, packaged }], problem: null };
}

function unwrapStarter(
  program: string,
  rest: readonly Word[],
  form: OptionForm & { readonly skip?: number },
): Unwrapped {
  const { options, operands } = parseOptions(rest, { ...form, stopAtOperand: true });
  const names = options.map(({ name }) => name);
  if (program === 'command' && (names.includes('-v') || names.includes('-V'))) return NOTHING;
  if (
    program === 'sudo' &&
    ['-s', '-i', '-e', '--shell', '--login', '--edit'].some((name) => names.includes(name))
  )
    return refuse(program, 'opens a shell of its own');
  const skipped = operands.slice(form.skip ?? 0);
  const at = skipped.findIndex((word) => readGivenAssignment(word) === null);
  const [assignments, inner] = at < 0 ? [skipped, []] : [skipped.slice(0, at), skipped.slice(at)];
  return started(inner, assignments);
}

function unwrapEnv(rest: readonly Word[]): Unwrapped {
  const form = {
    letters: 'uCSa',
    names: ['--unset', '--chdir', '--split-string', '--argv0'],
    stopAtOperand: true,
  };
  const parsed = parseOptions(rest, form);
  const { operands } = parsed;
  if (hasOption(parsed, '-S', '--split-string')) return refuse('env', 'splits a text into a command');
  if (hasOption(parsed, '-C', '--chdir')) return refuse('env', 'goes to another folder first');
  // A dash alone empties the environment.
  const given = operands[0]?.text === '-' ? operands.slice(1) : operands;
  const at = given.findIndex((word) => !/^[^=]+=/.test(word.text));
  if (at < 0) return started([], given);
  return started(given.slice(at), given.slice(0, at));
}

function unwrapXargs(rest: readonly Word[]): Unwrapped {
  const form = {
    letters: 'adEILnPs',
    names: [
      '--arg-file',
      '--delimiter',
      '--max-lines',
      '--max-args',
      '--max-procs',
      '--replace',
      '--max-chars',
    ],
    stopAtOperand: true,
  };
  const { options, operands } = parseOptions(rest, form);
  if (operands.length === 0) return NOTHING;
  const mark = options.find(({ name }) => name === '-I' || name === '--replace')?.value?.text ?? '{}';
  const words = operands.map((word) => (word.text.includes(mark) ? { ...word, unknown: true } : word));
  return started([...words, SUPPLIED_WORD]);
}

const FIND_RUNS = new Set(['-exec', '-execdir', '-ok', '-okdir']);

function unwrapFind(rest: readonly Word[]): Unwrapped {
  const inner: Call[] = [];
  for (let index = 0; index < rest.length; index += 1) {
    const word = rest[index];
    if (word === undefined || !FIND_RUNS.has(word.text)) continue;
    let end = index + 1;
    while (end < rest.length && !endsExec(rest, end)) end += 1;
    const words = rest.slice(index + 1, end);
    inner.push({
      words: words.map((each) => (each.text.includes('{}') ? { ...each, unknown: true } : each)),
      assignments: [],
      packaged: false,
    });
    index += words.length;
  }
  const varying = rest.some((word, index) => word.unknown && !isValueOfTest(word, rest[index - 1]));
  return { inner, problem: varying ? 'find may be told to run something by an expansion' : null };
}

function endsExec(words: readonly Word[], at: number): boolean {
  const text = words[at]?.text;
  return text === ';' || (text === '+' && words[at - 1]?.text === '{}');
}

/** A test takes the word behind it for its value, whatever that becomes; in quotes it stays one word. */
function isValueOfTest(word: Word, before: Word | undefined): boolean {
  return word.quoting !== 'none' && before !== undefined && FIND_VALUES.test(before.text);
}

const FIND_VALUES =
  /^-(?:i?(?:name|path|wholename|regex|lname)|newer\w*|anewer|cnewer|type|xtype|size|user|group|perm|[acm](?:time|min)|maxdepth|mindepth|samefile|printf)$/;

function unwrapFd(rest: readonly Word[]): Unwrapped {
  const at = rest.findIndex(({ text }) => ['-x', '-X', '--exec', '--exec-batch'].includes(text));
  if (at >= 0) return started([...rest.slice(at + 1), SUPPLIED_WORD]);
  return rest.some(({ text }) => /^(?:-[xX].|--exec)/.test(text))
    ? refuse('fd', 'runs what its words say')
    : NOTHING;
}

function unwrapFlock(rest: readonly Word[]): Unwrapped {
  const { options, operands } = parseOptions(rest, {
    letters: 'wEc',
    names: ['--timeout', '--command'],
    stopAtOperand: true,
  });
  const [, next] = operands;
  if (options.some(({ name }) => name === '-c' || name === '--command') || next?.text === '-c')
    return refuse('flock', 'runs what its words say');
  return started(operands.slice(1));
}

/** Programs that start what a package brings along. */
const PACKAGE_RUNNERS: Readonly<Record<string, readonly string[]>> = {
  npx: [],
  bunx: [],
  pnpx: [],
  uvx: [],
  npm: ['exec', 'x'],
  pnpm: ['exec', 'dlx'],
  yarn: ['exec', 'dlx'],
  bun: ['x'],
  uv: ['run'],
  pipx: ['run'],
  poetry: ['run'],
  pdm: ['run'],
  pipenv: ['run'],
  bundle: ['exec'],
  mise: ['exec', 'x'],
  conda: ['run'],
  mamba: ['run'],
  hatch: ['run'],
  rye: ['run'],
  pyenv: ['exec'],
  rbenv: ['exec'],
  nodenv: ['exec'],
  asdf: ['exec'],
  volta: ['run'],
  doppler: ['run'],
  devbox: ['run'],
};

/** Those that run only what packages bring along; the others run any program. */
const FROM_PACKAGES = new Set(['npx', 'bunx', 'pnpx', 'uvx', 'npm', 'bun', 'pipx']);

function unwrapRunner(program: string, rest: readonly Word[]): Unwrapped {
  const verbs = Object.hasOwn(PACKAGE_RUNNERS, program) ? PACKAGE_RUNNERS[program] : undefined;
  if (verbs === undefined) return NOTHING;
  const form = {
    letters: 'pwn',
    names: ['--package', '--workspace', '--with', '--python', '--prefix', '--dir', '--filter', '--name'],
  };
  const { operands } = parseOptions(rest, { ...form, stopAtOperand: true });
  const [verb, ...after] = operands;
  if (verbs.length > 0 && (verb === undefined || !verbs.includes(verb.text))) return NOTHING;
  const isLine = (word: Word) => /^(?:-c|--call|--shell-mode)(?:$|=)/.test(word.text);
  const own = rest.slice(0, rest.length - operands.length + (verbs.length > 0 ? 1 : 0));
  const inner = verbs.length > 0 ? parseOptions(after, { ...form, stopAtOperand: true }).operands : operands;
  const flags = verbs.length > 0 ? after.slice(0, after.length - inner.length) : [];
  if ([...own, ...flags].some(isLine)) return refuse(program, 'runs what its words say');
  return started(inner, [], FROM_PACKAGES.has(program) || verb?.text === 'dlx');
}
