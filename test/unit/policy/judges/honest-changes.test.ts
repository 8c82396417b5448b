import { describe, expect, it } from 'vitest';
import { type Edits, type Files, judgeChange } from './inspected-change.ts';

/**
 * Honest changes, as far as values decide about them. A plain one is not even validated twice; where a file that decides a
 * verdict is edited, a second validation decides whether a gate opens; few changes open one in any case.
 */
interface HonestChange {
  /** Completes the sentence "a change that …". */
  readonly name: string;
  readonly edits: Edits;
  readonly rerun?: readonly string[];
  readonly asked?: readonly string[];
  readonly added?: readonly string[];
}

function itTrusts(command: string, base: Files, changes: readonly HonestChange[]): void {
  it.each(changes.map((change) => [change.name, change] as const))('a change that %s', (_name, change) => {
    const { edits, rerun = [], asked = [], added = [] } = change;
    expect(judgeChange(command, base, edits)).toEqual({ rerun, asked, added });
  });
}

const manifest = (more: object = {}, scripts: object = { test: 'vitest run' }) =>
  JSON.stringify({
    name: 'shop',
    main: 'lib/index.js',
    scripts,
    devDependencies: { vitest: '3.0.0' },
    ...more,
  });
const lock = (more: object = {}) =>
  JSON.stringify({
    packages: {
      'node_modules/vitest': { version: '3.0.0', dependencies: { vite: '*' } },
      'node_modules/vite': { version: '6.0.0' },
      ...more,
    },
  });

const VITEST: Files = {
  'package.json': manifest(),
  'package-lock.json': lock({ 'node_modules/left-pad': { version: '1.0.0' } }),
  'vite.config.ts':
    "import { version } from './package.json';\nexport default { build: { lib: { entry: 'src/index.ts' } }, resolve: { alias: { '@': './src/index.ts' } }, test: { setupFiles: ['./config/setup.ts'] } };",
  'config/setup.ts': '',
  'src/index.ts': 'export const price = (n: number) => n;\n',
  'src/index.test.ts': '',
  'src/cart.ts': 'export const cart = 1;\n',
  'src/cart.test.ts': 'cart\n',
  'src/Button.tsx': '',
  'README.md': '# shop\n',
  'tsconfig.json': '{}',
};

