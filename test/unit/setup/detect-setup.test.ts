import { describe, expect, it } from 'vitest';
import { detectSetup, inVirtualEnvironment, needsPathOfPrograms } from '../../../src/setup/detect-setup.ts';
import { type LockFile, listsDependencies } from '../../../src/setup/lock-files.ts';
import { explainedSetupBlock, missingSetupAdvice, setupBlock } from '../../../src/setup/setup-block.ts';
import { checkConfig } from '../../../src/workflow/config/config-document.ts';
import { mergeConfigs } from '../../../src/workflow/config/config-merge.ts';

const files = (record: Readonly<Record<string, string>>) => new Map(Object.entries(record));
const parse = (text: string) => checkConfig({ name: 'config.yaml', bytes: new TextEncoder().encode(text) });

const MODULES = ['node_modules'];

describe('the setup of a repository', () => {
  it.each<[string, Record<string, string>, string[][], string[], string[]]>([
    ['npm', { 'package-lock.json': '{}' }, [['npm', 'ci']], ['package-lock.json'], MODULES],
    [
      'npm workspaces',
      {
        'package-lock.json': '{}',
        'package.json': '{"workspaces":["packages/*","./apps/web/","!packages/old"]}',
      },
      [['npm', 'ci']],
      ['package-lock.json'],
      ['node_modules', 'packages/*/node_modules', 'apps/web/node_modules'],
    ],
    [
      'npm with its settings',
      { 'npm-shrinkwrap.json': '{}', '.npmrc': '' },
      [['npm', 'ci']],
      ['npm-shrinkwrap.json', '.npmrc'],
      MODULES,
    ],
    [
      'pnpm',
      {
        'pnpm-lock.yaml': '',
        'pnpm-workspace.yaml': 'packages:\n  # all\n  - "packages/**"\n  - apps/web\ncatalog:\n  - no\n',
      },
      [['pnpm', 'install', '--frozen-lockfile', '--config.extend-node-path=false']],
      ['pnpm-lock.yaml'],
      ['node_modules', 'packages/**/node_modules', 'apps/web/node_modules'],
    ],
    [
      'pnpm with its packages on one line',
      { 'pnpm-lock.yaml': '', 'pnpm-workspace.yaml': 'packages: ["packages/*"]\n' },
      [['pnpm', 'install', '--frozen-lockfile', '--config.extend-node-path=false']],
      ['pnpm-lock.yaml'],
      ['node_modules', 'packages/*/node_modules'],
    ],
    [
      'yarn',
      { 'yarn.lock': '# yarn lockfile v1\n' },
      [['yarn', 'install', '--frozen-lockfile']],
      ['yarn.lock'],
      MODULES,
    ],
    [
      'yarn of the second generation, without node_modules',
      { 'yarn.lock': '__metadata:\n  version: 8\n' },
      [['yarn', 'install', '--immutable']],
      ['yarn.lock'],
      ['.pnp.cjs', '.pnp.loader.mjs', '.yarn/cache', '.yarn/unplugged', '.yarn/install-state.gz'],
    ],
    [
      'yarn of the second generation, with node_modules',
      { 'yarn.lock': '__metadata:\n', '.yarnrc.yml': 'nodeLinker: node-modules\n' },
      [['yarn', 'install', '--immutable']],
      ['yarn.lock', '.yarnrc.yml'],
      ['node_modules', '.yarn/install-state.gz'],
    ],
    ['bun', { 'bun.lock': '' }, [['bun', 'install', '--frozen-lockfile']], ['bun.lock'], MODULES],
    [
      'uv',
      { 'uv.lock': '', 'pyproject.toml': '' },
      [['uv', 'sync', '--frozen']],
      ['uv.lock', 'pyproject.toml'],
      ['.venv'],
    ],
    [
      'poetry',
      { 'poetry.lock': '' },
      [
        ['python3', '-m', 'venv', '.venv'],
        ['poetry', 'install', '--no-interaction'],
      ],
      ['poetry.lock'],
      ['.venv'],
    ],
    ['pdm', { 'pdm.lock': '' }, [['pdm', 'sync']], ['pdm.lock'], ['.venv']],
    [
      'pip',
      { 'requirements.txt': '', 'requirements-dev.txt': '' },
      [
        ['python3', '-m', 'venv', '.venv'],
        ['.venv/bin/python', '-m', 'pip', 'install', '-r', 'requirements.txt', '-r', 'requirements-dev.txt'],
      ],
      ['requirements.txt', 'requirements-dev.txt'],
      ['.venv'],
    ],
    [
      'pip with a project, as a link to its sources',
      { 'requirements.txt': '', 'pyproject.toml': '[build-system]\n' },
      [
        ['python3', '-m', 'venv', '.venv'],
        ['.venv/bin/python', '-m', 'pip', 'install', '-r', 'requirements.txt', '-e', '.'],
      ],
      ['requirements.txt', 'pyproject.toml'],
      ['.venv'],
    ],
    [
      'bundler',
      { 'Gemfile.lock': '' },
      [
        ['bundle', 'config', 'set', '--local', 'path', 'vendor/bundle'],
        ['bundle', 'config', 'set', '--local', 'frozen', 'true'],
        ['bundle', 'install'],
      ],
      ['Gemfile.lock'],
      ['.bundle', 'vendor/bundle'],
    ],
    [
      'composer',
      { 'composer.lock': '' },
      [['composer', 'install', '--no-interaction', '--no-progress']],
      ['composer.lock'],
      ['vendor'],
    ],
    [
      'two languages',
      { 'package-lock.json': '{}', 'uv.lock': '' },
      [
        ['npm', 'ci'],
        ['uv', 'sync', '--frozen'],
      ],
      ['package-lock.json', 'uv.lock'],
      ['node_modules', '.venv'],
    ],
  ])('with %s', (_, record, run, key, paths) => {
    const found = detectSetup(files(record));
    expect(found).toMatchObject({ run, key, paths, hasVirtualEnvironment: paths.includes('.venv') });
  });

  it('is none without a lock file', () => {
    expect(detectSetup(files({ 'package.json': '{}', 'pyproject.toml': '' }))).toBeNull();
  });

  it.each([
    ['npm@10.0.0', 'npm'],
    ['pnpm@9.1.0+sha512.abc', 'pnpm'],
    ['unknown', 'pnpm'],
  ])('with several lock files goes by packageManager: %s', (packageManager, program) => {
    const record = {
      'package-lock.json': '{}',
      'pnpm-lock.yaml': '',
      'package.json': JSON.stringify({ packageManager }),
    };
    expect(detectSetup(files(record))?.run[0]?.[0]).toBe(program);
  });

  it('names programs of the environment by their path where pip made it', () => {
    expect(needsPathOfPrograms(detectSetup(files({ 'requirements.txt': '' })))).toBe(true);
    expect(needsPathOfPrograms(detectSetup(files({ 'uv.lock': '' })))).toBe(false);
    expect(inVirtualEnvironment(['pytest', '-q'])).toEqual(['.venv/bin/pytest', '-q']);
    expect(inVirtualEnvironment(['make', 'test'])).toEqual(['make', 'test']);
  });
});

