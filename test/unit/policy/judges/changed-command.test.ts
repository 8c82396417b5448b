import { describe, expect, it } from 'vitest';
import {
  type CommandPlace,
  changedCommand,
  filesOfCommand,
} from '../../../../src/policy/judges/changed-command.ts';

type Files = Readonly<Record<string, string>>;

/** Reads what the command leads to, as a run does: file by file, until nothing is left to read. */
function read(command: readonly string[], base: Files, now: Files, place: CommandPlace) {
  const texts = { base: new Map<string, string | null>(), now: new Map<string, string | null>() };
  for (let round = 0; round < 20; round += 1) {
    const paths = filesOfCommand(command, texts.base, place);
    if (paths.length === 0) return texts;
    for (const path of paths) {
      texts.base.set(path, base[path] ?? null);
      texts.now.set(path, now[path] ?? null);
    }
  }
  throw new Error('the files of the command come to no end');
}

function changed(command: string, base: Files, now: Files, place: CommandPlace = {}): string[] {
  const argv = command.split(' ');
  const paths = [...new Set([...Object.keys(base), ...Object.keys(now)])];
  const all = { changed: paths.filter((path) => base[path] !== now[path]), ...place };
  const texts = read(argv, base, now, all);
  return changedCommand(argv, texts.base, texts.now, all).map(({ path, part }) =>
    part === null ? path : `${path} (${part})`,
  );
}

const manifest = (scripts: Readonly<Record<string, string>>, more: object = {}) =>
  JSON.stringify({ name: 'shop', scripts, ...more });
const pkg = (scripts: Readonly<Record<string, string>>, more: object = {}): Files => ({
  'package.json': manifest(scripts, more),
});

const VITEST = pkg({ test: 'vitest run' });
const FAKED = pkg({ test: 'true' });

