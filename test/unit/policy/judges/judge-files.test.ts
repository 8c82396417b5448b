import { describe, expect, it } from 'vitest';
import type { FileChange } from '../../../../src/contracts/run/workspace-change.ts';
import { isRunnerFileWhenAdded } from '../../../../src/policy/judges/check-configuration.ts';
import { findChangedJudgeFiles, isJudgeFile } from '../../../../src/policy/judges/judge-files.ts';

/** Tests and what belongs to them, by ecosystem. */
const TESTS: Readonly<Record<string, readonly string[]>> = {
  javascript: [
    'src/sum.test.ts',
    'src/sum.spec.jsx',
    'src/Button.test.tsx',
    'types/index.test-d.ts',
    'src/__tests__/sum.ts',
    'test/helpers/build.ts',
    'packages/core/test/sum.js',
    'tests/fixtures/order.json',
    'e2e/login.ts',
    'cypress/support/commands.ts',
    'src/login.cy.ts',
    'app/sum-test.js',
    'mod_test.ts',
    'test.mjs',
    'test-sum.js',
    'src/__mocks__/axios.ts',
  ],
  snapshots: [
    'src/__snapshots__/sum.test.ts.snap',
    'src/page.snap',
    'tap-snapshots/a.cjs',
    'tests/__snapshots__/x.ambr',
  ],
  python: ['test_sum.py', 'pkg/sum_test.py', 'shop/tests.py', 'tests/unit/sum.py', 'tests/data/a.csv'],
  go: ['sum_test.go', 'internal/testdata/golden.txt', 'internal/testutil/assert.go'],
  rust: ['tests/cli.rs', 'crates/core/tests/common/mod.rs', 'src/tests.rs'],
  ruby: ['spec/models/user_spec.rb', 'spec/fixtures/users.yml', 'test/user_test.rb', 'lib/sum_spec.rb'],
  php: ['tests/Feature/LoginTest.php', 'src/SumTest.php', 'tests/Pest.php'],
  java: [
    'src/test/java/shop/Cart.java',
    'app/src/test/resources/a.json',
    'src/integrationTest/kotlin/A.kt',
    'src/testFixtures/java/B.java',
    'app/src/androidTest/java/C.java',
    'core/CartTest.java',
    'core/TestCart.java',
    'core/CartIT.java',
  ],
  dotnet: ['Shop.Tests/Cart.cs', 'Shop.UnitTests/Helpers.cs', 'src/CartTests.cs'],
  shell: ['test.sh', 'run-tests.sh', 'scripts/unit_test.bash', 'test-install.sh'],
  data: ['fixtures/order.json', 'app/fixtures/a.yml', 'goldens/page.txt', 'pkg/golden/out.txt'],
  c: ['src/sum_test.cc', 'src/sum_unittest.cpp', 'test_sum.c', 't/basic.t', 'checks/a.bats'],
  others: [
    'lib/sum_test.dart',
    'Tests/AppTests/AppTests.swift',
    'features/login.feature',
    'test/sum_test.exs',
  ],
  folders: ['unit-tests/a.ts', 'integration_test/a.dart', 'test-utils/render.tsx'],
  'any case': ['Tests/sum.ts', 'TEST/a.c', 'src/Sum.Test.ts', 'src/__Tests__/a.ts', 'TEST_sum.py'],
  unicode: ['tests/größe.ts', 'src/größe.test.ts', '測試/和.test.ts', 'src/a b.test.ts', 'test/\u{1f600}.ts'],
};

const NO_TESTS: readonly string[] = [
  'src/contest.ts',
  'src/latest.ts',
  'latest/index.js',
  'src/latest/test.go.md',
  'fastest/run.py',
  'protest.py',
  'src/attestation.ts',
  'src/testament.rs',
  'Contest.java',
  'src/GreatestHits.kt',
  'src/latestRelease/A.java',
  'src/Protests.cs',
  'inspect/index.ts',
  'src/spectrum.ts',
  'src/testing.ts',
  'testing/fakes.ts',
  'ab-tests/variant.ts',
  'docs/how-to-test.md',
  'README.md',
  'package.json',
  'Makefile',
  'src/teste/größe.ts',
  'src/t/index.ts',
];

