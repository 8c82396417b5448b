import { blankSource } from './blank-source.ts';
import { layerOf } from './layers.ts';
import { file, isCode, lineOf, type TidyRule } from './rule.ts';

/** What reaches out of a computation: the clock, chance, the machine, the network, the event loop. */
const AMBIENT = [
  'Date',
  'Temporal',
  'Math\\s*\\.\\s*random',
  'process',
  'performance',
  'crypto',
  'fetch',
  'console',
  'globalThis',
  'global',
  'require',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'import\\s*\\.\\s*meta',
];

/** Use cases compare dates that they are given, but don't ask for the time. */
const AMBIENT_IN_APP = AMBIENT.map((name) =>
  name === 'Date' ? 'Date\\s*\\.\\s*now|new\\s+Date\\s*\\(\\s*\\)' : name,
);

const USE = usePattern(AMBIENT);
const USE_IN_APP = usePattern(AMBIENT_IN_APP);
/** `Math` itself, from which `random` could be taken under another name. */
const WHOLE_MATH = /(?<![\w$.])Math(?![\w$])(?!\s*\??\.)/g;

function usePattern(names: readonly string[]): RegExp {
  return new RegExp(`(?<![\\w$#])(?<!(?<!\\.\\.)\\.\\s*)(?:${names.join('|')})(?![\\w$])`, 'g');
}

export const ambientRule: TidyRule = {
  name: 'keeps clock, chance, process, network and timers out of its pure folders and its use cases',
  covers: (path) => isCode(path) && ['pure', 'app'].includes(layerOf(path).kind),
  mustSee: ['src/kernel/decide.ts', 'src/workflow/check-workflow.ts', 'src/diagnostics/codes.ts'].concat([
    'src/contracts/run/event.ts',
    'src/planner/table/evaluate.ts',
    'src/policy/assemble.ts',
    'src/app/drive/run-workflow.ts',
  ]),
  check: (files) =>
    files.flatMap(({ path, text }) => {
      const { bare } = blankSource(text);
      const used = layerOf(path).kind === 'app' ? USE_IN_APP : USE;
      return [...bare.matchAll(used), ...bare.matchAll(WHOLE_MATH)]
        .filter((match) => !isKey(bare, match.index, match[0].length))
        .map((match) => `${path}:${lineOf(text, match.index)}: uses ${match[0]}`);
    }),
  bad: {
    'the clock': [file('src/kernel/a.ts', 'export const now = () => Date.now();')],
    'the clock as a type': [file('src/kernel/a.ts', 'export type When = Date;')],
    chance: [file('src/kernel/a.ts', 'export const dice = () => Math.random();')],
    'chance under another name': [file('src/kernel/a.ts', 'const { random } = Math;')],
    'the environment in a template': [file('src/kernel/a.ts', 'export const home = `${process.env.HOME}`;')],
    'the environment spread': [file('src/kernel/a.ts', 'export const env = { ...process.env };')],
    'the environment in a choice': [file('src/kernel/a.ts', 'export const it = x ? process : null;')],
    'the high-resolution clock': [file('src/policy/a.ts', 'const start = performance.now();')],
    'random bytes': [file('src/planner/a.ts', 'const id = crypto.randomUUID();')],
    'the network': [file('src/workflow/a.ts', "const page = await fetch('x');")],
    'a timer': [file('src/workflow/a.ts', 'setTimeout(tick, 10);')],
    'an interval': [file('src/workflow/a.ts', 'setInterval(tick, 10);')],
    'the event loop': [file('src/workflow/a.ts', 'setImmediate(tick);')],
    'a microtask': [file('src/workflow/a.ts', 'queueMicrotask(tick);')],
    'the place of the file': [file('src/workflow/a.ts', 'export const here = import.meta.url;')],
    'the clock in a use case': [file('src/app/a.ts', 'const now = new Date();')],
    'the time in a use case': [file('src/app/a.ts', 'const now = Date.now();')],
    'the environment in a use case': [file('src/app/a.ts', 'export const home = process.env.HOME;')],
    'a global by the back door': [file('src/workflow/a.ts', "const now = globalThis['Da' + 'te'];")],
  },
  good: {
    'the words in prose': [
      file(
        'src/kernel/a.ts',
        '// The process starts; Date and Math.random stay outside.',
        "const a = 'process';",
      ),
    ],
    'keys and properties of that name': [
      file(
        'src/kernel/a.ts',
        'export interface Row {',
        '  readonly process: string;',
        '  fetch?: string;',
        '}',
        'export const row = { process: 1, crypto: 2 };',
        'export const read = (step: Row) => step.process ?? step?.fetch;',
      ),
    ],
    'words that contain them': [file('src/kernel/a.ts', 'const update = processed + dateOf(preprocess);')],
    'dates that a use case is given': [
      file('src/app/a.ts', 'export const age = (now: Date, at: string) => +now - Date.parse(at);'),
    ],
    arithmetic: [file('src/kernel/a.ts', 'const top = Math.max(a / 2, b / 2);')],
  },
};

/** A key of an object or a type; a choice has a colon too, but a question mark before. */
function isKey(bare: string, at: number, length: number): boolean {
  if (!/^\s*\??:/.test(bare.slice(at + length, at + length + 40))) return false;
  return /(?:[{,;(\n]|\breadonly)\s*$/.test(bare.slice(Math.max(0, at - 40), at));
}
