import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect } from 'vitest';
import type { GitRepo } from '../../testing/git-repo.ts';
import {
  expectGreenInCheckout,
  expectNotGreen,
  expectRefused,
  type LeakKind,
  openLeak,
} from './leak-scene.ts';
import { type Scene, test } from './scene.ts';

const run = promisify(execFile);
const json = JSON.stringify;

const CORE = 'exports.add = (a, b) => a + b;\n';
const BREAK_CORE = `echo 'throw new Error("broken")' > packages/core/index.js`;
const HONEST = 'echo hello > note.txt';
const TEST = `const test = require('node:test');
const assert = require('node:assert');
const { add } = require('@shop/core');
test('adds', () => assert.equal(add(2, 3), 5));
`;
const CHECK = ['node', '--test', 'packages/app/'];

/** A repository with `packages/app`, whose tests import `packages/core` by its name. */
function packages(spec: string, root: Readonly<Record<string, unknown>> = {}): LeakKind['files'] {
  return {
    'package.json': json({ name: 'shop', version: '1.0.0', private: true, ...root }),
    'packages/core/package.json': json({ name: '@shop/core', version: '1.0.0', main: 'index.js' }),
    'packages/core/index.js': CORE,
    'packages/app/package.json': json({
      name: '@shop/app',
      version: '1.0.0',
      dependencies: { '@shop/core': spec },
    }),
    'packages/app/app.test.js': TEST,
  };
}

const NPM = ['--offline', '--no-audit', '--no-fund'];

/** Installs in the user's checkout; a lock file that comes of it is committed. */
async function npmInstall(repo: GitRepo, ...options: readonly string[]): Promise<void> {
  await run('npm', ['install', ...NPM, ...options], { cwd: repo.root });
  await repo.git('add', '--all');
  await repo.git('commit', '--quiet', '--allow-empty', '--message=install');
}

/** Makes the layout of pnpm, which is not available to tests: the same folders and the same relative links. */
const PNPM = `const { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } = require('node:fs');
const { dirname } = require('node:path');
const link = (target, path) => {
  rmSync(path, { recursive: true, force: true });
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
};
mkdirSync('node_modules/.pnpm/node_modules', { recursive: true });
writeFileSync('node_modules/.modules.yaml', 'layoutVersion: 5\\n');
if (process.argv[2] === 'injected') {
  const copy = 'node_modules/.pnpm/@shop+core@file+packages+core/node_modules/@shop/core';
  cpSync('packages/core', copy, { recursive: true });
  link('../../../../' + copy, 'packages/app/node_modules/@shop/core');
} else link('../../../core', 'packages/app/node_modules/@shop/core');
`;

function pnpm(layout: 'linked' | 'injected'): LeakKind {
  const files = {
    ...packages('workspace:*'),
    'pnpm-workspace.yaml': 'packages: [packages/*]\n',
    'pnpm-lock.yaml': `lockfileVersion: '9.0'\nimporters:\n  packages/app:\n    dependencies:\n      '@shop/core':\n        specifier: workspace:*\n        version: link:../core\n`,
    'tools/pnpm.cjs': PNPM,
  };
  return {
    files,
    check: CHECK,
    install: (repo) => run('node', ['tools/pnpm.cjs', layout], { cwd: repo.root }),
  };
}

const pnpmSetup = (layout: string) =>
  `setup:\n  run: [[node, tools/pnpm.cjs, ${layout}]]\n  cache: { key: [pnpm-lock.yaml], paths: [node_modules, packages/*/node_modules] }`;
const npmSetup = (command: readonly string[]) =>
  `setup:\n  run: [${json(command)}]\n  cache: { key: [package-lock.json, package.json], paths: [node_modules, packages/*/node_modules] }`;

/** `link:` is what yarn and pnpm make a link of. */
const LINK = `const { mkdirSync, symlinkSync } = require('node:fs');
mkdirSync('packages/app/node_modules/@shop', { recursive: true });
symlinkSync('../../../core', 'packages/app/node_modules/@shop/core');
`;

interface LeakRow {
  readonly name: string;
  readonly kind: LeakKind;
  readonly setup: string;
  /** What the message says without `setup`. */
  readonly without: string;
}