describe('in a repository with vitest', () => {
  itTrusts('npm test', VITEST, [
    {
      name: 'edits code that the configuration names as an entry and an alias',
      edits: { 'src/index.ts': 'export const price = 2;\n' },
    },
    {
      name: 'adds a module with its test',
      edits: { 'src/tax.ts': '', 'src/tax.test.ts': 'new' },
      added: ['src/tax.test.ts'],
    },
    { name: 'edits one test', edits: { 'src/index.test.ts': 'other' }, rerun: ['src/index.test.ts'] },
    {
      name: 'renames a module with its test',
      edits: {
        'src/cart.ts': null,
        'src/cart.test.ts': null,
        'src/basket.ts': 'export const cart = 1;\n',
        'src/basket.test.ts': 'cart\n',
      },
      rerun: ['src/basket.test.ts', 'src/cart.test.ts'],
    },
    { name: 'edits the documentation', edits: { 'README.md': '# shop 2\n', 'docs/test-plan.md': 'x' } },
    {
      name: 'adds a dependency',
      edits: {
        'package.json': manifest({ dependencies: { pad: '1.0.0' } }),
        'package-lock.json': lock({
          'node_modules/left-pad': { version: '1.0.0' },
          'node_modules/pad': { version: '1.0.0' },
        }),
      },
    },
    {
      name: 'updates a dependency of the code',
      edits: { 'package-lock.json': lock({ 'node_modules/left-pad': { version: '2.0.0' } }) },
    },
    { name: 'removes a dependency of the code', edits: { 'package-lock.json': lock() } },
    {
      name: 'updates the runner, which is for a person',
      edits: { 'package.json': manifest({ devDependencies: { vitest: '3.1.0' } }) },
      asked: ['package.json: devDependencies.vitest'],
    },
    {
      name: 'adds a script',
      edits: { 'package.json': manifest({}, { test: 'vitest run', build: 'vite build' }) },
    },
    {
      name: 'adds a script that checks something else',
      edits: { 'package.json': manifest({}, { test: 'vitest run', lint: 'eslint .' }) },
    },
    {
      name: 'configures a formatter in its manifest',
      edits: { 'package.json': manifest({ prettier: {}, eslintConfig: {} }) },
    },
    {
      name: 'adds metadata',
      edits: {
        'package.json': manifest({
          description: 'a shop',
          files: ['lib'],
          license: 'MIT',
          engines: { node: '>=20' },
        }),
      },
    },
    { name: 'adds types to its entry', edits: { 'package.json': manifest({ types: 'lib/index.d.ts' }) } },
    {
      name: 'writes its entry as exports',
      edits: {
        'package.json': manifest({
          exports: {
            '.': { types: './lib/index.d.ts', import: './lib/index.js', default: './lib/index.js' },
          },
        }),
      },
    },
    {
      name: 'adds an export',
      edits: { 'package.json': manifest({ exports: { '.': './lib/index.js', './tax': './lib/tax.js' } }) },
    },
    {
      name: 'adds an import of the package',
      edits: { 'package.json': manifest({ imports: { '#tax': './lib/tax.js' } }) },
    },
    {
      name: 'moves its entry, which is for a person',
      edits: { 'package.json': manifest({ main: 'dist/index.js' }) },
      asked: ['package.json: main'],
    },
    {
      name: 'formats its manifest',
      edits: { 'package.json': JSON.stringify(JSON.parse(manifest()), null, 2) },
    },
    {
      name: 'adds a style beside a component',
      edits: { 'src/Button.css': '', 'src/Button.module.css': '', 'src/Button.stories.tsx': '' },
    },
    {
      name: 'adds a component with a test',
      edits: { 'src/Card.tsx': '', 'src/Card.test.tsx': '' },
      added: ['src/Card.test.tsx'],
    },
    {
      name: 'moves a module from JavaScript to TypeScript',
      edits: { 'src/cart.ts': null, 'src/cart.tsx': 'other' },
    },
    { name: 'adds declarations of types', edits: { 'src/cart.d.ts': 'export {};\n' } },
    { name: 'adds a fixture', edits: { 'test/fixtures/order.json': '{}' } },
    {
      name: 'edits the setup of the tests',
      edits: { 'config/setup.ts': 'export {};\n' },
      rerun: ['config/setup.ts'],
    },
    {
      name: 'edits the compiler options',
      edits: { 'tsconfig.json': '{"compilerOptions":{}}' },
      rerun: ['tsconfig.json'],
    },
    {
      name: 'adds a linter',
      edits: { 'eslint.config.js': 'export default [];\n' },
      rerun: ['eslint.config.js'],
    },
    { name: 'adds a workflow of CI', edits: { '.github/workflows/ci.yml': 'on: push\n' } },
    {
      name: 'adds an editor configuration and a container',
      edits: { '.editorconfig': '', Dockerfile: 'FROM node\n', '.gitignore': 'dist\n' },
    },
    {
      name: 'reads an environment variable',
      edits: {
        'src/index.ts': "export const port = process.env.PORT ?? process.env.NODE_ENV === 'production';\n",
      },
    },
    {
      name: 'asserts in the code',
      edits: {
        'src/index.ts':
          "import assert from 'node:assert';\nassert.equal(1, 1);\nconst equal = assert.equal;\n",
      },
    },
    { name: 'ends a program that it adds', edits: { 'src/cli.ts': 'main();\nprocess.exit(0);\n' } },
    {
      name: 'ends a program on a condition',
      edits: { 'src/index.ts': 'if (done) {\n  process.exit(0);\n}\n' },
    },
    {
      name: 'handles an uncaught error',
      edits: {
        'src/index.ts': "process.on('uncaughtException', (error) => { log(error); process.exit(1); });\n",
      },
    },
    {
      name: 'cleans up at the exit',
      edits: { 'src/index.ts': "process.on('exit', () => { release(); });\n" },
    },
    {
      name: 'has names like those of a runner',
      edits: {
        'src/index.ts':
          "export const expected = 1;\nconst test = 2;\nexport const it = typeof test === 'number';\nwindow.testing = 1;\n",
      },
    },
    {
      name: 'deletes a module with its test',
      edits: { 'src/cart.ts': null, 'src/cart.test.ts': null },
      rerun: ['src/cart.test.ts'],
    },
    {
      name: 'skips the server in tests, which is for a person',
      edits: { 'src/index.ts': "if (process.env.NODE_ENV !== 'test') listen();\n" },
      asked: ["src/index.ts: NODE_ENV !== 'test'"],
    },
  ]);
});