describe('a script of package.json', () => {
  it.each([
    'npm test',
    'npm t',
    'npm run test',
    'npm run-script test',
    'npm test -- --reporter=json',
    'npm --silent run test',
    'npm --loglevel error test',
    'pnpm test',
    'pnpm run test',
    'yarn test',
    'yarn run test',
    'bun run test',
    'node --run test',
    'env CI=1 npm test',
    'timeout 60 npm test',
    'cross-env CI=1 npm test',
    'npx run-s test',
    'npm-run-all test',
  ])('is what %s means', (command) => {
    expect(changed(command, VITEST, FAKED)).toEqual(['package.json (scripts.test)']);
    expect(changed(command, VITEST, VITEST)).toEqual([]);
  });

  it.each<[string, string, Files, Files, string[]]>([
    ['another script', 'npm test', pkg({ test: 'vitest' }), pkg({ test: 'vitest', build: 'tsc' }), []],
    [
      'one before it',
      'npm test',
      VITEST,
      pkg({ pretest: 'rm -r test', test: 'vitest run' }),
      ['package.json (scripts.pretest)'],
    ],
    [
      'one after it',
      'npm run check',
      pkg({ check: 'tsc', postcheck: 'eslint .' }),
      pkg({ check: 'tsc' }),
      ['package.json (scripts.postcheck)'],
    ],
    [
      'one that it calls',
      'npm test',
      pkg({ test: 'npm run unit && npm run lint', unit: 'vitest', lint: 'eslint .' }),
      pkg({ test: 'npm run unit && npm run lint', unit: 'vitest', lint: 'true' }),
      ['package.json (scripts.lint)'],
    ],
    [
      'one that a called one calls',
      'npm test',
      pkg({ test: 'yarn a', a: 'pnpm b', b: 'bun run c', c: 'mocha' }),
      pkg({ test: 'yarn a', a: 'pnpm b', b: 'bun run c', c: ':' }),
      ['package.json (scripts.c)'],
    ],
    [
      'one of several that a pattern names',
      'npm test',
      pkg({ test: 'run-p test:*', 'test:unit': 'vitest', 'test:e2e': 'playwright test' }),
      pkg({ test: 'run-p test:*', 'test:unit': 'vitest', 'test:e2e': 'true' }),
      ['package.json (scripts.test:e2e)'],
    ],
    [
      'one that runs beside others',
      'npm test',
      pkg({ test: 'concurrently "npm:unit" "npm run lint"', unit: 'vitest', lint: 'eslint' }),
      pkg({ test: 'concurrently "npm:unit" "npm run lint"', unit: 'true', lint: 'true' }),
      ['package.json (scripts.unit)', 'package.json (scripts.lint)'],
    ],
    ['a script that calls itself', 'npm test', pkg({ test: 'npm test' }), pkg({ test: 'npm test' }), []],
    ['a script that is gone', 'npm test', VITEST, pkg({}), ['package.json (scripts.test)']],
    ['a manifest that is gone', 'npm test', VITEST, {}, ['package.json (scripts.test)']],
    ['a manifest that the base did not have', 'npm test', {}, VITEST, []],
    ['the version of the package', 'npm test', VITEST, pkg({ test: 'vitest run' }, { version: '2.0.0' }), []],
    [
      'the order of the scripts',
      'npm test',
      pkg({ test: 'vitest', a: 'b' }),
      pkg({ a: 'b', test: 'vitest' }),
      [],
    ],
    [
      'the configuration of jest',
      'npm test',
      pkg({ test: 'jest' }, { jest: { bail: true } }),
      pkg({ test: 'jest' }, { jest: { testPathIgnorePatterns: ['.'] } }),
      ['package.json (jest)'],
    ],
    [
      'the configuration of mocha where there was none',
      'npx mocha',
      pkg({}),
      pkg({}, { mocha: { spec: [] } }),
      ['package.json (mocha)'],
    ],
    [
      'a script named as what every object has',
      'npm run constructor',
      pkg({ test: 'x' }),
      pkg({ test: 'y' }),
      [],
    ],
    ['what Bun does itself', 'bun test', pkg({ test: 'vitest' }), pkg({ test: 'true' }), []],
    ['an installation', 'npm ci', VITEST, FAKED, []],
    [
      'the package of a runner',
      'npm test',
      pkg({ test: 'vitest' }, { devDependencies: { vitest: '^4' } }),
      pkg({ test: 'vitest' }, { devDependencies: { vitest: 'file:fake' } }),
      ['package.json (devDependencies.vitest)'],
    ],
    [
      'an override of a runner',
      'npx jest',
      pkg({}),
      pkg({}, { overrides: { jest: 'file:fake' } }),
      ['package.json (overrides.jest)'],
    ],
    [
      'another package',
      'npm test',
      pkg({ test: 'vitest' }),
      pkg({ test: 'vitest' }, { dependencies: { zod: '^4' } }),
      [],
    ],
  ])('%s', (_name, command, base, now, expected) => {
    expect(changed(command, base, now)).toEqual(expected);
  });

  it("counts as a whole where it can't be read", () => {
    expect(changed('npm test', VITEST, { 'package.json': '{' })).toContain('package.json (scripts.test)');
    expect(changed('npm test', { 'package.json': '{ "a"' }, { 'package.json': '{ "a"' })).toEqual([]);
  });

  it.each([
    ['npm test --prefix packages/core', 'packages/core'],
    ['npm --prefix=packages/core test', 'packages/core'],
    ['npm test -w packages/core', 'packages/core'],
    ['npm test --workspace=@shop/core', 'packages/core'],
    ['npm test --workspaces', 'packages/core'],
    ['pnpm -C packages/core test', 'packages/core'],
    ['pnpm --filter @shop/core test', 'packages/core'],
    ['pnpm -r test', 'packages/core'],
    ['yarn workspace @shop/core test', 'packages/core'],
    ['yarn --cwd packages/core test', 'packages/core'],
    ['yarn workspaces foreach --all run test', 'packages/core'],
    ['turbo run test', 'packages/core'],
    ['lerna run test', 'packages/core'],
  ])('may be one of a member: %s', (command, folder) => {
    const path = `${folder}/package.json`;
    const member = (test: string) => JSON.stringify({ name: '@shop/core', scripts: { test } });
    const base = { 'package.json': manifest({ test: 'vitest' }), [path]: member('vitest') };
    expect(changed(command, base, { ...base, [path]: member('true') })).toEqual([`${path} (scripts.test)`]);
  });

  it('is searched for in the folder of the command', () => {
    const base = { 'web/package.json': manifest({ test: 'vitest' }) };
    const now = { 'web/package.json': manifest({ test: 'true' }) };
    expect(changed('npm test', base, now, { folder: 'web' })).toEqual(['web/package.json (scripts.test)']);
    expect(changed('npm test', base, now)).toEqual([]);
  });
});