const NO_PACKAGE = "Cannot find module '@shop/core'";

const ROWS: readonly LeakRow[] = [
  {
    name: 'npm workspaces',
    kind: {
      files: packages('1.0.0', { workspaces: ['packages/*'] }),
      check: CHECK,
      install: (repo) => npmInstall(repo),
    },
    setup: npmSetup(['npm', 'ci', ...NPM]),
    without: NO_PACKAGE,
  },
  {
    name: 'a file: dependency that npm links',
    kind: {
      files: packages('file:../core', { dependencies: { '@shop/app': 'file:packages/app' } }),
      check: CHECK,
      install: (repo) => npmInstall(repo),
    },
    setup: npmSetup(['npm', 'ci', ...NPM]),
    without: NO_PACKAGE,
  },
  {
    name: 'a file: dependency that npm copies',
    kind: {
      files: {
        ...packages('file:../core', { dependencies: { '@shop/core': 'file:packages/core' } }),
        '.npmrc': 'install-links=true\npackage-lock=false\n',
      },
      check: CHECK,
      install: (repo) => npmInstall(repo),
    },
    setup: npmSetup(['npm', 'install', ...NPM]),
    without: NO_PACKAGE,
  },
  {
    name: 'a link: dependency',
    kind: {
      files: { ...packages('link:../core'), 'tools/link.cjs': LINK },
      check: CHECK,
      install: (repo) => run('node', ['tools/link.cjs'], { cwd: repo.root }),
    },
    setup: npmSetup(['node', 'tools/link.cjs']),
    without: NO_PACKAGE,
  },
  { name: 'pnpm workspaces', kind: pnpm('linked'), setup: pnpmSetup('linked'), without: NO_PACKAGE },
  {
    name: 'pnpm workspaces with injected copies',
    kind: pnpm('injected'),
    setup: pnpmSetup('injected'),
    without: NO_PACKAGE,
  },
];

describe('tests that import the package that an agent breaks', () => {
  for (const { name, kind, setup, without } of ROWS) {
    test(`${name}: with setup they fail on the broken code`, async ({ openScene }) => {
      const scene = await openLeak(openScene, kind, setup);
      await expectGreenInCheckout(scene, kind);
      const honest = await scene.attempt(HONEST);
      expect([honest.checks, honest.code], honest.stderr).toEqual(['green', 0]);
      const broken = await scene.attempt(BREAK_CORE);
      expect([broken.checks, broken.code], broken.stderr).toEqual(['red', 4]);
      expect(broken.output).toContain('Error: broken');
      expectNotGreen(broken);
    });

    test(`${name}: without setup no run vouches for them`, async ({ openScene }) => {
      const scene = await openLeak(openScene, kind);
      await expectGreenInCheckout(scene, kind);
      const broken = await scene.attempt(BREAK_CORE);
      expectNotGreen(broken);
      expect(`${broken.stderr}${broken.output}`).toContain(without);
    });
  }
});

const PLAIN: LeakKind = {
  files: packages('1.0.0'),
  check: CHECK,
  install: async ({ root }) => linkTo(join(root, 'packages/core'), join(root, 'node_modules/@shop/core')),
};

async function linkTo(target: string, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await symlink(target, path);
}

/** Commits a dependency on the user's own checkout, by its absolute path. */
function absolute(spec: (core: string) => string): LeakKind {
  return {
    ...PLAIN,
    install: async (repo) => {
      const core = join(repo.root, 'packages/core');
      await repo.write('package.json', json({ name: 'shop', dependencies: { '@shop/core': spec(core) } }));
      await repo.git('commit', '--quiet', '--all', '--message=absolute');
      await PLAIN.install(repo);
    },
  };
}