describe('the block for a configuration', () => {
  it.each<[string, Record<string, string>]>([
    ['npm', { 'package-lock.json': '{}', 'package.json': '{"workspaces":["**/x"]}' }],
    ['bundler', { 'Gemfile.lock': '' }],
    ['pip', { 'requirements.txt': '' }],
  ])('says what was found, as a valid configuration: %s', (_, record) => {
    const setup = detectSetup(files(record));
    if (setup === null) throw new Error('nothing was found');
    for (const text of [setupBlock(setup), explainedSetupBlock(setup)]) {
      const { diagnostics, document } = parse(text);
      expect(diagnostics).toEqual([]);
      const { run, key, paths } = setup;
      expect(mergeConfigs(document).setup).toMatchObject({ run, cache: { key, paths } });
    }
  });

  it('fits on two lines for npm', () => {
    const setup = detectSetup(files({ 'package-lock.json': '{}' }));
    expect(setup && setupBlock(setup)).toBe(
      'setup:\n  run: [[npm, ci]]\n  cache: { key: [package-lock.json], paths: [node_modules] }\n',
    );
  });
});

const LISTS: readonly [LockFile, string, boolean][] = [
  ['package-lock.json', '{"packages":{"":{},"node_modules/a":{"version":"1"}}}', true],
  ['package-lock.json', '{"packages":{"":{},"packages/core":{},"node_modules/core":{"link":true}}}', true],
  [
    'pnpm-lock.yaml',
    'importers:\n  packages/cli:\n    dependencies:\n      core:\n        version: link:../core\n',
    true,
  ],
  [
    'yarn.lock',
    '__metadata:\n  version: 8\n\n"core@workspace:packages/core":\n  version: 0.0.0-use.local\n  linkType: soft\n',
    true,
  ],
  ['uv.lock', '[[package]]\nname = "core"\nsource = { editable = "packages/core" }\n', true],
  ['package-lock.json', '{"lockfileVersion":1,"dependencies":{"a":{}}}', true],
  ['package-lock.json', '{"lockfileVersion":3,"packages":{"":{}}}', false],
  ['package-lock.json', 'no json', false],
  ['pnpm-lock.yaml', "lockfileVersion: '9.0'\nimporters:\n  .: {}\npackages:\n\n  semver@7.6.3:\n", true],
  ['pnpm-lock.yaml', "lockfileVersion: '9.0'\nimporters:\n  .: {}\n", false],
  ['yarn.lock', '# yarn lockfile v1\n\n\nsemver@7.6.3:\n  version "7.6.3"\n', true],
  ['yarn.lock', '# yarn lockfile v1\n\n\n', false],
  [
    'yarn.lock',
    '__metadata:\n  version: 8\n\n"root@workspace:.":\n  version: 0.0.0-use.local\n  linkType: soft\n',
    false,
  ],
  ['yarn.lock', '__metadata:\n  version: 8\n\n"a@npm:1":\n  version: 1.0.0\n  linkType: hard\n', true],
  ['bun.lock', '{"packages": {\n  "a": ["a@1"] } }', true],
  ['bun.lock', '{"packages": {} }', false],
  ['uv.lock', '[[package]]\nname = "shop"\nsource = { editable = "." }\n', false],
  ['uv.lock', '[[package]]\nname = "six"\nsource = { registry = "https://pypi.org/simple" }\n', true],
  ['poetry.lock', '[[package]]\nname = "six"\n', true],
  ['poetry.lock', 'package = []\n', false],
  ['requirements.txt', '# nothing\n-i https://x\n', false],
  ['requirements.txt', 'requests==2\n', true],
  ['Gemfile.lock', 'GEM\n  remote: https://rubygems.org/\n  specs:\n    rake (13)\n', true],
  ['Gemfile.lock', 'GEM\n  remote: https://rubygems.org/\n  specs:\n\nPLATFORMS\n  ruby\n', false],
  ['composer.lock', '{"packages": [], "packages-dev": [ {"name": "a/b"} ]}', true],
  ['composer.lock', '{"packages": [], "packages-dev": []}', false],
];

it.each(LISTS)('%s with %j lists dependencies: %s', (name, text, expected) => {
  expect(listsDependencies(name, text)).toBe(expected);
});

describe('the advice for a repository without setup', () => {
  it('names the lock file and the block', () => {
    const text = '{"packages":{"node_modules/a":{}}}';
    expect(missingSetupAdvice(files({ 'package-lock.json': text }))).toEqual({
      hasLockFileWithDependencies: true,
      lockFiles: ['package-lock.json'],
      block: expect.stringContaining('run: [[npm, ci]]'),
    });
  });

  it('is empty where nothing has to be installed', () => {
    expect(missingSetupAdvice(files({ 'package.json': '{}' }))).toEqual({
      hasLockFileWithDependencies: false,
      lockFiles: [],
      block: '',
    });
  });
});