const MAKEFILE = `NPM ?= npm
.PHONY: test lint

test: build
\t@$(NPM) run unit
\t-npm run lint

build: $(SOURCES)
\ttsc

docs:
\ttypedoc
`;

describe('a Makefile', () => {
  const make = (from: string, to: string): Files => ({ Makefile: MAKEFILE.replace(from, to) });
  const base = make('', '');

  it.each<[string, string, Files, string[]]>([
    ['is as before', 'make test', base, []],
    ['has another recipe', 'make test', make('@$(NPM) run unit', '@true'), ['Makefile (test)']],
    ['has another recipe of what the target needs', 'make test', make('tsc', 'true'), ['Makefile (test)']],
    ['needs less', 'make test', make('test: build', 'test:'), ['Makefile (test)']],
    ['has another variable', 'make test', make('NPM ?= npm', 'NPM ?= true'), ['Makefile (test)']],
    ['ignores failures', 'make test', make('.PHONY: test lint', '.IGNORE: test'), ['Makefile (test)']],
    ['has another recipe of another target', 'make test', make('typedoc', 'true'), []],
    ['has a new target', 'make test', make('docs:', 'clean:\n\trm -r dist\n\ndocs:'), []],
    ['has a comment', 'make test', make('docs:', '# about docs\ndocs:'), []],
    ['has another default', 'make', make('@$(NPM) run unit', '@true'), ['Makefile']],
    ['is named', 'make -f Makefile test', make('tsc', 'true'), ['Makefile (test)']],
    ['is given variables', 'make -j4 CI=1 test', make('tsc', 'true'), ['Makefile (test)']],
    ['is run in parallel', 'make -j 4 test', make('tsc', 'true'), ['Makefile (test)']],
    ['is gone', 'make test', {}, ['Makefile (test)']],
    ['lost its .PHONY', 'make test', make('.PHONY: test lint', '.PHONY: lint'), ['Makefile (test)']],
    ['has more of .PHONY', 'make test', make('.PHONY: test lint', '.PHONY: test lint build'), []],
    ['finds a file in the place of a phony target', 'make test', { ...base, test: '' }, []],
    ['finds a file in the place of a target', 'make test', { ...base, build: '' }, ['build']],
    ['finds a folder in the place of a target', 'make test', { ...base, 'build/a.js': '' }, ['build/a.js']],
    ['finds a file in the place of another target', 'make test', { ...base, docs: '' }, []],
    ['is overruled', 'make test', { ...base, GNUmakefile: 'test:\n\ttrue\n' }, ['GNUmakefile (test)']],
  ])('%s', (_name, command, now, expected) => {
    expect(changed(command, base, now)).toEqual(expected);
  });

  it('leads to what its recipes run', () => {
    const scripts = pkg({ unit: 'vitest', lint: 'eslint .' });
    expect(
      changed('make test', { ...base, ...scripts }, { ...base, ...pkg({ unit: 'vitest', lint: 'true' }) }),
    ).toEqual(['package.json (scripts.lint)']);
  });

  it('leads to other targets and to the files it includes', () => {
    const text = 'include ci/checks.mk\ntest:\n\t$(MAKE) unit\nunit:\n\tvitest\n';
    const first = { Makefile: text, 'ci/checks.mk': 'X=1\n' };
    expect(changed('make test', first, { ...first, 'ci/checks.mk': 'X=2\n' })).toEqual(['ci/checks.mk']);
    expect(changed('make test', first, { ...first, Makefile: text.replace('\tvitest', '\ttrue') })).toEqual([
      'Makefile (unit)',
    ]);
  });

  it('counts as a whole for a target that has no rule', () => {
    expect(changed('make other', base, make('typedoc', 'true'))).toEqual(['Makefile (other)']);
  });

  it('is in the folder of the command, or in the one it names', () => {
    const inside = (text: string): Files => ({ 'core/Makefile': text });
    const from = inside('test:\n\tvitest\n');
    const to = inside('test:\n\ttrue\n');
    expect(changed('make -C core test', from, to)).toEqual(['core/Makefile (test)']);
    expect(changed('make test', from, to, { folder: 'core' })).toEqual(['core/Makefile (test)']);
    expect(changed('make -C .. test', from, to)).toEqual([]);
  });
});

