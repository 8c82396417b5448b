import { createNameMatcher } from './name-matcher.ts';

/** Files other than tests that decide the result of a check. */

const SCRIPT = '{js,ts,mjs,cjs,mts,cts}';

/** Configuration that a test runner discovers by itself, so that a new file takes effect immediately. */
const RUNNER_FILES: readonly string[] = [
  // JavaScript and TypeScript
  `{vitest,jest}{.,-}*.{js,ts,mjs,cjs,mts,cts,json,jsx,tsx}`,
  `{vite,ava,playwright,playwright-ct,cypress,nyc,testcafe,web-test-runner}.config.${SCRIPT}`,
  `vite.*.config.${SCRIPT}`,
  `{karma,wdio,nightwatch,protractor,cucumber}.conf.${SCRIPT}`,
  `wdio.*.conf.${SCRIPT}`,
  `cucumber.{js,cjs,mjs,json,yml,yaml}`,
  '{cypress,jasmine}.json',
  'setuptests.{js,jsx,ts,tsx}',
  '.mocharc*',
  'mocha.opts',
  '.taprc',
  '{.nycrc,.c8rc}*',
  '.testcaferc*',
  '.labrc*',
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  '.pnpmfile.cjs',
  'pnpm-workspace.yaml',
  '.pnp.*',
  'bunfig.toml',
  'node.config.json',
  '.env.test*',
  // Python; a module named like a runner is imported instead of it
  'conftest.py',
  '{pytest,.pytest}.{ini,toml}',
  'tox.{ini,toml}',
  'noxfile.py',
  'setup.cfg',
  '.coveragerc',
  '{sitecustomize,usercustomize}.py',
  '{pytest,_pytest,unittest,nose2}.py',
  '*.{pth,pyc}',
  // Version managers start a different interpreter because of these
  '{.python-version,.ruby-version,.node-version,.nvmrc,.tool-versions}',
  '{mise,.mise}.toml',
  // Rust, Ruby, PHP
  'nextest.toml',
  '{.rspec,.rspec-local,.simplecov}',
  'cucumber.yml',
  '{phpunit,phpunit.dist}.xml*',
  '{behat,codeception,phpspec}.{yml,yaml,yml.dist,dist.yml}',
  // Java, .NET, C and C++, others
  'junit-platform.properties',
  'testng*.xml',
  '*.runsettings',
  'xunit.runner.json',
  'ctest{config,custom,testfile}.cmake',
  '.bazelrc',
  '{.busted,.proverc}',
];

/**
 * Folders of installed programs, and packages that Python imports instead of a runner: files put there run in their
 * place.
 */
const RUNNER_FOLDERS: readonly RegExp[] = [
  /(?:^|\/)(?:node_modules|site-packages|vendor\/bin|\.mvn|\.yarn\/(?:releases|plugins|sdks))\//i,
  /(?:^|\/)\.?venv\/(?:bin|lib|lib64|scripts)\//i,
  /(?:^|\/)(?:_?pytest|unittest)\/__init__\.py$/i,
  // pytest loads the plugins that such a folder declares.
  /\.(?:egg|dist)-info\//i,
];

/** Modules of Python's standard library that test runners import. */
const STANDARD_MODULES =
  'abc argparse ast asyncio atexit bdb bisect code codecs collections contextlib copy csv ctypes dataclasses datetime ' +
  'difflib dis doctest email enum errno faulthandler fnmatch functools gc getpass gettext glob hashlib heapq html ' +
  'importlib inspect io ipaddress itertools json keyword linecache locale logging math numbers opcode operator os ' +
  'pathlib pdb pickle pkgutil platform posixpath pprint queue random re reprlib runpy select selectors shlex shutil ' +
  'signal site socket stat string struct subprocess sys sysconfig tempfile textwrap threading time timeit token ' +
  'tokenize tomllib traceback types typing unicodedata urllib uuid warnings weakref xml zipfile zipimport zlib';

/** At the root of a repository, a module of the same name is imported instead. */
const SHADOWING_MODULE = new RegExp(`^(?:${STANDARD_MODULES.replaceAll(' ', '|')})(?:\\.py|/__init__\\.py)$`);

/** `.cargo/config.toml` can redefine `cargo test`. */
const CARGO_CONFIGURATION = /(?:^|\/)\.cargo\/config(?:\.toml)?$/i;

/** Compiler configuration counts only if it existed at the base: a project that adds it needs it for its code. */
const COMPILER_FILES: readonly string[] = ['{tsconfig,jsconfig}*.json', 'rakefile'];

/** Linters, formatters and tools that transform tests: each discovers its configuration by itself. */
const CHECK_FILES: readonly string[] = [
  `{eslint,prettier,stylelint,babel,oxlint}.config.${SCRIPT}`,
  '{.eslintrc,.eslintignore,.prettierrc,.prettierignore,.stylelintrc,.oxlintrc,.babelrc,.swcrc}*',
  '{biome,biome.ci}.{json,jsonc}',
  '{ruff,.ruff}.toml',
  '{mypy,.mypy}.ini',
  '{.flake8,pylintrc,.pylintrc}',
  'pyrightconfig.json',
  '.golangci.{yml,yaml,toml,json}',
  '{clippy,.clippy,rustfmt,.rustfmt}.toml',
  '.rubocop*.yml',
  '{phpstan,psalm}*.{neon,xml,dist}*',
  '.php-cs-fixer*',
  '{checkstyle,detekt}.{xml,yml}',
  '{.clang-tidy,.clang-format,.shellcheckrc}',
  '{.markdownlint,.yamllint}*',
];

const matchesRunner = createNameMatcher(RUNNER_FILES, 'any case');
const matchesCheck = createNameMatcher(CHECK_FILES, 'any case');
const matchesCompiler = createNameMatcher(COMPILER_FILES, 'any case');

/** jest loads a mock of a package by its location, and Python loads the package of the tests before the tests. */
const LOADED_WITH_TESTS: readonly RegExp[] = [
  /(?:^|\/)__mocks__\//,
  /(?:^|\/)(?:tests?|__tests__|[\w-]+[-_]tests?)\/(?:.+\/)?__init__\.py$/i,
];

export function isRunnerFile(path: string): boolean {
  return (
    matchesRunner(nameOf(path)) ||
    RUNNER_FOLDERS.some((folder) => folder.test(path)) ||
    SHADOWING_MODULE.test(path) ||
    CARGO_CONFIGURATION.test(path)
  );
}

/**
 * Whether adding a file decides a verdict, even though an edit of an existing one may not. Tables of an existing
 * `pyproject.toml` are compared one by one.
 */
export function isRunnerFileWhenAdded(path: string): boolean {
  return (
    isRunnerFile(path) ||
    matchesCheck(nameOf(path)) ||
    LOADED_WITH_TESTS.some((pattern) => pattern.test(path)) ||
    nameOf(path).toLowerCase() === 'pyproject.toml'
  );
}

export function isCheckFile(path: string): boolean {
  return matchesCheck(nameOf(path)) || matchesCompiler(nameOf(path));
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