describe("a dependency that leads to the user's checkout ends the run before any agent, with its path", () => {
  for (const [name, kind, command] of [
    ['file: with an absolute path', absolute((core) => `file:${core}`), ['npm', 'install', ...NPM]],
    ['link: with an absolute path', absolute((core) => `link:${core}`), ['true']],
    ['file: as a URL', absolute((core) => `file://${core}`), ['true']],
  ] as const)
    test(`${name}, with setup and without`, async ({ openScene }) => {
      for (const setup of ['', npmSetup(command)]) {
        const scene = await openLeak(openScene, kind, setup);
        await expectGreenInCheckout(scene, kind);
        const attempt = await scene.attempt(BREAK_CORE);
        expectRefused(attempt, `package.json → ${scene.repo.root}/packages/core (it is in another checkout)`);
      }
    });

  test('a setup that borrows the installed packages of the checkout', async ({ openScene }) => {
    const borrow = 'ln -s "$(cat ../origin)/node_modules" node_modules';
    const setup = `setup: { run: [[sh, -c, '${borrow}']] }`;
    const scene = await openLeak(openScene, PLAIN, setup);
    const attempt = await scene.attempt(BREAK_CORE);
    expectRefused(attempt, `node_modules → ${scene.repo.root}/node_modules (it is in another checkout)`);
  });

  test('a setup that copies the links of the checkout', async ({ openScene }) => {
    const setup = `setup: { run: [[sh, -c, 'cp -a "$(cat ../origin)/node_modules" .']] }`;
    const scene = await openLeak(openScene, PLAIN, setup);
    const attempt = await scene.attempt(BREAK_CORE);
    expectRefused(attempt, `node_modules/@shop/core → ${scene.repo.root}/packages/core`);
  });

  test('packages in a folder above the workspace, where Node searches too', async ({ openScene }) => {
    const scene = await openLeak(openScene, PLAIN);
    const above = join(scene.home, 'node_modules/@shop/core');
    await linkTo(join(scene.repo.root, 'packages/core'), above);
    expectRefused(await scene.attempt(BREAK_CORE), `${above} → ${scene.repo.root}/packages/core`);
  });

  test('a replace directive of a Go module', async ({ openScene }) => {
    const scene = await openLeak(openScene, {
      files: { 'core/go.mod': 'module example.com/core\n', 'core/core.go': 'package core\n' },
      check: ['true'],
      install: async (repo) => {
        const replace = `replace example.com/core => ${repo.root}/core`;
        await repo.write('go.mod', `module example.com/app\n\ngo 1.21\n\n${replace}\n`);
        await repo.git('add', '--all');
        await repo.git('commit', '--quiet', '--message=module');
      },
    });
    const attempt = await scene.attempt('echo broken > core/core.go');
    expectRefused(attempt, `go.mod → ${scene.repo.root}/core (it is in another checkout)`);
  });
});

const hasGo = await run('go', ['version']).then(
  () => true,
  () => false,
);
if (!hasGo) process.stderr.write('the test that runs Go is left out: go is not installed\n');

describe('a replace directive that stays in the repository', () => {
  test.skipIf(!hasGo)('tests the code that the agent broke', async ({ openScene }) => {
    const scene = await openLeak(openScene, {
      files: {
        'go.mod':
          'module example.com/app\n\ngo 1.21\n\nrequire example.com/core v0.0.0\n\nreplace example.com/core => ./core\n',
        'app_test.go':
          'package app\n\nimport (\n\t"testing"\n\n\t"example.com/core"\n)\n\nfunc TestAdd(t *testing.T) {\n\tif core.Add(2, 3) != 5 {\n\t\tt.Fatal("wrong")\n\t}\n}\n',
        'core/go.mod': 'module example.com/core\n\ngo 1.21\n',
        'core/core.go': 'package core\n\nfunc Add(a, b int) int { return a + b }\n',
      },
      check: ['go', 'test', './...'],
      install: async () => {},
    });
    const honest = await scene.attempt(HONEST);
    expect([honest.checks, honest.code], honest.stderr).toEqual(['green', 0]);
    const broken = await scene.attempt('sed -i "s/a + b/a - b/" core/core.go');
    expect([broken.checks, broken.code], broken.stderr).toEqual(['red', 4]);
  });
});