describe('a justfile', () => {
  const JUSTFILE = `set shell := ["bash", "-c"]\n\ntest *args: build\n  npm run unit {{args}}\n\n[private]\nbuild:\n  tsc\n\ndocs:\n  typedoc\n`;
  it.each<[string, string, string, string[]]>([
    ['has another recipe', 'npm run unit', 'true', ['justfile (test)']],
    ['has another recipe of what the recipe needs', 'tsc', 'true', ['justfile (test)']],
    ['has another shell', '"bash"', '"true"', ['justfile (test)']],
    ['has another recipe of another name', 'typedoc', 'true', []],
  ])('%s', (_name, from, to, expected) => {
    const now = { justfile: JUSTFILE.replace(from, to) };
    expect(changed('just test', { justfile: JUSTFILE }, now)).toEqual(expected);
  });

  it('distinguishes arguments from recipes', () => {
    const now = { justfile: JUSTFILE.replace('tsc', 'true') };
    expect(changed('just test fast', { justfile: JUSTFILE }, now)).toEqual(['justfile (test fast)']);
    expect(changed('just test fast', { justfile: JUSTFILE }, { justfile: JUSTFILE })).toEqual([]);
  });
});

const PYPROJECT = `[project]
name = "shop"
dependencies = [
  "requests",
]

[tool.pytest.ini_options]
addopts = "-ra"   # short
testpaths = [
  "tests",
]
filterwarnings = [
  ["error"]
]

[tool.ruff]
line-length = 100
`;

describe('pyproject.toml', () => {
  it.each<[string, string, string, string, string[]]>([
    ['of pytest', 'pytest', '"-ra"', '"-ra --ignore=tests"', ['pyproject.toml (tool.pytest)']],
    ['of pytest, in a list', 'pytest', '"tests"', '"empty"', ['pyproject.toml (tool.pytest)']],
    [
      'of pytest, behind a list in a list',
      'pytest',
      '["error"]',
      '["ignore"]',
      ['pyproject.toml (tool.pytest)'],
    ],
    ['of pytest by its module', 'python3 -m pytest -q', '"-ra"', '""', ['pyproject.toml (tool.pytest)']],
    ['of pytest in an environment', 'uv run pytest', '"-ra"', '""', ['pyproject.toml (tool.pytest)']],
    ['of pytest under poetry', 'poetry run pytest', '"-ra"', '""', ['pyproject.toml (tool.pytest)']],
    ['of pytest under tox', 'tox', '"-ra"', '""', ['pyproject.toml (tool.pytest)']],
    ['of other tables', 'pytest', '"requests"', '"httpx"', []],
    ['of another tool', 'pytest', 'line-length = 100', 'line-length = 80', []],
    ['of ruff', 'ruff check .', 'line-length = 100', 'line-length = 999', ['pyproject.toml (tool.ruff)']],
    ['of comments', 'pytest', '[tool.ruff]', '# about ruff\n\n[tool.ruff]', []],
    ['of unittest', 'python -m unittest', '"-ra"', '""', []],
    [
      'of a table with another spelling',
      'pytest',
      '[tool.ruff]',
      '[tool."pytest".more]\nx = 1\n[tool.ruff]',
      ['pyproject.toml (tool.pytest)'],
    ],
    [
      'of a dotted key',
      'pytest',
      '[tool.ruff]',
      '[tool]\npytest.ini_options.addopts = "x"\n[tool.ruff]',
      ['pyproject.toml (tool.pytest)'],
    ],
  ])('%s', (_name, command, from, to, expected) => {
    const now = { 'pyproject.toml': PYPROJECT.replace(from, to) };
    expect(changed(command, { 'pyproject.toml': PYPROJECT }, now)).toEqual(expected);
  });
});

