import type { DetectedName, DetectedValidator } from '../../../contracts/config/detected-validator.ts';
import { withoutComments } from '../../../setup/declared-paths.ts';
import type { ProjectFiles } from './found-commands.ts';

interface Tool {
  readonly validator: DetectedName;
  readonly program: string;
  readonly args: readonly string[];
  /** Tables of pyproject.toml, files, and tables of other files that configure the tool. */
  readonly tables: readonly string[];
  readonly files: readonly string[];
  readonly elsewhere: readonly (readonly [string, string])[];
}

/** In order of preference for each name. */
const TOOLS: readonly Tool[] = [
  {
    validator: 'tests',
    program: 'pytest',
    args: [],
    tables: ['tool.pytest'],
    files: ['pytest.ini', '.pytest.ini', 'pytest.toml', 'conftest.py'],
    elsewhere: [
      ['setup.cfg', 'tool:pytest'],
      ['tox.ini', 'pytest'],
    ],
  },
  {
    validator: 'lint',
    program: 'ruff',
    args: ['check'],
    tables: ['tool.ruff'],
    files: ['ruff.toml', '.ruff.toml'],
    elsewhere: [],
  },
  {
    validator: 'typecheck',
    program: 'mypy',
    args: [],
    tables: ['tool.mypy'],
    files: ['mypy.ini', '.mypy.ini'],
    elsewhere: [['setup.cfg', 'mypy']],
  },
  {
    validator: 'typecheck',
    program: 'pyright',
    args: [],
    tables: ['tool.pyright'],
    files: ['pyrightconfig.json'],
    elsewhere: [],
  },
];

/** Lock files, with the program that runs commands in the project's environment. */
const RUNNERS: readonly (readonly [string, string])[] = [
  ['uv.lock', 'uv'],
  ['poetry.lock', 'poetry'],
  ['pdm.lock', 'pdm'],
];

const PYPROJECT = 'pyproject.toml';

export function findPythonTools(files: ProjectFiles): DetectedValidator[] {
  return TOOLS.flatMap((tool) => {
    const source = sourceOf(files, tool);
    if (source === null) return [];
    const { validator, program, args } = tool;
    const command = withRunner(files, [program, ...args, ...placesFor(files, tool)]);
    return [{ name: validator, command, source: `${program} in ${source}` }];
  });
}

/** The default test command of a Python project. It fails if the project has no tests. */
export function findPythonProject(files: ProjectFiles): DetectedValidator[] {
  const pyproject = withoutComments(files.get(PYPROJECT) ?? '');
  if (!['project', 'build-system', 'tool.poetry'].some((table) => hasTable(pyproject, table))) return [];
  return [{ name: 'tests', command: withRunner(files, ['pytest']), source: PYPROJECT }];
}

/** Folders of a repository that are searched for tests; the first is its root. */
export const PYTHON_TEST_FOLDERS = ['', 'tests/', 'test/'] as const;

/** Whether pytest takes a file of this name for a test file. */
export function isPythonTest(name: string): boolean {
  return /^(?:test_.*|.*_test|conftest)\.py$/.test(name);
}

/**
 * Tests without configuration. pytest is started as a module, so that tests can import from the root folder.
 */
export function findPythonTests(files: ProjectFiles): DetectedValidator[] {
  const path = [...files.keys()].find((each) =>
    PYTHON_TEST_FOLDERS.some((folder) => each.startsWith(folder) && isPythonTest(each.slice(folder.length))),
  );
  if (path === undefined) return [];
  return [{ name: 'tests', command: withRunner(files, ['python3', '-m', 'pytest']), source: path }];
}

function withRunner(
  files: ProjectFiles,
  words: readonly [string, ...string[]],
): readonly [string, ...string[]] {
  const runner = RUNNERS.find(([lock]) => files.has(lock))?.[1];
  return runner === undefined ? words : [runner, 'run', ...words];
}

function sourceOf(files: ProjectFiles, { program, tables, files: own, elsewhere }: Tool): string | null {
  const pyproject = withoutComments(files.get(PYPROJECT) ?? '');
  if (tables.some((table) => hasTable(pyproject, table)) || dependsOn(pyproject, program)) return PYPROJECT;
  const file = own.find((path) => files.has(path));
  if (file !== undefined) return file;
  const other = elsewhere.find(([path, table]) => hasTable(files.get(path) ?? '', table));
  return other?.[0] ?? requirementsWith(files, program);
}

/** The requirements file or Pipfile that lists the program. */
function requirementsWith(files: ProjectFiles, program: string): string | null {
  const listed = new RegExp(`^\\s*["']?${program}["']?\\s*(?:$|[\\[<>=!~;#@ ])`, 'mi');
  const paths = [...files.keys()].filter((path) => /requirements.*\.txt$|^Pipfile$/.test(path));
  return paths.find((path) => listed.test(files.get(path) ?? '')) ?? null;
}

/** mypy needs the paths to check, unless its configuration names them. */
function placesFor(files: ProjectFiles, { program }: Tool): string[] {
  if (program !== 'mypy') return [];
  const texts = [PYPROJECT, 'mypy.ini', '.mypy.ini', 'setup.cfg'].map((path) => files.get(path) ?? '');
  const isConfigured = texts.some((text) =>
    /^\s*(?:files|packages|modules)\s*=/m.test(tableText(text, 'tool.mypy') + tableText(text, 'mypy')),
  );
  return isConfigured ? [] : ['.'];
}

function tableText(text: string, table: string): string {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.trim() === `[${table}]`);
  if (start < 0) return '';
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => /^\s*\[/.test(line));
  return rest.slice(0, end < 0 ? rest.length : end).join('\n');
}

/** Whether the text has the table or one nested in it. */
function hasTable(text: string, table: string): boolean {
  return text.split('\n').some((line) => {
    const name = /^\s*\[\[?\s*([^\]]+?)\s*\]/.exec(line)?.[1];
    return name === table || name?.startsWith(`${table}.`) === true;
  });
}

/** Matches a requirement in a list, `"pytest>=8"`, or a key of poetry's tables, `pytest = "^8"`. */
function dependsOn(pyproject: string, program: string): boolean {
  const listed = new RegExp(`["']${program}\\s*(?:\\[[^\\]]*\\]\\s*)?(?:[<>=!~;@ ][^"']*)?["']`);
  if (listed.test(pyproject)) return true;
  const keyed = new RegExp(`^${program}\\s*=`, 'm');
  const tables = pyproject
    .split(/^(?=\s*\[)/m)
    .filter((text) => /^\s*\[tool\.poetry\..*dependencies\]/.test(text));
  return tables.some((text) => keyed.test(text));
}
