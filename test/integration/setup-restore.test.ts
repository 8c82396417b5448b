import {
  chmod,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SetupConfig } from '../../src/contracts/config/setup-config.ts';
import { expectFailure, expectOk, makeScene, type SetupScene } from './setup-fixture.ts';

const INSTALL = `
import { appendFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
appendFileSync(process.env.HOME + '/installs', 'x');
for (const folder of ['node_modules/.bin', 'node_modules/dep/lib', 'packages/core/node_modules/inner'])
  mkdirSync(folder, { recursive: true });
writeFileSync('node_modules/dep/index.js', 'one');
writeFileSync('node_modules/dep/lib/deep.js', 'two');
writeFileSync('packages/core/node_modules/inner/index.js', 'three');
symlinkSync('../dep/index.js', 'node_modules/.bin/dep');
`;

const CONFIG: Partial<SetupConfig> = {
  run: [['node', 'tools/install.mjs']],
  cache: { key: ['deps.lock'], paths: ['node_modules', 'packages/*/node_modules'] },
};

async function preparedScene() {
  const scene = await makeScene();
  const files = { 'deps.lock': 'one', 'tools/install.mjs': INSTALL, 'packages/core/index.js': '' };
  await scene.write(scene.judge, files);
  const checkouts = scene.setup(CONFIG);
  expectOk(await checkouts.prepare(scene.request(scene.judge)));
  const before = await picture(scene.judge);
  return { ...scene, checkouts, before };
}

/** Everything that a program can see of the setup paths but inodes and times of change. */
async function picture(checkout: string): Promise<Record<string, string>> {
  const seen: Record<string, string> = {};
  for (const top of ['node_modules', 'packages'])
    for (const path of (await readdir(join(checkout, top), { recursive: true })).sort()) {
      const full = join(checkout, top, path);
      const found = await stat(full);
      const content = found.isFile() ? await readFile(full, 'utf8') : 'folder';
      seen[`${top}/${path}`] = `${(found.mode & 0o777).toString(8)} ${content}`;
    }
  return seen;
}

const installs = async ({ root }: SetupScene) => (await readFile(join(root, 'home/installs'), 'utf8')).length;

describe('restoring a checkout', () => {
  it.each<[string, (checkout: string) => Promise<unknown>]>([
    ['nothing', async () => undefined],
    ['an extra file', (at) => writeFile(join(at, 'node_modules/extra.js'), '')],
    ['an extra folder', (at) => mkdir(join(at, 'node_modules/.vite/deps'), { recursive: true })],
    ['a shim in .bin', (at) => writeFile(join(at, 'node_modules/.bin/vitest'), 'exit 0', { mode: 0o755 })],
    ['a changed file', (at) => writeFile(join(at, 'node_modules/dep/index.js'), 'ONE')],
    [
      'a changed file with its old times',
      async (at) => {
        const path = join(at, 'node_modules/dep/index.js');
        const { atime, mtime } = await stat(path);
        await writeFile(path, 'ONE');
        await utimes(path, atime, mtime);
      },
    ],
    ['a removed file', (at) => rm(join(at, 'node_modules/dep/lib/deep.js'))],
    ['a removed folder', (at) => rm(join(at, 'node_modules'), { recursive: true })],
    [
      'a removed folder of a package',
      (at) => rm(join(at, 'packages/core/node_modules'), { recursive: true }),
    ],
    ['a changed mode', (at) => chmod(join(at, 'node_modules/dep/index.js'), 0o777)],
    ['a changed mode of a folder', (at) => chmod(join(at, 'node_modules/dep'), 0o700)],
    [
      'a link that leads elsewhere',
      async (at) => {
        await rm(join(at, 'node_modules/.bin/dep'));
        await symlink('../dep/lib/deep.js', join(at, 'node_modules/.bin/dep'));
      },
    ],
    [
      'a file in the place of a folder',
      async (at) => {
        await rm(join(at, 'node_modules/dep'), { recursive: true });
        await writeFile(join(at, 'node_modules/dep'), 'x');
      },
    ],
    [
      'a folder in the place of a file',
      async (at) => {
        await rm(join(at, 'node_modules/dep/index.js'));
        await mkdir(join(at, 'node_modules/dep/index.js/x'), { recursive: true });
      },
    ],
    [
      'a link in the place of a folder',
      async (at) => {
        await rename(join(at, 'node_modules'), join(at, 'tools/modules'));
        await symlink('tools/modules', join(at, 'node_modules'));
      },
    ],
    [
      'two files that changed places',
      async (at) => {
        const [one, two] = [join(at, 'node_modules/dep/index.js'), join(at, 'node_modules/dep/lib/deep.js')];
        await rename(one, join(at, 'x'));
        await rename(two, one);
        await rename(join(at, 'x'), two);
      },
    ],
  ])('undoes %s', async (_, change) => {
    const scene = await preparedScene();
    await change(scene.judge);
    const restored = expectOk(await scene.checkouts.restore(scene.request(scene.judge)));
    expect(restored).toMatchObject({ cacheHit: true, commands: [] });
    expect(await picture(scene.judge)).toEqual(scene.before);
    expect(await installs(scene)).toBe(1);
  });

  it('removes setup folders of packages that the cache does not know', async () => {
    const scene = await preparedScene();
    await scene.write(scene.judge, { 'packages/new/node_modules/a.js': 'a', 'packages/new/index.js': '' });
    expectOk(await scene.checkouts.restore(scene.request(scene.judge)));
    expect(await readdir(join(scene.judge, 'packages/new'))).toEqual(['index.js']);
  });

  it('can be repeated after a change, and leaves files alone that are as they should be', async () => {
    const scene = await preparedScene();
    const inode = async () => (await stat(join(scene.judge, 'node_modules/dep/lib/deep.js'))).ino;
    const first = await inode();
    for (const text of ['a', 'b']) {
      await writeFile(join(scene.judge, 'node_modules/dep/index.js'), text);
      expectOk(await scene.checkouts.restore(scene.request(scene.judge)));
      expect(await picture(scene.judge)).toEqual(scene.before);
    }
    expect(await inode()).toBe(first);
  });

  it('runs the commands again when a key file changed', async () => {
    const scene = await preparedScene();
    await scene.write(scene.judge, { 'deps.lock': 'two' });
    const restored = expectOk(await scene.checkouts.restore(scene.request(scene.judge, { isChanged: true })));
    expect(restored).toMatchObject({ cacheHit: false, commands: [{ exitCode: 0 }] });
    expect(await picture(scene.judge)).toEqual(scene.before);
  });

  it('runs the commands again when the cache is gone', async () => {
    const scene = await preparedScene();
    await rm(scene.cacheFolder, { recursive: true });
    expect(expectOk(await scene.checkouts.restore(scene.request(scene.judge))).cacheHit).toBe(false);
    expect(await installs(scene)).toBe(2);
  });

  it('never writes through a folder that became a link', async () => {
    const scene = await preparedScene();
    const elsewhere = join(scene.root, 'elsewhere');
    await rename(join(scene.judge, 'packages/core'), elsewhere);
    await rm(join(elsewhere, 'node_modules'), { recursive: true });
    await symlink(elsewhere, join(scene.judge, 'packages/core'));
    expect(expectFailure(await scene.checkouts.restore(scene.request(scene.judge))).reason).toBe(
      'setup.cache: packages/core/node_modules leads through the link packages/core',
    );
    expect(await readdir(elsewhere)).toEqual(['index.js']);
  });
});