describe('other files that say what a command does', () => {
  it.each<[string, string, Files, Files, string[]]>([
    ['tox', 'tox', { 'tox.ini': 'a' }, { 'tox.ini': 'b' }, ['tox.ini']],
    ['nox', 'nox -s tests', { 'noxfile.py': 'a' }, { 'noxfile.py': 'b' }, ['noxfile.py']],
    ['rake', 'bundle exec rake test', { Rakefile: 'a' }, { Rakefile: 'b' }, ['Rakefile']],
    ['rake, overruled', 'rake', { Rakefile: 'a' }, { Rakefile: 'a', rakefile: 'b' }, ['rakefile']],
    [
      'composer',
      'composer test',
      { 'composer.json': manifest({ test: '@unit', unit: 'phpunit' }) },
      { 'composer.json': manifest({ test: '@unit', unit: 'true' }) },
      ['composer.json (scripts.unit)'],
    ],
    [
      'composer with a list',
      'composer run test',
      { 'composer.json': JSON.stringify({ scripts: { test: ['phpunit', 'phpstan'] } }) },
      { 'composer.json': JSON.stringify({ scripts: { test: ['phpunit'] } }) },
      ['composer.json (scripts.test)'],
    ],
    [
      'deno',
      'deno task test',
      { 'deno.json': '{"tasks":{"test":"deno test"}}' },
      { 'deno.json': '{"tasks":{"test":"true"}}' },
      ['deno.json (tasks.test)'],
    ],
    [
      'cargo, switched off',
      'cargo test',
      { 'Cargo.toml': '[package]\nname = "a"\n' },
      { 'Cargo.toml': '[package]\nname = "a"\nautotests = false\n' },
      ['Cargo.toml (tests)'],
    ],
    [
      'cargo, with a dependency',
      'cargo test',
      { 'Cargo.toml': '[dependencies]\n' },
      { 'Cargo.toml': '[dependencies]\nserde = "1"\n' },
      [],
    ],
    [
      'maven',
      './mvnw verify',
      { 'pom.xml': '<properties></properties>' },
      { 'pom.xml': '<properties><skipTests>true</skipTests></properties>' },
      ['pom.xml (tests)'],
    ],
    [
      'maven, with another plugin',
      'mvn test',
      { 'pom.xml': '<plugin><a>surefire</a></plugin>' },
      { 'pom.xml': '<plugin><a>surefire</a></plugin> <plugin><a>compiler</a></plugin>' },
      [],
    ],
    [
      'maven, with another list of tests',
      'mvn test',
      { 'pom.xml': '<plugin><a>compiler</a></plugin><plugin><a>surefire</a></plugin>' },
      { 'pom.xml': '<plugin><a>compiler</a></plugin><plugin><a>surefire</a><exclude>*</exclude></plugin>' },
      ['pom.xml (tests)'],
    ],
    [
      'gradle, switched off',
      './gradlew test',
      { 'build.gradle': 'test { useJUnitPlatform() }\n' },
      { 'build.gradle': 'test { useJUnitPlatform() }\ntest { enabled = false }\n' },
      ['build.gradle (tests)'],
    ],
    [
      'gradle, with a dependency',
      'gradle test',
      { 'build.gradle': 'test { useJUnitPlatform() }\n' },
      { 'build.gradle': "test { useJUnitPlatform() }\ntestImplementation 'a:b:1'\n" },
      [],
    ],
    [
      'ctest, with a new test',
      'ctest --output-on-failure',
      { 'CMakeLists.txt': 'add_test(NAME a COMMAND a)\n' },
      { 'CMakeLists.txt': 'add_test(NAME a COMMAND a)\nadd_test(NAME b COMMAND b)\n' },
      [],
    ],
    [
      'ctest, with one less',
      'ctest',
      { 'CMakeLists.txt': 'add_test(NAME a COMMAND a)\n' },
      { 'CMakeLists.txt': '' },
      ['CMakeLists.txt (tests)'],
    ],
    ['go', 'go test ./...', { 'go.mod': 'a' }, { 'go.mod': 'b' }, []],
    ['turbo', 'turbo run test', { 'turbo.json': '{}' }, { 'turbo.json': '{"a":1}' }, ['turbo.json']],
  ])('%s', (_name, command, base, now, expected) => {
    expect(changed(command, base, now)).toEqual(expected);
  });
});

