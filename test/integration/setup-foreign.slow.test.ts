import { execFile } from 'node:child_process';
import { mkdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { expectFailure, expectOk, makeScene, type SetupScene } from './setup-fixture.ts';

const run = promisify(execFile);

async function link(target: string, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await symlink(target, path);
}

const found = async (scene: SetupScene, checkout = scene.work) =>
  (await scene.setup(null).scan(scene.request(checkout))).map(({ source }) => source.replace(scene.root, ''));

type Change = (scene: SetupScene) => Promise<unknown>;
const files =
  (record: (scene: SetupScene) => Record<string, string>): Change =>
  (scene) =>
    scene.write(scene.work, record(scene));

describe('a foreign dependency is found', () => {
  it.each<[string, Change, string[]]>([
    [
      'a package that is a link to the checkout of the user',
      ({ work, user }) => link(join(user, 'packages/core'), join(work, 'node_modules/core')),
      ['node_modules/core'],
    ],
    [
      'a package with a scope, in the folder of a package',
      ({ work, user }) =>
        link(join(user, 'packages/core'), join(work, 'packages/app/node_modules/@shop/core')),
      ['packages/app/node_modules/@shop/core'],
    ],
    [
      'a package in the virtual store of pnpm',
      ({ work, user }) =>
        link(join(user, 'packages/core'), join(work, 'node_modules/.pnpm/app@1.0.0/node_modules/core')),
      ['node_modules/.pnpm/app@1.0.0/node_modules/core'],
    ],
    [
      'node_modules as a whole',
      ({ work, user }) => link(join(user, 'node_modules'), join(work, 'node_modules')),
      ['node_modules'],
    ],
    [
      'a link to the judge checkout',
      ({ work, judge }) => link(join(judge, 'core'), join(work, 'node_modules/core')),
      ['node_modules/core'],
    ],
    [
      'a relative link that leaves the checkout',
      ({ work }) => link('../../core', join(work, 'node_modules/core')),
      ['node_modules/core'],
    ],
    [
      'a link that npm recorded',
      files(({ user }) => ({
        'node_modules/.package-lock.json': JSON.stringify({
          packages: { 'node_modules/a/node_modules/core': { link: true, resolved: `${user}/core` } },
        }),
      })),
      ['node_modules/.package-lock.json'],
    ],
    [
      'a file: dependency with an absolute path',
      files(({ user }) => ({
        'package.json': JSON.stringify({ dependencies: { core: `file:${user}/core` } }),
      })),
      ['package.json'],
    ],
    [
      'a link: dependency that leaves the checkout',
      files(() => ({ 'package.json': JSON.stringify({ dependencies: { core: 'link:../core' } }) })),
      ['package.json'],
    ],
    ['a module of go.work', files(() => ({ 'go.work': 'use (\n\t.\n\t../core\n)\n' })), ['go.work']],
    [
      'a path of Cargo.toml',
      files(({ user }) => ({ 'Cargo.toml': `[dependencies]\ncore = { path = "${user}/core" }\n` })),
      ['Cargo.toml'],
    ],
    [
      'paths of the configuration of Cargo',
      files(({ user }) => ({ '.cargo/config.toml': `paths = ["${user}/core"]\n` })),
      ['.cargo/config.toml'],
    ],
    [
      'a source of uv',
      files(() => ({ 'pyproject.toml': '[tool.uv.sources]\nlib = { path = "../lib" }\n' })),
      ['pyproject.toml'],
    ],
    [
      'a link that git tracks, to the checkout of the user',
      ({ work, user }) => link(join(user, 'lib'), join(work, 'src/lib')),
      ['src/lib'],
    ],
    [
      'a package above the checkout',
      ({ root, user }) => link(join(user, 'core'), join(root, 'state/node_modules/core')),
      ['/state/node_modules/core'],
    ],
    [
      'a go.work above the checkout',
      ({ root }) => writeFile(join(root, 'go.work'), 'use ./home/shop\n'),
      ['/go.work'],
    ],
  ])('%s', async (_, change, expected) => {
    const scene = await makeScene();
    await scene.write(scene.user, {
      'packages/core/index.js': '',
      'core/x': '',
      'lib/x': '',
      'node_modules/x': '',
    });
    await change(scene);
    expect(await found(scene)).toEqual(expected);
  });

  it('and the run ends with its path', async () => {
    const scene = await makeScene();
    await scene.write(scene.user, { 'packages/core/index.js': '' });
    await link(join(scene.user, 'packages/core'), join(scene.work, 'node_modules/core'));
    const failed = expectFailure(await scene.setup(null).prepare(scene.request(scene.work)));
    expect(failed.reason).toBe(
      [
        'dependencies resolve outside this checkout, so tests would not run the code that is under test:',
        `  node_modules/core → ${scene.user}/packages/core (it is in another checkout)`,
      ].join('\n'),
    );
    expect(failed.foreign).toHaveLength(1);
  });
});

describe('an honest dependency is left alone', () => {
  it.each<[string, Change]>([
    [
      'a package of the workspace',
      async ({ work, write }) => {
        await write(work, {
          'packages/core/package.json': '{"name":"core"}',
          'package.json': '{"workspaces":["packages/*"]}',
        });
        await link('../packages/core', join(work, 'node_modules/core'));
      },
    ],
    [
      'a package in the store of a package manager',
      async ({ work, root, write }) => {
        await write(root, { 'home/.local/share/pnpm/store/v10/links/a/index.js': '' });
        await link(join(root, 'home/.local/share/pnpm/store/v10/links/a'), join(work, 'node_modules/a'));
      },
    ],
    [
      'a link that git tracks, to a system folder',
      ({ work }) => link('/usr/share', join(work, 'docs/share')),
    ],
    [
      'a link that git tracks and that leads nowhere',
      ({ work }) => link('../../gone', join(work, 'docs/gone')),
    ],
    [
      'a fixture that names a folder which does not exist',
      files(() => ({ 'test/fixtures/a/package.json': '{"dependencies":{"b":"file:../../../../b"}}' })),
    ],
    [
      'the harness folder of the run',
      ({ work, user }) => link(join(user, '.tnh/run/1/harness'), join(work, '.tnh/run/1/harness')),
    ],
    [
      'paths inside the checkout',
      files(() => ({
        'package.json': '{"dependencies":{"core":"file:./core"}}',
        'core/package.json': '{}',
        'Cargo.toml': '[dependencies]\ncore = { path = "core" }\n',
        'go.mod': 'module shop\nreplace shop/core => ./core\n',
      })),
    ],
    ['a program in .bin', ({ work }) => link('../core/cli.js', join(work, 'node_modules/.bin/core'))],
  ])('%s', async (_, change) => {
    const scene = await makeScene();
    await change(scene);
    expect(await found(scene)).toEqual([]);
  });
});

describe('Go modules', () => {
  it.each(['go.mod', 'services/api/go.mod'])(
    'a replacement in %s that leads to the checkout of the user is found',
    async (path) => {
      const scene = await makeScene();
      // A module file can't hold a path with a space, so a link without one leads there.
      const plain = join(await realpath('/tmp'), `conductor-go-${process.pid}`);
      await rm(plain, { force: true });
      await symlink(scene.user, plain);
      try {
        await scene.write(scene.work, {
          [path]: `module shop\n\nreplace (\n\tshop/core => ${plain}/core\n)\n`,
        });
        await scene.write(scene.user, { 'core/go.mod': 'module shop/core\n' });
        expect(await found(scene)).toEqual([path]);
      } finally {
        await rm(plain);
      }
    },
  );
});

describe('Python', () => {
  const project = { 'pyproject.toml': '[project]\nname = "my-shop"\n', 'src/my_shop/__init__.py': '' };

  async function makeVenv(checkout: string): Promise<string> {
    await run('python3', ['-m', 'venv', '--without-pip', '.venv'], { cwd: checkout });
    const { stdout } = await run(join(checkout, '.venv/bin/python'), [
      '-c',
      'import site; print(site.getsitepackages()[0])',
    ]);
    return stdout.trim();
  }

  it.each<[string, (user: string) => Record<string, string>, string]>([
    ['a .pth file', (user) => ({ 'shop.pth': `${user}/src\n` }), 'shop.pth'],
    ['an egg-link', (user) => ({ 'shop.egg-link': `${user}/src\n.` }), 'shop.egg-link'],
    [
      'a finder of an editable install',
      (user) => ({
        '__editable___my_shop_1_0_finder.py': `MAPPING: dict[str, str] = {'my_shop': '${user}/src/my_shop'}\n`,
      }),
      '__editable___my_shop_1_0_finder.py',
    ],
    [
      'direct_url.json of an editable install',
      (user) => ({
        'my_shop-1.0.dist-info/direct_url.json': JSON.stringify({
          url: `file://${encodeURI(user)}`,
          dir_info: { editable: true },
        }),
      }),
      'my_shop-1.0.dist-info/direct_url.json',
    ],
  ])(
    '%s that leads to the checkout of the user is found, and one to the checkout itself is fine',
    async (_, make, file) => {
      const scene = await makeScene();
      for (const folder of [scene.user, scene.work]) await scene.write(folder, project);
      const site = await makeVenv(scene.work);
      await scene.write(site, make(scene.work));
      expect(await found(scene)).toEqual([]);
      await scene.write(site, make(scene.user));
      expect(await found(scene)).toEqual([`${site.replace(`${scene.work}/`, '')}/${file}`]);
    },
  );

  it('an editable install outside the checkout is found only when no environment hides it', async () => {
    const scene = await makeScene();
    for (const folder of [scene.user, scene.work]) await scene.write(folder, project);
    // The environment that the user has activated represents any Python on the PATH.
    const site = await makeVenv(scene.user);
    await scene.write(site, { '__editable__.my_shop-1.0.pth': `${scene.user}/src\n` });
    const env = { ...scene.env, PATH: `${scene.user}/.venv/bin:${scene.env.PATH}` };
    const scan = () => scene.setup(null).scan({ ...scene.request(scene.work), env });
    expect(await scan()).toMatchObject([
      { target: `${scene.user}/src`, reason: 'it is in another checkout' },
    ]);
    await makeVenv(scene.work);
    expect(await scan()).toEqual([]);
  });

  it('an editable install of the same project from any other folder is found', async () => {
    const scene = await makeScene();
    await scene.write(scene.work, project);
    const old = join(scene.root, 'home/shop-old');
    await scene.write(old, project);
    const site = await makeVenv(scene.work);
    await scene.write(site, { '__editable__.my_shop-1.0.pth': `${old}/src\n`, 'other.pth': `${old}/src\n` });
    expect(await scene.setup(null).scan(scene.request(scene.work))).toMatchObject([
      { target: `${old}/src`, reason: '`my-shop` is a package of this checkout' },
    ]);
  });

  it('a virtual environment is made for each checkout, and restored for its own', async () => {
    const scene = await makeScene();
    for (const folder of [scene.user, scene.work, scene.judge])
      await scene.write(folder, { ...project, 'requirements.txt': '' });
    const checkouts = scene.setup({
      run: [['python3', '-m', 'venv', '--without-pip', '.venv']],
      cache: { key: ['requirements.txt'], paths: ['.venv'] },
    });
    for (const checkout of [scene.work, scene.judge])
      expect(expectOk(await checkouts.prepare(scene.request(checkout)))).toMatchObject({
        cacheHit: false,
        notes: [
          expect.stringMatching(/^not kept for other checkouts: \.venv\/.* contains the path of this one$/),
        ],
      });
    await rm(join(scene.judge, '.venv/bin'), { recursive: true });
    expect(expectOk(await checkouts.restore(scene.request(scene.judge))).cacheHit).toBe(true);
    const { stdout } = await run(join(scene.judge, '.venv/bin/python'), [
      '-c',
      'import sys; print(sys.prefix)',
    ]);
    expect(stdout.trim()).toBe(join(scene.judge, '.venv'));
  });
});

describe('npm', () => {
  const env = (scene: SetupScene) => ({
    ...scene.env,
    npm_config_cache: join(scene.root, 'npm'),
    npm_config_offline: 'true',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
  });

  it('a workspace that is installed in each checkout tests its own packages', async () => {
    const scene = await makeScene();
    const workspace = {
      'package.json': JSON.stringify({
        name: 'shop',
        private: true,
        workspaces: ['packages/*'],
        dependencies: { tool: 'file:tool-1.0.0.tgz' },
      }),
      'packages/core/package.json': '{"name":"core","version":"1.0.0"}',
      'packages/core/index.js': 'module.exports = "whole";',
      'packages/app/package.json': '{"name":"app","version":"1.0.0","dependencies":{"core":"1.0.0"}}',
      'packages/app/test.js': 'process.stdout.write(require("core"));',
    };
    await scene.write(join(scene.root, 'tool'), {
      'package.json': '{"name":"tool","version":"1.0.0"}',
      'index.js': '',
    });
    const options = { env: env(scene) };
    for (const folder of [scene.user, scene.work, scene.judge]) {
      await scene.write(folder, workspace);
      await run('npm', ['pack', '--pack-destination', folder, join(scene.root, 'tool')], options);
    }
    await run('npm', ['install', '--package-lock-only'], { ...options, cwd: scene.user });
    for (const folder of [scene.work, scene.judge])
      await run('cp', [join(scene.user, 'package-lock.json'), folder]);

    const checkouts = scene.setup({
      run: [['npm', 'ci']],
      cache: { key: ['package-lock.json'], paths: ['node_modules', 'packages/*/node_modules'] },
    });
    const request = (checkout: string) => scene.request(checkout, { env: env(scene) });
    expect(expectOk(await checkouts.prepare(request(scene.work)))).toMatchObject({
      cacheHit: false,
      notes: [],
    });
    expect(expectOk(await checkouts.prepare(request(scene.judge)))).toMatchObject({ cacheHit: true });

    await writeFile(join(scene.judge, 'packages/core/index.js'), 'module.exports = "broken";');
    const test = await run('node', ['packages/app/test.js'], { cwd: scene.judge });
    expect(test.stdout).toBe('broken');
  });
});
