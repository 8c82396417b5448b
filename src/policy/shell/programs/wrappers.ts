import {
  type Piece,
  plainWord,
  programOf,
  quotedWord,
  readGivenAssignment,
  SUPPLIED_WORD,
  type Word,
} from '../grammar/shell-word.ts';
import { fdPaths, foundPaths } from './listed-paths.ts';
import { hasOption, type OptionForm, optionValues, parseOptions } from './options.ts';
import type { Output } from './printed-output.ts';
import { DYNAMIC_LINKER, LINE_RUNNERS, PACKAGE_RUNNERS, STARTERS } from './starters.ts';

/** A program with its words, extracted from the program that starts it. */
export interface Call {
  readonly words: readonly Word[];
  /** Variables that `env` sets for it. */
  readonly assignments: readonly Word[];
  /** It comes from a package, so `commands.allow` names the package runner instead. */
  readonly packaged: boolean;
  /** The folder it starts in; null for the folder of the line. */
  readonly folder: Word | null;
}

/** A text that a program passes to a shell. */
export interface NestedLine {
  readonly line: Word;
  /** Whether it runs in the current shell, with its variables. */
  readonly runsInThisShell: boolean;
}

interface Unwrapped {
  readonly inner: readonly Call[];
  readonly lines: readonly NestedLine[];
  readonly problem: string | null;
}

const NOTHING: Unwrapped = { inner: [], lines: [], problem: null };

/** How deeply programs that start programs are followed. */
const MAX_WRAPPERS = 16;

/** Lists the command and every command that it would start, outermost first. */
export function unwrapCalls(
  words: readonly Word[],
  input: Output | null = null,
): { calls: Call[]; lines: NestedLine[]; problems: string[] } {
  const calls: Call[] = [];
  const lines: NestedLine[] = [];
  const problems: string[] = [];
  const pending: { call: Call; depth: number }[] = [
    { call: { words, assignments: [], packaged: false, folder: null }, depth: 0 },
  ];
  for (const { call, depth } of pending) {
    calls.push(call);
    const unwrapped = unwrap(call.words, input);
    lines.push(...unwrapped.lines);
    if (unwrapped.problem !== null) problems.push(unwrapped.problem);
    if (unwrapped.inner.length > 0 && depth >= MAX_WRAPPERS) problems.push('it is nested too deeply');
    else
      pending.push(
        ...unwrapped.inner.map((each) => ({
          call: { ...each, folder: each.folder ?? call.folder },
          depth: depth + 1,
        })),
      );
  }
  return { calls, lines, problems };
}

function unwrap(words: readonly Word[], input: Output | null): Unwrapped {
  const [first, ...rest] = words;
  const program = programOf(first);
  const starter = Object.hasOwn(STARTERS, program) ? STARTERS[program] : undefined;
  if (DYNAMIC_LINKER.test(program)) return unwrapStarter(program, rest, {});
  if (starter !== undefined) return unwrapStarter(program, rest, starter);
  if (LINE_RUNNERS.has(program)) {
    const runs = refuse(program, 'runs its arguments as a command');
    return { ...runs, lines: [joinWords([...rest])] };
  }
  switch (program) {
    case 'alias':
      return { ...refuse(program, 'defines an alias for a line'), lines: rest.flatMap(aliasedLine) };
    case 'eval':
      return { ...NOTHING, lines: [{ ...joinWords(rest), runsInThisShell: true }] };
    case 'trap':
      return rest.length < 2 || rest[0] === undefined || /^-?$/.test(rest[0].text)
        ? NOTHING
        : { ...NOTHING, lines: [{ line: rest[0], runsInThisShell: true }] };
    case 'watch':
      return {
        ...NOTHING,
        lines: [
          joinWords(
            parseOptions(rest, { letters: 'nd', names: ['--interval'], stopAtOperand: true }).operands,
          ),
        ],
      };
    case 'hyperfine':
    case 'concurrently':
      return { ...NOTHING, lines: lineOperands(rest) };
    case 'script':
      return unwrapScript(rest);
    case 'env':
      return unwrapEnv(rest);
    case 'xargs':
      return unwrapXargs(rest, input);
    case 'find':
      return unwrapFind(rest);
    case 'fd':
    case 'fdfind':
      return unwrapFd(rest);
    case 'hash':
      return rest.some((word) => /^-\w*p/.test(word.text))
        ? refuse(program, 'defines an alias for a program')
        : NOTHING;
    case 'enable':
      return refuse(program, 'changes how the shell reads words');
    case 'ssh':
      return parseOptions(rest, { letters: 'bcDEeFIiJLlmOopQRSWw', stopAtOperand: true }).operands.length > 1
        ? refuse(program, 'runs a line on another machine')
        : NOTHING;
    case 'flock':
      return unwrapFlock(rest);
    case 'direnv':
      return rest[0]?.text === 'exec' ? startCall(rest.slice(2)) : NOTHING;
    case 'cmake':
      return rest[0]?.text === '-E' ? startCall(rest.slice(1), { packaged: true }) : NOTHING;
    default:
      return unwrapRunner(program, rest);
  }
}