/** Found by a runner or a language itself: adding it is enough. */
const RUNNER: readonly string[] = [
  'conftest.py',
  'tests/conftest.py',
  'pytest.ini',
  '.pytest.ini',
  'pytest.toml',
  'tox.ini',
  'noxfile.py',
  'setup.cfg',
  '.coveragerc',
  'sitecustomize.py',
  'usercustomize.py',
  'src/hook.pth',
  'pkg/__pycache__/sum.cpython-312.pyc',
  'quiet.egg-info/entry_points.txt',
  'lib/quiet.dist-info/METADATA',
  'argparse.py',
  'json/__init__.py',
  '.python-version',
  '.tool-versions',
  '.nvmrc',
  'pytest.py',
  'pytest/__init__.py',
  'unittest/__init__.py',
  '.venv/lib/python3.12/site-packages/x.py',
  'vitest.config.ts',
  'vitest.config.unit.mts',
  'vitest.workspace.json',
  'vitest.setup.ts',
  'vite.config.js',
  'packages/a/vite.config.mts',
  'jest.config.cjs',
  'jest.config.json',
  'jest-setup.ts',
  'src/setupTests.ts',
  '.mocharc.yml',
  '.mocharc',
  'ava.config.js',
  'playwright.config.ts',
  'cypress.config.ts',
  'karma.conf.js',
  '.nycrc',
  '.npmrc',
  'packages/a/.npmrc',
  '.yarnrc.yml',
  '.pnp.cjs',
  'bunfig.toml',
  'node_modules/.bin/vitest',
  'packages/a/node_modules/vitest/index.js',
  '.yarn/releases/yarn-4.cjs',
  '.config/nextest.toml',
  '.cargo/config.toml',
  '.cargo/config',
  '.rspec',
  'phpunit.xml',
  'phpunit.xml.dist',
  'vendor/bin/phpunit',
  '.mvn/maven.config',
  'junit-platform.properties',
  'CTestCustom.cmake',
  'CTestTestfile.cmake',
  'VITEST.CONFIG.TS',
  'Conftest.py',
];

/** Decide what a check says, but are added for good reasons: they count where the base had them. */
const COMPILERS: readonly string[] = ['tsconfig.json', 'tsconfig.test.json', 'Rakefile'];

const CHECKS: readonly string[] = [
  'eslint.config.js',
  '.eslintrc.cjs',
  'biome.json',
  'babel.config.js',
  '.babelrc',
  'ruff.toml',
  'mypy.ini',
  '.golangci.yml',
  'clippy.toml',
  '.rubocop.yml',
  'phpstan.neon.dist',
];

const NO_CONFIGURATION: readonly string[] = [
  'src/jester.ts',
  'src/vitesse.config.ts',
  'src/config.ts',
  'src/pytest_plugin.py',
  'unittest/cases/a.cpp',
  '.yarn/cache/lodash.zip',
  'docs/pytest.md',
  'src/path',
  'setup.py',
  'npmrc',
  'node_modules_list.txt',
  'shop/types.py',
  'src/json.py',
  'shop/__init__.py',
  'calc.py',
];

describe('a file decides a verdict', () => {
  const tests = Object.entries(TESTS).flatMap(([kind, paths]) => paths.map((path) => [kind, path] as const));

  it.each(tests)('as a test of %s: %s', (_kind, path) => {
    expect(isJudgeFile(path, null)).toBe(true);
  });

  it.each([...RUNNER, ...CHECKS, ...COMPILERS])('as configuration: %s', (path) => {
    expect(isJudgeFile(path, null)).toBe(true);
  });

  // A helper that only tests import can make all of them pass, so it is a judge. If it is product code after all, the
  // price is a second validation.
  it.each(['src/test-utils.ts', 'src/test_helpers.js', 'src/testutils/render.ts'])(
    'as a helper of tests: %s',
    (path) => {
      expect(isJudgeFile(path, null)).toBe(true);
    },
  );

  it.each([...NO_TESTS, ...NO_CONFIGURATION])('or does not: %s', (path) => {
    expect(isJudgeFile(path, null)).toBe(false);
  });
});

describe('globs of the configuration', () => {
  it.each([
    ['take the place of the conventions', ['checks/**'], 'test/a.test.ts', false],
    ['name files', ['checks/**'], 'checks/a.ts', true],
    ['name folders without a star', ['checks'], 'checks/deep/a.ts', true],
    ['name folders with a slash', ['checks/'], 'checks/a.ts', true],
    ['leave runner configuration a judge', ['checks/**'], 'vitest.config.ts', true],
    ['may be none', [], 'test/a.test.ts', false],
    ['exempt files', ['checks/**', '!checks/data/**'], 'checks/data/a.json', false],
    ['exempt runner configuration', ['checks/**', '!vite.config.ts'], 'vite.config.ts', false],
    ['meet composed and decomposed names', ['gr\u00f6\u00dfe/**'], 'gro\u0308\u00dfe/a.ts', true],
    ['mean their own letters', ['Checks/**'], 'checks/a.ts', false],
  ])('%s', (_name, globs, path, expected) => {
    expect(isJudgeFile(path, globs)).toBe(expected);
  });
});

