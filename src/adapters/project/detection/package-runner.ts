import { calledScript, splitWords } from '../../../reports/script-words.ts';
import { asObject, parseJsonObject } from '../../../text/json.ts';
import type { ProjectFiles } from './found-commands.ts';

/** The test runner that a package script starts last: it gets the arguments appended to the command. */
export interface ScriptRunner {
  /** `vitest`, `jest`, `node` …, without a path. */
  readonly program: string;
  readonly args: readonly string[];
  /** Number of nested `npm run` calls: npm removes one `--` at each of them. */
  readonly npmCalls: number;
  /** Variables that the scripts set themselves; they override those set before the command. */
  readonly variables: readonly string[];
}

/** Limit for scripts that call other scripts; more calls than this are a cycle. */
const MAX_CALLS = 8;
/** With one of these, appended arguments go elsewhere, or the exit code is not that of the runner. */
const NOT_PLAIN = /\|\||[|;<>\n`]|\$\(|&(?!&)/;
/** Report paths are relative to the root folder, so a script that changes the folder is not supported. */
const CHANGES_FOLDER = /(?:^|&&)\s*(?:cd|pushd)\b/;
const ASSIGNMENT = /^([A-Za-z_]\w*)=/;
const PREFIXES = new Set(['cross-env', 'cross-env-shell', 'npx', 'bunx', 'exec', 'dotenv', 'time']);
/** Coverage tools run the program after them and pass its arguments on. */
const COVERAGE = new Set(['c8', 'nyc']);
const PROGRAM_FILES: readonly (readonly [RegExp, string])[] = [
  [/(?:^|\/)vitest(?:\/vitest)?(?:\.mjs)?$/, 'vitest'],
  [/(?:^|\/)jest(?:\.js)?$/, 'jest'],
  [/(?:^|\/)_?mocha(?:\.c?js)?$/, 'mocha'],
  [/(?:^|\/)(?:ava|tap|tape|playwright)$/, ''],
];

/** Null if the command runs no script, or one whose runner can't be determined reliably. */
export function findScriptRunner(command: readonly string[], files: ProjectFiles): ScriptRunner | null {
  const scripts = asObject(parseJsonObject(files.get('package.json') ?? null)?.scripts);
  let words: readonly string[] = command;
  let npmCalls = 0;
  const variables: string[] = [];
  for (let call = 0; call < MAX_CALLS; call += 1) {
    const name = calledScript(words);
    const script = name === null ? undefined : scripts[name];
    if (typeof script !== 'string' || !Object.hasOwn(scripts, name ?? '')) break;
    if (words[0] === 'npm') npmCalls += 1;
    const line = script.split('&&').at(-1)?.trim() ?? '';
    if (line === '' || NOT_PLAIN.test(script.replaceAll('&&', ' ')) || CHANGES_FOLDER.test(script))
      return null;
    const whole = splitWords(line);
    words = withoutPrefixes(whole);
    const prefixes = whole.slice(0, whole.length - words.length);
    variables.push(...prefixes.flatMap((word) => ASSIGNMENT.exec(word)?.[1] ?? []));
  }
  // Other package managers keep a `--`, or warn about it, so a mixture is not supported.
  if (words === command || (npmCalls > 0 && command[0] !== 'npm')) return null;
  const [program, args] = programOf(words);
  return program === null ? null : { program, args, npmCalls, variables };
}

function withoutPrefixes(words: readonly string[]): string[] {
  let rest = [...words];
  for (;;) {
    const [first = '', second = ''] = rest;
    if (ASSIGNMENT.test(first)) rest = rest.slice(1);
    else if (/^(?:pnpm|yarn|npm)$/.test(first) && second === 'exec') rest = rest.slice(2);
    else if (PREFIXES.has(first)) {
      rest = rest.slice(1);
      while (rest[0]?.startsWith('-') === true) rest = rest.slice(1);
    } else if (COVERAGE.has(first)) {
      const at = rest.findIndex((word, index) => index > 0 && programIn(word) !== null);
      if (at < 0) return rest;
      rest = rest.slice(at);
    } else return rest;
  }
}

function programOf(words: readonly string[]): readonly [string | null, readonly string[]] {
  const [first = '', ...args] = words;
  if (first !== 'node') return [programIn(first) ?? first, args];
  // `node --experimental-vm-modules node_modules/jest/bin/jest.js`
  const at = args.findIndex((word) => word.includes('node_modules/') && programIn(word) !== null);
  const file = args[at];
  return file === undefined ? ['node', args] : [programIn(file), args.slice(at + 1)];
}

function programIn(word: string): string | null {
  for (const [pattern, name] of PROGRAM_FILES)
    if (pattern.test(word)) return name === '' ? word.slice(word.lastIndexOf('/') + 1) : name;
  return null;
}