function refuse(program: string, does: string): Unwrapped {
  return { ...NOTHING, problem: `${program} ${does}` };
}

/** `alias g='git push'` names a line that a later line may run. */
function aliasedLine(word: Word): NestedLine[] {
  const at = word.text.indexOf('=');
  if (at < 0) return [];
  return [
    { line: { ...quotedWord(word.text.slice(at + 1)), unknown: word.unknown }, runsInThisShell: false },
  ];
}

/** Words that a program joins into a line. */
function joinWords(words: readonly Word[]): NestedLine {
  const text = words.map((word) => word.text).join(' ');
  const line = words.length === 1 && words[0] !== undefined ? words[0] : quotedWord(text);
  return { line: { ...line, unknown: words.some(({ unknown }) => unknown) }, runsInThisShell: false };
}

/** Each operand is a line of its own. */
function lineOperands(words: readonly Word[]): NestedLine[] {
  return words.filter(({ text }) => !text.startsWith('-')).map((line) => ({ line, runsInThisShell: false }));
}

function startCall(
  words: readonly Word[],
  { assignments = [], packaged = false, folder = null }: Partial<Omit<Call, 'words'>> = {},
): Unwrapped {
  return words.length === 0 && assignments.length === 0
    ? NOTHING
    : { ...NOTHING, inner: [{ words, assignments, packaged, folder }] };
}

/** `script -c LINE` runs a line and records its output. */
function unwrapScript(rest: readonly Word[]): Unwrapped {
  const parsed = parseOptions(rest, { letters: 'cEIOBTmo', names: ['--command'] });
  const lines = optionValues(parsed, '-c', '--command').map((line) => ({ line, runsInThisShell: false }));
  return lines.length === 0 ? refuse('script', 'starts a shell') : { ...NOTHING, lines };
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
    return refuse(program, 'starts a shell');
  const skipped = operands.slice(form.skip ?? 0);
  const at = skipped.findIndex((word) => readGivenAssignment(word) === null);
  const [assignments, inner] = at < 0 ? [skipped, []] : [skipped.slice(0, at), skipped.slice(at)];
  return startCall(inner, { assignments });
}

function unwrapEnv(rest: readonly Word[]): Unwrapped {
  const form = {
    letters: 'uCSa',
    names: ['--unset', '--chdir', '--split-string', '--argv0'],
    stopAtOperand: true,
  };
  const parsed = parseOptions(rest, form);
  const { operands } = parsed;
  const texts = optionValues(parsed, '-S', '--split-string');
  if (texts.length > 0) return { ...NOTHING, lines: [joinWords([...texts, ...operands])] };
  const [folder = null] = optionValues(parsed, '-C', '--chdir');
  // A single dash empties the environment.
  const given = operands[0]?.text === '-' ? operands.slice(1) : operands;
  const at = given.findIndex((word) => !/^[^=]+=/.test(word.text));
  if (at < 0) return startCall([], { assignments: given });
  return startCall(given.slice(at), { assignments: given.slice(0, at), folder });
}