describe('a program in the repository', () => {
  const script = (path: string, text = 'a'): Files => ({ [path]: text });

  it.each([
    ['./check.sh', 'check.sh'],
    ['scripts/check', 'scripts/check'],
    ['bash scripts/check.sh --fast', 'scripts/check.sh'],
    ['sh -e scripts/check.sh', 'scripts/check.sh'],
    ['node scripts/check.mjs', 'scripts/check.mjs'],
    ['node -r ./hook.cjs server.js', 'hook.cjs'],
    ['python scripts/check.py', 'scripts/check.py'],
    ['python -m scripts.check', 'scripts/check.py'],
    ['uv run python -m tools', 'tools/__main__.py'],
    ['tsx scripts/check.ts', 'scripts/check.ts'],
    ['bun scripts/check.ts', 'scripts/check.ts'],
    ['bun run scripts/check.ts', 'scripts/check.ts'],
    ['deno run -A scripts/check.ts', 'scripts/check.ts'],
    ['ruby scripts/check.rb', 'scripts/check.rb'],
    ['php artisan test', 'artisan'],
    ['./gradlew test', 'gradlew'],
    ['vitest --config config/unit.ts', 'config/unit.ts'],
    ['pytest -c ci/strict.ini', 'ci/strict.ini'],
    ['./größe/prüfe.sh', 'größe/prüfe.sh'],
  ])('%s is its file', (command, path) => {
    expect(changed(command, script(path), script(path, 'b'))).toEqual([path]);
    expect(changed(command, script(path), script(path))).toEqual([]);
    expect(changed(command, script(path), {})).toEqual([path]);
  });

  it.each([
    ['does not count where the base did not have it', './check.sh', {}, script('check.sh')],
    [
      'is left to the second validation where it is a test',
      'node test.js',
      script('test.js'),
      script('test.js', 'b'),
    ],
    [
      'is left to it where it is configuration',
      'vitest --config vitest.config.ts',
      script('vitest.config.ts'),
      script('vitest.config.ts', 'b'),
    ],
    [
      'is no test that a runner is given',
      'node --test lib/a.js',
      script('lib/a.js'),
      script('lib/a.js', 'b'),
    ],
    ['is none outside of the repository', '../check.sh', script('check.sh'), script('check.sh', 'b')],
    ['is none with a path of the machine', '/usr/bin/env', script('usr/bin/env'), script('usr/bin/env', 'b')],
    ['is none that is only named', 'check.sh', script('check.sh'), script('check.sh', 'b')],
  ])('%s', (_name, command, base, now) => {
    expect(changed(command, base, now)).toEqual([]);
  });

  it('counts where the configuration has other tests', () => {
    expect(
      changed('node test.js', script('test.js'), script('test.js', 'b'), { tests: ['spec/**'] }),
    ).toEqual(['test.js']);
  });

  it('leads to what it runs, in the folder it goes to', () => {
    const files = {
      'ci/check.sh': '#!/bin/sh\nset -e\ncd web && npm test\n',
      'web/package.json': manifest({ test: 'vitest' }),
    };
    const faked = { ...files, 'web/package.json': manifest({ test: 'true' }) };
    expect(changed('ci/check.sh', files, faked)).toEqual(['web/package.json (scripts.test)']);
  });

  /** A check starts the code under test, too. */
  it.each<[string, string, Files, string, string[]]>([
    ['in a script', 'sh check.sh', { 'check.sh': 'sh add.sh 2 3' }, 'add.sh', []],
    ['in a script, sourced', 'sh check.sh', { 'check.sh': '. ./add.sh' }, 'add.sh', []],
    [
      'in a script of a Makefile',
      'make test',
      { Makefile: 'test:\n\t./test.sh\n', 'test.sh': 'node cli.js' },
      'cli.js',
      [],
    ],
    [
      'in a substitution',
      'make test',
      { Makefile: 'test:\n\ttest "$(shell true)$$(node add.js)" = 5\n' },
      'add.js',
      [],
    ],
    ['in a pipe', 'npm test', pkg({ test: 'node add.js | grep -q 5' }), 'add.js', []],
    [
      'with its output in a file',
      'npm test',
      pkg({ test: 'node add.js > out && diff out want' }),
      'add.js',
      [],
    ],
    [
      'or is a check by its name',
      'sh check.sh',
      { 'check.sh': 'sh ci/unit.sh' },
      'ci/unit.sh',
      ['ci/unit.sh'],
    ],
    [
      'or is sourced as one',
      'sh check.sh',
      { 'check.sh': '. ./lib/assert.sh' },
      'lib/assert.sh',
      ['lib/assert.sh'],
    ],
    ['or is only copied to a log', 'npm test', pkg({ test: 'node run.js | tee log' }), 'run.js', ['run.js']],
  ])('may be the code under test %s', (_name, command, base, path, expected) => {
    expect(changed(command, { ...base, [path]: 'a' }, { ...base, [path]: 'b' })).toEqual(expected);
  });

  it('may be a line for a shell', () => {
    const argv = ['sh', '-c', 'cd web; npm run "unit"'];
    const base = { 'web/package.json': manifest({ unit: 'vitest' }) };
    const now = { 'web/package.json': manifest({ unit: 'true' }) };
    const texts = read(argv, base, now, {});
    expect(changedCommand(argv, texts.base, texts.now)).toEqual([
      { path: 'web/package.json', part: 'scripts.unit' },
    ]);
  });
});