describe('runner configuration', () => {
  it.each([...RUNNER, ...CHECKS])('is %s', (path) => {
    expect(isRunnerFileWhenAdded(path)).toBe(true);
  });

  it.each([...COMPILERS, ...NO_CONFIGURATION, ...NO_TESTS, 'test/a.test.ts', 'src/test-utils.ts'])(
    'is not %s',
    (path) => {
      expect(isRunnerFileWhenAdded(path)).toBe(false);
    },
  );
});

function change(status: FileChange['status'], path: string, more: Partial<FileChange> = {}): FileChange {
  const modes = { oldMode: '100644', newMode: '100644' };
  return { status, path, oldPath: null, insertions: 1, deletions: 1, ...modes, blob: 'b', ...more };
}

const renamed = (oldPath: string, path: string) => change('R', path, { oldPath });

describe('changed judges', () => {
  it.each<[string, FileChange, string[]]>([
    ['are edited tests', change('M', 'test/a.test.ts'), ['test/a.test.ts']],
    ['are deleted tests', change('D', 'test/a.test.ts'), ['test/a.test.ts']],
    ['are deleted snapshots', change('D', 'src/__snapshots__/a.snap'), ['src/__snapshots__/a.snap']],
    ['are edited fixtures', change('M', 'tests/fixtures/a.json'), ['tests/fixtures/a.json']],
    ['are tests that lost their mode', change('M', 'test/run.sh', { newMode: '100755' }), ['test/run.sh']],
    ['are no new tests', change('A', 'test/b.test.ts'), []],
    ['are no new packages of tests', change('A', 'tests/unit/__init__.py', { insertions: 0 }), []],
    ['are packages that load code', change('A', 'tests/unit/__init__.py'), ['tests/unit/__init__.py']],
    ['are mocks that are loaded by their place', change('A', '__mocks__/fs.js'), ['__mocks__/fs.js']],
    ['are new rules of a linter', change('A', 'src/.eslintrc.json'), ['src/.eslintrc.json']],
    ['are no new snapshots', change('A', 'src/__snapshots__/b.snap'), []],
    ['are no other files', change('M', 'src/a.ts'), []],
    ['are edited configurations', change('M', 'vitest.config.ts'), ['vitest.config.ts']],
    ['are new configurations', change('A', 'tests/conftest.py'), ['tests/conftest.py']],
    ['are edited type checks', change('M', 'tsconfig.json'), ['tsconfig.json']],
    ['are no edited manifests', change('M', 'pyproject.toml'), []],
    ['are new manifests, which configure runners', change('A', 'pyproject.toml'), ['pyproject.toml']],
    ['are no new type checks', change('A', 'packages/new/tsconfig.json'), []],
    [
      'are tests that were renamed',
      renamed('test/a.test.ts', 'test/b.test.ts'),
      ['test/a.test.ts', 'test/b.test.ts'],
    ],
    ['are tests that were moved away', renamed('tests/a.py', 'old/a.py'), ['old/a.py', 'tests/a.py']],
    [
      'are tests that are no longer collected',
      renamed('src/a.test.ts', 'src/a.test.ts.bak'),
      ['src/a.test.ts', 'src/a.test.ts.bak'],
    ],
    ['are no files that became tests', renamed('src/a.ts', 'test/a.test.ts'), []],
    [
      'are files that became configuration',
      renamed('old/conftest.txt', 'conftest.py'),
      ['conftest.py', 'old/conftest.txt'],
    ],
    ['are paths of python in text', change('A', 'lib/hook.pth'), ['lib/hook.pth']],
    ['are no weights of a model', change('A', 'models/net.pth', { insertions: null }), []],
    ['have names of any script', change('M', 'tests/größe ü/測.py'), ['tests/größe ü/測.py']],
  ])('%s', (_name, one, expected) => {
    expect(findChangedJudgeFiles([one], null)).toEqual(expected);
  });

  it('are listed once and sorted', () => {
    const changes = [change('M', 'test/b.ts'), renamed('test/a.ts', 'test/b.ts'), change('A', 'src/x.ts')];
    expect(findChangedJudgeFiles(changes, null)).toEqual(['test/a.ts', 'test/b.ts']);
  });

  it('follow the globs of the configuration', () => {
    const changes = [change('M', 'test/a.ts'), change('M', 'checks/a.ts'), change('A', 'vite.config.ts')];
    expect(findChangedJudgeFiles(changes, ['checks/**', '!vite.config.ts'])).toEqual(['checks/a.ts']);
  });
});