/** The input of xargs is known if it comes from a program that lists paths. */
function unwrapXargs(rest: readonly Word[], input: Output | null): Unwrapped {
  const form = {
    letters: 'adEIJLnPRSs',
    names: ['--arg-file', '--delimiter', '--max-args', '--max-procs', '--max-chars', '--process-slot-var'],
    stopAtOperand: true,
  };
  const parsed = parseOptions(rest, form);
  const { options, operands } = parsed;
  if (operands.length === 0) return NOTHING;
  const replacing = options.find(({ name }) => ['-I', '-J', '-i', '--replace'].includes(name));
  const isOther = hasOption(parsed, '-a', '--arg-file', '-d', '--delimiter', '-0', '--null');
  const known = hasOption(parsed, '-a', '--arg-file') ? null : input;
  const supplied =
    known === null
      ? [SUPPLIED_WORD]
      : known.words.flatMap((line) => splitInput(line, isOther, replacing !== undefined));
  const placeholder = replacing?.value?.text ?? '{}';
  const words = operands.flatMap((word) => fillIn(word, placeholder, supplied));
  return startCall(replacing === undefined ? [...words, ...supplied] : words);
}

/** Xargs splits lines into words and interprets quotes, unless it is given another separator. */
function splitInput(line: Word, hasSeparator: boolean, isWhole: boolean): readonly Word[] {
  if (line.below !== null || line.pattern || line.unknown) return [line];
  if (hasSeparator || /['"\\]/.test(line.text)) return [SUPPLIED_WORD];
  if (isWhole) return [plainWord(line.text.trimStart())];
  return line.text
    .split(/\s+/)
    .filter((text) => text !== '')
    .map(plainWord);
}

/** Replaces the placeholder of a program with the paths it supplies. */
function fillIn(word: Word, placeholder: string, supplied: readonly Word[]): readonly Word[] {
  const at = word.text.indexOf(placeholder);
  if (at < 0 || placeholder === '') return [word];
  return supplied.map((path) => {
    const text = word.text.replaceAll(placeholder, path.text);
    // In a shell line, a name could be interpreted as code.
    if (path.unknown || /\s/.test(word.text))
      return { ...word, text, unknown: true, pieces: splitAtPlaceholder(word.text, at, placeholder) };
    const known = path.below === null ? text : word.text.slice(0, at) + path.text;
    return { ...path, text: known, raw: known };
  });
}

function splitAtPlaceholder(text: string, at: number, placeholder: string): readonly Piece[] {
  const pieces: readonly Piece[] = [
    { kind: 'text', text: text.slice(0, at), quoted: true },
    { kind: 'unknown', raw: placeholder, quoted: true },
    { kind: 'text', text: text.slice(at + placeholder.length), quoted: true },
  ];
  return pieces.filter((piece) => piece.kind !== 'text' || piece.text !== '');
}

const FIND_RUNS = new Set(['-exec', '-execdir', '-ok', '-okdir']);

function unwrapFind(rest: readonly Word[]): Unwrapped {
  const inner: Call[] = [];
  const found = foundPaths(rest);
  for (let index = 0; index < rest.length; index += 1) {
    const word = rest[index];
    if (word === undefined || !FIND_RUNS.has(word.text)) continue;
    let end = index + 1;
    while (end < rest.length && !endsExec(rest, end)) end += 1;
    const words = rest.slice(index + 1, end);
    inner.push({
      words: words.flatMap((each) => fillIn(each, '{}', found)),
      assignments: [],
      packaged: false,
      // It runs below the searched folder, in a folder that the line doesn't name.
      folder: word.text.endsWith('dir') ? SUPPLIED_WORD : null,
    });
    index += words.length;
  }
  const hasUnknown = rest.some((word, index) => word.unknown && !isValueOfTest(word, rest[index - 1]));
  return {
    ...NOTHING,
    inner,
    problem: hasUnknown ? 'an expansion may add an option that makes find run a program' : null,
  };
}

function endsExec(words: readonly Word[], at: number): boolean {
  const text = words[at]?.text;
  return text === ';' || (text === '+' && words[at - 1]?.text === '{}');
}

/** A test consumes the next word as its value; in quotes an expansion stays one word. */
function isValueOfTest(word: Word, before: Word | undefined): boolean {
  return word.quoting !== 'none' && before !== undefined && FIND_VALUES.test(before.text);
}

const FIND_VALUES =
  /^-(?:i?(?:name|path|wholename|regex|lname)|newer\w*|anewer|cnewer|type|xtype|size|user|group|perm|[acm](?:time|min)|maxdepth|mindepth|samefile|printf)$/;

function unwrapFd(rest: readonly Word[]): Unwrapped {
  const at = rest.findIndex(({ text }) => ['-x', '-X', '--exec', '--exec-batch'].includes(text));
  if (at >= 0) return startCall(fillExec(rest.slice(at + 1), fdPaths(rest.slice(0, at))));
  return rest.some(({ text }) => /^(?:-[xX].|--exec)/.test(text))
    ? refuse('fd', 'runs its arguments as a command')
    : NOTHING;
}

/** The found paths come last unless a placeholder says where. */
function fillExec(words: readonly Word[], found: readonly Word[]): readonly Word[] {
  const hasPlaceholder = words.some(({ text }) => text.includes('{'));
  return hasPlaceholder ? words.flatMap((word) => fillIn(word, '{}', found)) : [...words, ...found];
}

function unwrapFlock(rest: readonly Word[]): Unwrapped {
  const { options, operands } = parseOptions(rest, {
    letters: 'wEc',
    names: ['--timeout', '--command'],
    stopAtOperand: true,
  });
  const [, next, line] = operands;
  const given = options.find(({ name }) => name === '-c' || name === '--command')?.value;
  const own = given ?? (next?.text === '-c' ? line : undefined);
  if (own !== undefined) return { ...NOTHING, lines: [{ line: own, runsInThisShell: false }] };
  return startCall(operands.slice(1));
}

/** Runners that only start executables of packages; the others start any program. */
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
  const [verb, ...after] = stripSelector(program, operands);
  if (verbs.length > 0 && (verb === undefined || !verbs.includes(verb.text))) return NOTHING;
  const isLine = (word: Word) => /^(?:-c|--call|--shell-mode)(?:$|=)/.test(word.text);
  const own = rest.slice(0, rest.length - operands.length + (verbs.length > 0 ? 1 : 0));
  const inner = verbs.length > 0 ? parseOptions(after, { ...form, stopAtOperand: true }).operands : operands;
  const flags = verbs.length > 0 ? after.slice(0, after.length - inner.length) : [];
  const given = [...own, ...flags];
  const lineAt = given.findIndex(isLine);
  if (lineAt >= 0) {
    const line = given[lineAt + 1] ?? inner[0];
    return line === undefined
      ? refuse(program, 'runs its arguments as a command')
      : { ...NOTHING, lines: [{ line, runsInThisShell: false }] };
  }
  const packaged = FROM_PACKAGES.has(program) || verb?.text === 'dlx';
  // Before `--`, some runners take a version or a location.
  const dashes = inner.findIndex(({ text }) => text === '--');
  const afterDashes = dashes < 0 ? [] : startCall(inner.slice(dashes + 1), { packaged }).inner;
  return { ...NOTHING, inner: [...startCall(inner, { packaged }).inner, ...afterDashes] };
}

/** Removes words that only select packages or a group of verbs. */
function stripSelector(program: string, operands: readonly Word[]): readonly Word[] {
  const [first] = operands;
  if (program === 'uv' && first?.text === 'tool') return operands.slice(1);
  if (program !== 'yarn' || !/^workspaces?$/.test(first?.text ?? '')) return operands;
  const at = operands.findIndex(({ text }) => text === 'exec');
  return at < 0 ? operands : operands.slice(at);
}
