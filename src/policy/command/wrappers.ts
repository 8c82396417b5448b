import { hasOption, type OptionForm, parseOptions } from './options.ts';
import { programOf, readGivenAssignment, SUPPLIED_WORD, type Word } from './shell-word.ts';
import { DYNAMIC_LINKER, LINE_RUNNERS, PACKAGE_RUNNERS, STARTERS } from './starters.ts';

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
    case 'cmake':
      return rest[0]?.text === '-E' ? started(rest.slice(1), [], true) : NOTHING;
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
    letters: 'adEIJLnPRSs',
    names: ['--arg-file', '--delimiter', '--max-args', '--max-procs', '--max-chars', '--process-slot-var'],
    stopAtOperand: true,
  };
  const { options, operands } = parseOptions(rest, form);
  if (operands.length === 0) return NOTHING;
  const mark = options.find(({ name }) => ['-I', '-J', '--replace'].includes(name))?.value?.text ?? '{}';
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

/** Those that run only what packages bring along; the others run any program. */
const FROM_PACKAGES = new Set(['npx', 'bunx', 'pnpx', 'uvx', 'npm', 'bun', 'pipx']);

function unwrapRunner(program: string, rest: readonly Word[]): Unwrapped {
  const verbs = Object.hasOwn(PACKAGE_RUNNERS, program) ? PACKAGE_RUNNERS[program] : undefined;
  if (verbs === undefined) return NOTHING;
  const form = {
    letters: 'pwnF',
    names: [
      '--package',
      '--workspace',
      '--with',
      '--python',
      '--prefix',
      '--dir',
      '--filter',
      '--name',
      '--node',
      '--using',
    ],
  };
  const { operands } = parseOptions(rest, { ...form, stopAtOperand: true });
  const [verb, ...after] = withoutRealm(program, operands);
  if (verbs.length > 0 && (verb === undefined || !verbs.includes(verb.text))) return NOTHING;
  const isLine = (word: Word) => /^(?:-c|--call|--shell-mode)(?:$|=)/.test(word.text);
  const own = rest.slice(0, rest.length - operands.length + (verbs.length > 0 ? 1 : 0));
  const inner = verbs.length > 0 ? parseOptions(after, { ...form, stopAtOperand: true }).operands : operands;
  const flags = verbs.length > 0 ? after.slice(0, after.length - inner.length) : [];
  if ([...own, ...flags].some(isLine)) return refuse(program, 'runs what its words say');
  const packaged = FROM_PACKAGES.has(program) || verb?.text === 'dlx';
  // Before two dashes some are told which version or place to use.
  const dashes = inner.findIndex(({ text }) => text === '--');
  const behind = dashes < 0 ? [] : started(inner.slice(dashes + 1), [], packaged).inner;
  return { inner: [...started(inner, [], packaged).inner, ...behind], problem: null };
}

/** Words that only say for which packages, or with which set of verbs, a program is started. */
function withoutRealm(program: string, operands: readonly Word[]): readonly Word[] {
  const [first] = operands;
  if (program === 'uv' && first?.text === 'tool') return operands.slice(1);
  if (program !== 'yarn' || !/^workspaces?$/.test(first?.text ?? '')) return operands;
  const at = operands.findIndex(({ text }) => text === 'exec');
  return at < 0 ? operands : operands.slice(at);
}
