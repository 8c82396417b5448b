import { ownValue } from '../../contracts/own-value.ts';
import type { FileTexts } from './changed-command.ts';
import { pathIn } from './command-part.ts';

/**
 * Files that the configuration of a test runner names: setup files, transforms, reporters, plugins. They run before
 * or around every test, so they decide a verdict whatever their names are.
 */

const JAVASCRIPT = ['js', 'cjs', 'mjs', 'ts', 'mts', 'cts'];

/** Configuration that may name further files, looked up next to a changed file and in every folder above it. */
const CONFIGURATIONS: readonly string[] = [
  ...JAVASCRIPT.flatMap((ending) => [
    `jest.config.${ending}`,
    `vitest.config.${ending}`,
    `vite.config.${ending}`,
  ]),
  ...['js', 'cjs', 'json', 'jsonc', 'yml', 'yaml'].map((ending) => `.mocharc.${ending}`),
  ...['js', 'ts'].flatMap((ending) => [`playwright.config.${ending}`, `cypress.config.${ending}`]),
  'jest.config.json',
  'vitest.workspace.ts',
  'ava.config.js',
  'karma.conf.js',
  'package.json',
  'conftest.py',
  'pytest.ini',
  'pyproject.toml',
  'setup.cfg',
  'tox.ini',
  'phpunit.xml',
  'phpunit.xml.dist',
];

/** Maximum number of folders to search; a change that spans more is reviewed by a person for other reasons. */
const MAX_FOLDERS = 60;

/** The configuration files to read at the base before `filesNamedBy` can answer. */
export function configurationsNear(paths: readonly string[]): string[] {
  const folders = new Set<string>(['']);
  for (const path of paths) {
    const parts = path.split('/').slice(0, -1);
    for (let depth = parts.length; depth > 0 && folders.size < MAX_FOLDERS; depth -= 1)
      folders.add(`${parts.slice(0, depth).join('/')}/`);
  }
  return [...folders].flatMap((folder) => CONFIGURATIONS.map((name) => `${folder}${name}`));
}

/** The paths among `changed` that the configuration of the base names. */
export function filesNamedBy(configurations: FileTexts, changed: readonly string[]): string[] {
  const named = [...configurations].flatMap(([path, text]) =>
    text === null ? [] : findNamedPaths(path, text),
  );
  const stems = new Set(named);
  return changed.filter(
    (path) => stems.has(path) || stems.has(path.replace(/\.[a-z]+$/i, '')) || stems.has(withoutIndex(path)),
  );
}

function withoutIndex(path: string): string {
  return path.replace(/\/(?:index\.[a-z]+|__init__\.py)$/i, '');
}

/** Whether the configuration or the command of a check runs the examples in docstrings. */
export function runsDoctests(configurations: FileTexts, commands: readonly (readonly string[])[]): boolean {
  const texts = [...configurations.values(), ...commands.map((words) => words.join(' '))];
  return texts.some((text) => text?.includes('doctest') === true);
}

/** Paths with or without an extension, relative to the repository. */
function findNamedPaths(path: string, text: string): string[] {
  const at = path.lastIndexOf('/');
  const folder = path.slice(0, Math.max(0, at));
  const name = path.slice(at + 1);
  if (/\.(?:py|ini|cfg|toml)$/.test(name))
    return pythonModules(text).flatMap((module) => moduleFiles(folder, module));
  const paths = /\.(?:ya?ml|xml|dist)$/.test(name)
    ? [...text.matchAll(/[\w@./-]+\.(?:[cm]?[jt]sx?|php)\b/g)].map(([found]) => found)
    : namesInScript(name === 'package.json' ? checkSections(text) : text);
  return paths.flatMap((each) => pathIn(folder, each.replace(/^<rootDir>\/?/, '')) ?? []);
}

/** Sections of a package.json that configure a test runner, as text. */
function checkSections(text: string): string {
  try {
    const manifest = JSON.parse(text) as Readonly<Record<string, unknown>>;
    return ['jest', 'vitest', 'mocha', 'ava', 'nyc', 'c8', 'tap']
      .map((key) => JSON.stringify(ownValue(manifest, key)) ?? '')
      .join('\n');
  } catch {
    return '';
  }
}

/** Keys whose files run with the tests. Other keys, such as aliases and coverage lists, name the code under test. */
const KEYS =
  /\b(?:setupFiles\w*|setupFile|globalSetup|globalTeardown|transform|testEnvironment|environment|runner|testRunner|reporters?|resolver|snapshot\w+|testSequencer|sequencer|testResultsProcessor|preset|presets|plugins?|require|import|file|loader|supportFile|pool|provider|diff)["']?\s*[:=]\s*/g;
const IMPORTS = /(?:\bfrom|\bimport|\brequire\s*\(|\bimport\s*\()\s*(["'])(\.{1,2}\/[^"'\n]{1,200})\1/g;
/** A configuration also imports data and the code under test, which don't belong to the runner. */
const NOT_OF_THE_RUNNER = /^\.\/(?:src|lib|app|source)\/|\.(?:json|css|scss|svg|md)$/;
/** A longer value is truncated, because configuration is short. */
const MAX_VALUE = 1_000;

function namesInScript(text: string): string[] {
  const values = [...text.matchAll(KEYS)].map((match) => valueAt(text, match.index + match[0].length));
  const quoted = values.flatMap((value) =>
    [...value.matchAll(/(["'`])([^"'`\n]{1,200})\1/g)].map(([, , found = '']) => found),
  );
  const imported = [...text.matchAll(IMPORTS)].map(([, , found = '']) => found);
  return [...quoted, ...imported.filter((found) => !NOT_OF_THE_RUNNER.test(found))];
}

/** The value up to its closing bracket, or to the end of its line. */
function valueAt(text: string, start: number): string {
  let depth = 0;
  const end = Math.min(text.length, start + MAX_VALUE);
  for (let at = start; at < end; at += 1) {
    const char = text[at] ?? '';
    if ('[{('.includes(char)) depth += 1;
    if (']})'.includes(char)) depth -= 1;
    const isEnd = depth < 0 || (depth === 0 && (']})'.includes(char) || char === '\n' || char === ','));
    if (isEnd) return text.slice(start, at + 1);
  }
  return text.slice(start, end);
}

/** Matches `pytest_plugins = ["shop.plugin"]` and `addopts = -p shop.plugin`. */
function pythonModules(text: string): string[] {
  const lists = [...text.matchAll(/\bpytest_plugins\s*=\s*/g)].map((match) =>
    valueAt(text, match.index + match[0].length),
  );
  return [
    ...lists.flatMap((list) => [...list.matchAll(/["']([\w.]{1,200})["']/g)].map(([, found = '']) => found)),
    ...[...text.matchAll(/(?:^|[\s"'=])-p[ =]?["']?([A-Za-z_][\w.]{0,200})/gm)].map(
      ([, found = '']) => found,
    ),
  ];
}

function moduleFiles(folder: string, module: string): string[] {
  const path = module.replaceAll('.', '/');
  return [pathIn(folder, path), pathIn(folder, `src/${path}`), path, `src/${path}`].flatMap(
    (each) => each ?? [],
  );
}
