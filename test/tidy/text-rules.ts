import { blankSource } from './blank-source.ts';
import { file, isCode, isCodeIn, lineOf, type ProjectFile, type TidyRule } from './rule.ts';

const KEBAB_FOLDER = /^\.?[a-z0-9]+(?:-[a-z0-9]+)*$/;
const KEBAB_FILE = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.(?:(?:slow\.)?test|config|d))?\.[a-z]+$/;

export const fileNameRule: TidyRule = {
  name: 'names its code files and their folders in kebab-case',
  covers: isCode,
  mustSee: ['src/main.ts', 'test/tidy.test.ts', 'testing/plans.ts', 'scripts/setup.mjs', 'vitest.config.ts'],
  check: (files) =>
    files
      .filter(({ path }) => {
        const folders = path.split('/');
        const name = folders.pop() ?? '';
        return !KEBAB_FILE.test(name) || !folders.every((folder) => KEBAB_FOLDER.test(folder));
      })
      .map(({ path }) => `${path}: is not in kebab-case`),
  bad: {
    'camel case': [file('src/kernel/runState.ts')],
    'snake case': [file('src/kernel/run_state.ts')],
    'a folder in capitals': [file('src/Kernel/state.ts')],
    'a second ending': [file('src/kernel/run.state.ts')],
  },
  good: {
    'a test': [file('test/unit/run-state.test.ts')],
    'a slow test': [file('test/kills/kills.slow.test.ts')],
    'a configuration': [file('vitest.config.ts')],
  },
};

export const defaultExportRule: TidyRule = {
  name: 'has no default export but in configuration that wants one',
  covers: (path) => isCode(path) && !/\.config\.[a-z]+$/.test(path),
  mustSee: ['src/main.ts', 'test/tidy.test.ts', 'testing/plans.ts', 'scripts/setup.mjs'],
  check: (files) =>
    findInCode(
      files,
      /\bexport\s+default\b|\bexport\s*\{[^}]*\bdefault\s*[,}]/g,
      () => 'has a default export',
    ),
  bad: {
    'a function': [file('src/a.ts', 'export default function run() {}')],
    'a name': [file('src/a.ts', 'const run = 1;', 'export { run as default };')],
    'one that is passed on': [file('src/a.ts', "export { default } from './b.ts';")],
  },
  good: {
    'the words in a string': [file('src/a.ts', "export const text = 'export default';")],
    'a default of a package': [file('src/a.ts', "export { default as match } from 'picomatch';")],
  },
};

const MAX_LINES = 400;

export const lengthRule: TidyRule = {
  name: `has no file above ${MAX_LINES} lines in src`,
  covers: (path) => /^(?:web\/)?src\//.test(path),
  mustSee: ['src/main.ts', 'src/kernel/decide.ts', 'web/src/main.tsx'],
  check: (files) =>
    files
      .map(({ path, text }) => ({ path, lines: text.replace(/\n$/, '').split('\n').length }))
      .filter(({ lines }) => lines > MAX_LINES)
      .map(({ path, lines }) => `${path}: has ${lines} lines`),
  bad: { 'a line too many': [file('src/a.ts', ...lines(MAX_LINES + 1))] },
  good: { 'a file that is full': [file('src/a.ts', ...lines(MAX_LINES))] },
};

function lines(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `// ${index}`);
}

/** Put together here, so that this file does not offend. */
const MARKERS = [
  ['TO', 'DO'],
  ['FIX', 'ME'],
  ['X', 'XX'],
].map((parts) => parts.join(''));

/** A mark is in a comment; code that looks for marks has them in strings and expressions. */
const MARKED_COMMENT = new RegExp(
  `(?<=^[^'"\`\\n]*(?://|/\\*|^\\s*\\*)[^\\n]*)\\b(?:${MARKERS.join('|')})\\b`,
  'gm',
);

export const markerRule: TidyRule = {
  name: 'leaves no marks of unfinished work',
  // Fixtures are texts that others wrote.
  covers: (path) => /^(?:src|testing|test|web)\//.test(path) && !path.startsWith('test/fixtures/'),
  mustSee: ['src/main.ts', 'testing/plans.ts', 'test/tidy.test.ts'],
  check: (files) =>
    files.flatMap(({ path, text }) =>
      [...text.matchAll(MARKED_COMMENT)].map(
        (match) => `${path}:${lineOf(text, match.index)}: is marked ${match[0]}`,
      ),
    ),
  bad: Object.fromEntries(
    MARKERS.map((marker) => [`a comment with ${marker}`, [file('src/a.ts', `// ${marker}: later`)]]),
  ),
  good: {
    'a longer word': [file('src/a.ts', `const template = 'run-${MARKERS.join('')}';`)],
    'code that looks for marks': [file('src/a.ts', `const MARK = '// ${MARKERS[0]}';`)],
  },
};