describe("what leads into the user's checkout from outside the repository", () => {
  test('NODE_PATH reaches no check, even if the configuration lets it through', async ({ openScene }) => {
    const scene = await openLeak(openScene, PLAIN, 'environment: [PATH, HOME, NODE_PATH]');
    const env = { NODE_PATH: join(scene.repo.root, 'node_modules') };
    await expectGreenInCheckout(scene, PLAIN, env);
    const broken = await scene.attempt(BREAK_CORE, env);
    expectNotGreen(broken);
    expect(`${broken.stderr}${broken.output}`).toContain(NO_PACKAGE);
  });

  /** A program that the package manager put into the checkout; it says what it thinks of the checkout it is in. */
  const RUNNER: LeakKind = {
    files: { 'core.js': 'module.exports = 1;\n' },
    check: ['runner'],
    install: async ({ root }) => {
      const bin = join(root, 'node_modules/.bin');
      await mkdir(bin, { recursive: true });
      await writeFile(join(bin, 'runner'), `#!/usr/bin/env node\nrequire(${json(join(root, 'core.js'))});\n`);
      await chmod(join(bin, 'runner'), 0o755);
    },
  };
  const pathWith = (folder: string) => ({ PATH: `${folder}:${process.env.PATH}` });

  /** Whether the user's checkout is on the PATH by its own name or by that of a link. */
  for (const [name, place] of [
    ['by its own path', async ({ repo }: Scene) => repo.root],
    [
      'by a path with a link',
      async ({ repo, home }: Scene) => {
        await symlink(repo.root, join(home, 'project'));
        return join(home, 'project');
      },
    ],
  ] as const)
    test(`node_modules/.bin of the checkout on the PATH ${name} is not searched`, async ({ openScene }) => {
      const scene = await openLeak(openScene, RUNNER);
      const env = pathWith(join(await place(scene), 'node_modules/.bin'));
      await expectGreenInCheckout(scene, RUNNER, env);
      const { code, stderr } = await scene.cli.run(['run', 'w.yaml'], { env });
      const runner = join(scene.repo.root, 'node_modules/.bin/runner');
      expect([code, stderr]).toEqual([2, expect.stringContaining(`${runner} is in your checkout`)]);
      expect(scene.runIds()).toEqual([]);
    });

  test('a program on the PATH that is a link into the checkout is refused as a check', async ({
    openScene,
  }) => {
    const scene = await openLeak(openScene, RUNNER);
    const target = join(scene.repo.root, 'node_modules/.bin/runner');
    await linkTo(target, join(scene.home, 'bin/runner'));
    const env = pathWith(join(scene.home, 'bin'));
    await expectGreenInCheckout(scene, RUNNER, env);
    const { code, stderr } = await scene.cli.run(['run', 'w.yaml'], { env });
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${target} is in your checkout`)]);
    expect(scene.runIds()).toEqual([]);
  });

  test('a check that is named by its path in the checkout is refused', async ({ openScene }) => {
    let target = '';
    const scene = await openLeak(openScene, {
      ...RUNNER,
      install: async (repo) => {
        await RUNNER.install(repo);
        target = join(repo.root, 'node_modules/.bin/runner');
        const config = await readFile(join(repo.root, '.tnh/config.yaml'), 'utf8');
        await repo.write('.tnh/config.yaml', config.replace('"runner"', json(target)));
        await repo.git('commit', '--quiet', '--all', '--message=absolute');
      },
    });
    const { code, stderr } = await scene.cli.run(['run', 'w.yaml']);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${target} is in your checkout`)]);
  });
});

describe('the tests that `npm test` finds in the checkout', () => {
  test('are its own, also while runs are kept', async ({ openScene }) => {
    const kind: LeakKind = {
      files: {
        'package.json': json({ name: 'shop', scripts: { test: 'node --test --test-reporter=tap' } }),
        'add.test.js': "require('node:test')('adds', () => {});\n",
      },
      check: ['npm', 'test'],
      install: async () => {},
    };
    const scene = await openLeak(openScene, kind);
    const { checks } = await scene.attempt('cp add.test.js more.test.js');
    expect(checks).toBe('green');
    const { stdout } = await run('npm', ['test'], { cwd: scene.repo.root });
    expect(stdout).toMatch(/^# tests 1$/m);
    expect(stdout).not.toContain('more.test.js');
  });
});