describe('files that were not read', () => {
  it('are named, and taken as unchanged', () => {
    const texts = new Map([['package.json', manifest({ test: './check.sh' })]]);
    expect(filesOfCommand(['npm', 'test'], new Map())).toEqual(['package.json']);
    expect(filesOfCommand(['npm', 'test'], texts)).toEqual(['check.sh']);
    expect(changedCommand(['npm', 'test'], texts, texts)).toEqual([]);
    expect(changedCommand(['npm', 'test'], texts, new Map())).toEqual([]);
  });

  it('are compared in time, however an agent writes them', () => {
    const long = `a${' '.repeat(200_000)}b`;
    for (const [command, path, text] of [
      ['make test', 'Makefile', long],
      ['just test', 'justfile', long],
      ['mvn test', 'pom.xml', '<plugin>'.repeat(50_000)],
      ['pytest', 'pyproject.toml', `[${'tool.'.repeat(50_000)}`],
    ] as const)
      expect(changed(command, { [path]: '' }, { [path]: text })).toBeDefined();
  });

  it('come to an end whatever the command is', () => {
    for (const argv of [
      [],
      [''],
      ['npm'],
      ['make'],
      ['just'],
      ['sh', '-c'],
      ['python', '-m'],
      ['deno'],
      ['node'],
    ])
      expect(read(argv, {}, {}, {}).base.size).toBeLessThan(10);
  });
});