const MODIFIER = /\b(?<receiver>[\w$]+)(?:\.[\w$]+)*\.(?<modifier>only|skip)\b(?:\.each)?\s*[(`]/g;
const TEST_FUNCTIONS = ['it', 'test', 'describe', 'suite'];

export const skipRule: TidyRule = {
  name: 'runs every test, or says beside it why one is skipped',
  covers: isCodeIn('test', 'testing'),
  mustSee: ['test/tidy.test.ts', 'testing/plans.ts', 'test/unit/kernel/routes.test.ts'],
  check: (files) =>
    files.flatMap((tested) => {
      const { bare, comments } = blankSource(tested.text);
      return [...bare.matchAll(MODIFIER)]
        .filter((match) => !hasReason(match, bare, comments))
        .map(
          (match) => `${tested.path}:${lineOf(tested.text, match.index)}: gives no reason for ${match[0]}`,
        );
    }),
  bad: {
    'a skipped test': [file('test/a.test.ts', "it.skip('works', () => {});")],
    'a test that shuts out the others': [file('test/a.test.ts', "test.only('works', () => {});")],
    'a table': [file('test/a.test.ts', "describe.skip.each([1, 2])('works with %i', () => {});")],
    'a test that skips itself without a word': [file('test/a.test.ts', 'it("works", (t) => t.skip());')],
  },
  good: {
    'a reason on the line above': [
      file(
        'test/a.test.ts',
        '// The kernel of this machine has no such call.',
        "it.skip('works', () => {});",
      ),
    ],
    'a reason on the same line': [file('test/a.test.ts', "it.skip('works', run); // Needs a terminal.")],
    'a reason as an argument': [file('test/a.test.ts', "it('works', (t) => t.skip('needs a terminal'));")],
    'the words in a string': [file('test/a.test.ts', 'const text = "it.skip(";')],
  },
};

/** A comment on the line or on the one above; for a test that skips itself, a string handed to it. */
function hasReason(match: RegExpExecArray, bare: string, comments: string): boolean {
  const line = lineOf(bare, match.index);
  const nearby = comments.split('\n').slice(Math.max(0, line - 2), line);
  if (nearby.some((comment) => comment.trim() !== '')) return true;
  if (TEST_FUNCTIONS.includes(match.groups?.receiver ?? '')) return false;
  return /^[^)]*["'`]/.test(bare.slice(match.index + match[0].length));
}

const HOMES = ['work', 'root', 'farm'].join('|');
/** Absolute, so no part of a path or word precedes the slash. */
const MACHINE_PATH = new RegExp(`(?<![\\w.~*})\\]-])/(?:${HOMES}|home/[\\w.-]+)/`, 'g');

export const machinePathRule: TidyRule = {
  name: 'names no path of the machine it was written on',
  covers: (path) => path !== 'package-lock.json',
  mustSee: ['package.json', 'src/main.ts', 'test/tidy.test.ts', 'scripts/setup.mjs', 'LICENSE', '.npmrc'],
  check: (files) =>
    files.flatMap(({ path, text }) =>
      [...text.matchAll(MACHINE_PATH)].map(
        (match) => `${path}:${lineOf(text, match.index)}: names ${match[0]}`,
      ),
    ),
  bad: Object.fromEntries(
    ['work', 'root', 'farm', 'home/ann'].map((place) => [
      `a path under ${place}`,
      [file('docs/a.md', `Look into \`${['', place, 'notes.md'].join('/')}\`.`)],
    ]),
  ),
  good: {
    'a relative path': [file('docs/a.md', ['src', 'work', 'item.ts'].join('/'))],
    'an address': [file('docs/a.md', ['https://example.invalid', 'home', 'ann', 'a.md'].join('/'))],
    'a placeholder': [file('docs/a.md', ['', 'home', '<user>', 'a.md'].join('/'))],
  },
};

function findInCode(files: readonly ProjectFile[], pattern: RegExp, describe: () => string): string[] {
  return files.flatMap(({ path, text }) =>
    [...blankSource(text).bare.matchAll(pattern)].map(
      (match) => `${path}:${lineOf(text, match.index)}: ${describe()}`,
    ),
  );
}