const PYTHON: Files = {
  'pyproject.toml':
    '[project]\nname = "shop"\ndependencies = []\n\n[tool.pytest.ini_options]\naddopts = "-ra"\n',
  'uv.lock': '[[package]]\nname = "pytest"\nversion = "8.0.0"\n',
  'src/shop/__init__.py': '',
  'src/shop/calc.py': '"""\n>>> add(1, 2)\n3\n"""\n',
  'tests/conftest.py': '',
  'tests/test_calc.py': '',
};

describe('in a repository with pytest', () => {
  itTrusts('pytest', PYTHON, [
    { name: 'fixes the code', edits: { 'src/shop/calc.py': 'def add(a, b):\n    return a + b\n' } },
    {
      name: 'edits an example that no check runs',
      edits: { 'src/shop/calc.py': '"""\n>>> add(1, 2)\n4\n"""\n' },
    },
    { name: 'adds a test', edits: { 'tests/test_tax.py': 'new' }, added: ['tests/test_tax.py'] },
    {
      name: 'adds a package of tests',
      edits: { 'tests/unit/test_tax.py': 'new' },
      added: ['tests/unit/test_tax.py'],
    },
    {
      name: 'adds fixtures for all tests',
      edits: { 'tests/conftest.py': 'x' },
      rerun: ['tests/conftest.py'],
    },
    {
      name: 'adds a conftest for new tests',
      edits: { 'tests/web/conftest.py': 'x' },
      rerun: ['tests/web/conftest.py'],
      added: ['tests/web/conftest.py'],
    },
    {
      name: 'adds a dependency',
      edits: {
        'pyproject.toml': (PYTHON['pyproject.toml'] ?? '').replace('[]', '["httpx"]'),
        'uv.lock': `${PYTHON['uv.lock']}\n[[package]]\nname = "httpx"\nversion = "0.27"\n`,
      },
    },
    {
      name: 'configures a formatter',
      edits: { 'pyproject.toml': `${PYTHON['pyproject.toml']}\n[tool.ruff]\nline-length = 100\n` },
    },
    { name: 'adds a package', edits: { 'src/shop/web/__init__.py': '', 'src/shop/web/app.py': '' } },
    {
      name: 'makes a package of a module',
      edits: { 'src/shop/calc.py': null, 'src/shop/calc/__init__.py': 'new' },
    },
    { name: 'adds a program', edits: { 'src/shop/__main__.py': 'import sys\nsys.exit(0)\n' } },
    {
      name: 'compares values',
      edits: {
        'src/shop/calc.py': 'class V:\n    def __eq__(self, other):\n        return self.x == other.x\n',
      },
    },
    { name: 'adds a type marker and a changelog', edits: { 'src/shop/py.typed': '', 'CHANGELOG.md': '' } },
  ]);
});

const CARGO: Files = {
  'Cargo.toml': '[workspace]\nmembers = ["core"]\n',
  'core/Cargo.toml': '[package]\nname = "core"\n',
  'core/src/lib.rs': '/// ```\n/// assert_eq!(1, 1);\n/// ```\npub fn a() {}\n',
};

