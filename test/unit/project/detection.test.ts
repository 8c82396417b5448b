import { describe, expect, it } from 'vitest';
import { findValidators } from '../../../src/adapters/project/detect-validators.ts';

type Files = Readonly<Record<string, string>>;
type Found = Readonly<Record<string, string>>;

/** Commands by name, as one would type them. */
function commandsIn(files: Files): Found {
  const found = findValidators(new Map(Object.entries(files)));
  return Object.fromEntries(found.map(({ name, command }) => [name, command.join(' ')]));
}

const scripts = (names: Files, more: object = {}) => JSON.stringify({ scripts: names, ...more });
const ALL = { test: 'vitest', lint: 'eslint .', typecheck: 'tsc' };

describe('validators are found', () => {
  it.each<[string, Files, Found]>([
    ['nowhere in an empty repository', {}, {}],
    [
      'in the scripts of a package',
      { 'package.json': scripts(ALL) },
      { tests: 'npm test', lint: 'npm run lint', typecheck: 'npm run typecheck' },
    ],
    [
      'under other names',
      { 'package.json': scripts({ 'type-check': 'tsc' }) },
      { typecheck: 'npm run type-check' },
    ],
    [
      'under yet other names',
      { 'package.json': scripts({ 'check-types': 'tsc' }) },
      { typecheck: 'npm run check-types' },
    ],
    [
      'not in the test that npm puts into every package',
      { 'package.json': scripts({ test: 'echo "Error: no test specified" && exit 1', lint: 'x' }) },
      { lint: 'npm run lint' },
    ],
    [
      'not in scripts that are no text',
      { 'package.json': '{"scripts":{"test":1,"lint":" ","typecheck":null}}' },
      {},
    ],
    ['not in a package that is no JSON', { 'package.json': '{ scripts: }' }, {}],
    ['not in a package that is a list', { 'package.json': '[]' }, {}],
    ['not in scripts that are a list', { 'package.json': '{"scripts":["test"]}' }, {}],
    ['not under a name that every object has', { 'package.json': '{"scripts":{}}' }, {}],
    [
      'with pnpm by its lock file',
      { 'package.json': scripts(ALL), 'pnpm-lock.yaml': '' },
      { tests: 'pnpm test', lint: 'pnpm run lint', typecheck: 'pnpm run typecheck' },
    ],
    [
      'with yarn by its lock file',
      { 'package.json': scripts({ test: 'x', lint: 'x' }), 'yarn.lock': '' },
      { tests: 'yarn test', lint: 'yarn run lint' },
    ],
    [
      'with bun, whose own test is another',
      { 'package.json': scripts({ test: 'x' }), 'bun.lock': '' },
      { tests: 'bun run test' },
    ],
    [
      'with bun by its old lock file',
      { 'package.json': scripts({ lint: 'x' }), 'bun.lockb': '' },
      { lint: 'bun run lint' },
    ],
    [
      'with the manager that the package names, whatever lies about',
      {
        'package.json': scripts({ test: 'x' }, { packageManager: 'yarn@4.1.0' }),
        'pnpm-lock.yaml': '',
        'package-lock.json': '',
      },
      { tests: 'yarn test' },
    ],
    [
      'with npm where an unknown manager is named',
      { 'package.json': scripts({ test: 'x' }, { packageManager: 'cnpm@1' }) },
      { tests: 'npm test' },
    ],
    [
      'in the packages of a workspace, where the top has none',
      {
        'package.json': scripts({ lint: 'x' }, { workspaces: ['packages/*'] }),
        'packages/a/package.json': scripts({ test: 'x', lint: 'x' }),
      },
      { tests: 'npm run test --workspaces --if-present', lint: 'npm run lint' },
    ],
    [
      'in the packages of a workspace of pnpm',
      {
        'package.json': '{}',
        'pnpm-workspace.yaml': 'packages:\n  - packages/*\n',
        'pnpm-lock.yaml': '',
        'packages/a/package.json': scripts({ test: 'x' }),
      },
      { tests: 'pnpm --recursive --if-present run test' },
    ],
    [
      'not in a workspace in which no package has any',
      { 'package.json': scripts({}, { workspaces: ['packages/*'] }), 'packages/a/package.json': '{}' },
      {},
    ],
    [
      'in pyproject.toml',
      {
        'pyproject.toml':
          '[project]\nname = "x"\n[tool.pytest.ini_options]\n[tool.ruff.lint]\n[tool.mypy]\nstrict = true\n',
      },
      { tests: 'pytest', lint: 'ruff check', typecheck: 'mypy .' },
    ],
    [
      'in what a project requires',
      { 'pyproject.toml': '[dependency-groups]\ndev = ["pytest>=8", "ruff", \'pyright[nodejs]>=1\']\n' },
      { tests: 'pytest', lint: 'ruff check', typecheck: 'pyright' },
    ],
    [
      "in what poetry's tables require",
      { 'pyproject.toml': '[tool.poetry.group.dev.dependencies]\npytest = "^8"\n', 'poetry.lock': '' },
      { tests: 'poetry run pytest' },
    ],
    [
      'not in plugins that only sound alike',
      { 'pyproject.toml': '[tool.x]\ndependencies = ["pytest-cov>=4", "ruff-lsp"]\n' },
      {},
    ],
    [
      'in any Python project, which is tested with pytest unless it says otherwise',
      { 'pyproject.toml': '[project]\nname = "x"\n', 'uv.lock': '' },
      { tests: 'uv run pytest' },
    ],
    [
      'in a Python project after everything else',
      { 'pyproject.toml': '[build-system]\n', 'Cargo.toml': '[package]\n' },
      { tests: 'cargo test', lint: 'cargo clippy', typecheck: 'cargo check' },
    ],
    [
      'in a package behind the mark of an editor',
      { 'package.json': `\ufeff${scripts({ test: 'x', tsc: 'tsc' })}` },
      { tests: 'npm test', typecheck: 'npm run tsc' },
    ],
    ['not in comments', { 'pyproject.toml': '# [tool.pytest]\n# "pytest"\n' }, {}],
    [
      'with uv by its lock file',
      { 'pyproject.toml': '[tool.pytest.ini_options]\n[tool.pyright]\n', 'uv.lock': '' },
      { tests: 'uv run pytest', typecheck: 'uv run pyright' },
    ],
    [
      'with mypy before pyright, which takes its paths from its configuration',
      { 'pyproject.toml': '[tool.pyright]\n[tool.mypy]\nfiles = ["src"]\n[tool.x]\n' },
      { typecheck: 'mypy' },
    ],
    [
      'in the files of older Python projects',
      { 'setup.cfg': '[tool:pytest]\n[mypy]\npackages = x\n', 'ruff.toml': '' },
      { tests: 'pytest', lint: 'ruff check', typecheck: 'mypy' },
    ],
    ['in pytest.ini', { 'pytest.ini': '' }, { tests: 'pytest' }],
    [
      'in files of Python tests that nothing configures',
      { 'test_sum.py': '' },
      { tests: 'python3 -m pytest' },
    ],
    [
      'in a folder of such files',
      { 'tests/sum_test.py': '', 'uv.lock': '' },
      { tests: 'uv run python3 -m pytest' },
    ],
    ['not in other files of Python', { 'testing.py': '', 'tests/data.py': '' }, {}],
    ['in a script before such files', { 'test.sh': '', 'test_sum.py': '' }, { tests: 'sh test.sh' }],
    ['in a script that checks', { 'check.sh': '#!/bin/bash\n' }, { tests: 'bash check.sh' }],
    [
      'in Cargo.toml',
      { 'Cargo.toml': '[package]\nname = "x"\n' },
      { tests: 'cargo test', lint: 'cargo clippy', typecheck: 'cargo check' },
    ],
    [
      'in a workspace of cargo with a package at its top',
      { 'Cargo.toml': '[workspace]\n[package]\n' },
      {
        tests: 'cargo test --workspace',
        lint: 'cargo clippy --workspace',
        typecheck: 'cargo check --workspace',
      },
    ],
    [
      'in a workspace of cargo alone',
      { 'Cargo.toml': '[workspace]\nmembers = ["a"]\n' },
      { tests: 'cargo test', lint: 'cargo clippy', typecheck: 'cargo check' },
    ],
    ['in go.mod', { 'go.mod': '' }, { tests: 'go test ./...', lint: 'go vet ./...' }],
    [
      'in the targets of a Makefile',
      { Makefile: '.PHONY: test lint\ntest lint: build\n\techo\ntypecheck ::\n\ttsc\n' },
      { tests: 'make test', lint: 'make lint', typecheck: 'make typecheck' },
    ],
    [
      'in a target for all tests',
      { Makefile: 'tests: x\ncheck:\n' },
      { tests: 'make tests', typecheck: 'make check' },
    ],
    ['in a target check, which runs the tests', { makefile: 'check: all\n' }, { tests: 'make check' }],
    [
      'in a target check beside the tests, which is another check',
      { Makefile: 'check:\ntest:\n' },
      { tests: 'make test', typecheck: 'make check' },
    ],
    [
      'not in variables, comments, recipes and prefixes of a Makefile',
      { Makefile: 'test := x\nlint ::= y\n# test:\n\ttest: x\nlint-all: x\nX = test: y\n.PHONY: test\n' },
      {},
    ],
    [
      'not in words on the line before a target',
      { Makefile: 'include test\nall: x\nifdef lint\nx: y\n' },
      {},
    ],
    ['in the target of a variable', { Makefile: 'test: X = 1\n\tx\n' }, { tests: 'make test' }],
    [
      'in the recipes of a justfile',
      { justfile: "@test filter='':\n  x\nlint: test\ntypecheck := 'x'\n" },
      { tests: 'just test', lint: 'just lint' },
    ],
    ['in deno.json', { 'deno.json': '{}' }, { tests: 'deno test', lint: 'deno lint' }],
    [
      'in the tasks of deno.json',
      { 'deno.json': '{"tasks":{"test":"x","typecheck":"y"}}' },
      { tests: 'deno task test', lint: 'deno lint', typecheck: 'deno task typecheck' },
    ],
    [
      'in deno.jsonc, comments or not',
      { 'deno.jsonc': '{ // x\n}' },
      { tests: 'deno test', lint: 'deno lint' },
    ],
    [
      'in what somebody wrote down before what a language gives',
      { 'Cargo.toml': '[package]\n', Makefile: 'test:\n' },
      { tests: 'make test', lint: 'cargo clippy', typecheck: 'cargo check' },
    ],
    [
      'in the package first, then in the Makefile, then in the justfile',
      {
        'package.json': scripts({ test: 'x' }),
        Makefile: 'test:\nlint:\n',
        justfile: 'test:\nlint:\ntypecheck:\n',
      },
      { tests: 'npm test', lint: 'make lint', typecheck: 'just typecheck' },
    ],
    [
      'in several languages together',
      { 'package.json': scripts({ lint: 'x' }), 'pyproject.toml': '[tool.pytest]\n', 'go.mod': '' },
      { tests: 'pytest', lint: 'npm run lint' },
    ],
  ])('%s', (_name, files, expected) => {
    expect(commandsIn(files)).toEqual(expected);
  });

  it.each<[Files, string]>([
    [{ 'package.json': scripts({ test: 'x' }) }, 'script "test" of package.json'],
    [{ Makefile: 'check:\n' }, 'target "check" of Makefile'],
    [{ justfile: 'test:\n' }, 'recipe "test" of justfile'],
    [{ 'setup.cfg': '[tool:pytest]\n' }, 'pytest in setup.cfg'],
    [{ 'go.mod': '' }, 'go.mod'],
    [{ 'tests/test_sum.py': '' }, 'tests/test_sum.py'],
    [{ 'deno.json': '{"tasks":{"test":"x"}}' }, 'task "test" of deno.json'],
  ])('with the place: %j', (files, source) => {
    expect(findValidators(new Map(Object.entries(files)))[0]).toMatchObject({ name: 'tests', source });
  });
});