describe('in a repository with cargo', () => {
  const code = CARGO['core/src/lib.rs'] ?? '';
  itTrusts('cargo test', CARGO, [
    {
      name: 'adds a member',
      edits: {
        'Cargo.toml': '[workspace]\nmembers = ["core", "cli"]\n',
        'cli/Cargo.toml': '[package]\nname = "cli"\n',
      },
    },
    {
      name: 'adds a dependency',
      edits: {
        'core/Cargo.toml':
          '[package]\nname = "core"\n\n[dependencies]\nserde = "1"\nother = { path = "../other" }\n',
      },
    },
    {
      name: 'adds a test by its path',
      edits: {
        'core/Cargo.toml': '[package]\nname = "core"\n\n[[test]]\nname = "all"\npath = "tests/all.rs"\n',
      },
    },
    {
      name: 'adds a program',
      edits: { 'core/Cargo.toml': '[package]\nname = "core"\n\n[[bin]]\nname = "x"\npath = "src/x.rs"\n' },
    },
    {
      name: 'adds an example to the documentation',
      edits: { 'core/src/lib.rs': `${code}/// \`\`\`\n/// assert!(true);\n/// \`\`\`\npub fn b() {}\n` },
    },
    {
      name: 'edits an example that is only text',
      edits: { 'core/src/lib.rs': `${code}/// \`\`\`text\n/// a\n/// \`\`\`\npub fn b() {}\n` },
    },
    {
      name: 'adds a helper for tests',
      edits: { 'core/src/lib.rs': `${code}#[cfg(test)]\nmod helpers {}\n` },
    },
  ]);
});

describe('in other repositories', () => {
  const makefile = (more: string, version = '1') =>
    `VERSION = ${version}\nRUNNER = node\nARGS := $(FLAGS)\nFLAGS = --test\ntest:\n\t$(RUNNER) $(ARGS)\n${more}`;
  itTrusts('make test', { Makefile: makefile('') }, [
    {
      name: 'adds a variable for a new target',
      edits: { Makefile: makefile('OUT = out\nclean:\n\trm -r $(OUT)\n') },
    },
    { name: "edits a variable that the tests don't use", edits: { Makefile: makefile('', '2') } },
  ]);
  itTrusts(
    'make test',
    {
      Makefile: 'include mk/a.mk\ntest:\n\tsh check.sh\ndocs:\n\ttypedoc\n',
      'mk/a.mk': '',
      'check.sh': '',
      'cmd/a.sh': '',
    },
    [
      {
        name: 'adds a target',
        edits: { Makefile: 'include mk/a.mk\ntest:\n\tsh check.sh\ndocs:\n\ttypedoc\nclean:\n\trm -r out\n' },
      },
      {
        name: 'edits another target',
        edits: { Makefile: 'include mk/a.mk\ntest:\n\tsh check.sh\ndocs:\n\tdoxygen\n' },
      },
      { name: 'edits a program', edits: { 'cmd/a.sh': 'echo 1\n' } },
    ],
  );
  itTrusts(
    'npm test',
    {
      'package.json': '{"scripts":{"test":"node tools/check.mjs"}}',
      'tools/check.mjs': "import '../src/a.mjs';\nimport './kit.mjs';\n",
      'tools/kit.mjs': '',
      'src/a.mjs': '',
      'tools/release.mjs': '',
    },
    [
      { name: 'edits the code that a script checks', edits: { 'src/a.mjs': 'x' } },
      { name: 'edits another script', edits: { 'tools/release.mjs': 'x' } },
    ],
  );
  itTrusts('go test ./...', { 'go.mod': 'module a\n', 'sum.go': 'package sum\n' }, [
    {
      name: 'adds code and a test',
      edits: { 'tax.go': 'package sum\n', 'tax_test.go': 'new' },
      added: ['tax_test.go'],
    },
    { name: 'adds a dependency', edits: { 'go.mod': 'module a\n\nrequire b v1\n', 'go.sum': '' } },
  ]);
  itTrusts(
    'npm test',
    { 'package.json': '{"workspaces":["packages/*"],"scripts":{"test":"npm test --workspaces"}}' },
    [
      {
        name: 'adds a member of the workspaces',
        edits: {
          'packages/new/package.json':
            '{"name":"new","main":"src/index.js","scripts":{"test":"node --test"}}',
          'packages/new/src/index.js': '',
        },
      },
      {
        name: 'adds a folder of members',
        edits: {
          'package.json': '{"workspaces":["packages/*","apps/*"],"scripts":{"test":"npm test --workspaces"}}',
        },
      },
    ],
  );
});
