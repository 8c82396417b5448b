import { execFile } from 'node:child_process';
import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { SetupConfig } from '../../src/contracts/config/setup-config.ts';
import { expectFailure, expectOk, makeScene, SECRET } from './setup-fixture.ts';

const run = promisify(execFile);

/** Installs a package the way package managers do, and counts how often it did. */
const INSTALL = `
import { appendFileSync, chmodSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
appendFileSync(process.env.HOME + '/installs', 'x');
mkdirSync('node_modules/.bin', { recursive: true });
mkdirSync('node_modules/dep');
writeFileSync('node_modules/dep/index.js', 'module.exports = 1;\\n');
writeFileSync('node_modules/dep/cli.js', '#!/usr/bin/env node\\n', { mode: 0o755 });
utimesSync('node_modules/dep/index.js', 1e9, 1e9);
symlinkSync('../dep/cli.js', 'node_modules/.bin/dep');
symlinkSync('../packages/core', 'node_modules/core');
console.log('installed');
`;

const CONFIG: Partial<SetupConfig> = {
  run: [['node', 'tools/install.mjs']],
  cache: { key: ['deps.lock'], paths: ['node_modules'] },
};

const FILES = {
  'deps.lock': 'one',
  'tools/install.mjs': INSTALL,
  'packages/core/index.js': '',
};

async function installScene() {
  const scene = await makeScene();
  for (const folder of [scene.user, scene.work, scene.judge]) await scene.write(folder, FILES);
  const installs = () => readFile(join(scene.root, 'home/installs'), 'utf8').then((text) => text.length);
  return { ...scene, installs };
}

describe('a checkout is prepared', () => {
  it('not if a dependency is outside the repository: no command is started', async () => {
    const { setup, request, work, write } = await installScene();
    const manifest = JSON.stringify({ devDependencies: { tool: 'file:../packs/tool-1.0.0.tgz' } });
    await write(work, { 'package.json': manifest });
    const failed = expectFailure(await setup(CONFIG).prepare(request(work)));
    expect(failed.commands).toEqual([]);
    expect(failed.foreign).toMatchObject([{ source: 'package.json' }]);
    expect(failed.reason).toBe(
      [
        'setup: a run has only the files of the repository, and these dependencies are outside it:',
        '  ../packs/tool-1.0.0.tgz (package.json)',
        'move them into the repository, or depend on published versions',
      ].join('\n'),
    );
  });

  it('by the commands, and the next one with the same digest from the cache', async () => {
    const { setup, request, work, judge, installs } = await installScene();
    const checkouts = setup(CONFIG);
    const first = expectOk(await checkouts.prepare(request(work)));
    expect(first).toMatchObject({
      cacheHit: false,
      notes: [],
      commands: [{ command: ['node', 'tools/install.mjs'], exitCode: 0, durationMs: expect.any(Number) }],
    });
    expect(await readFile(first.commands[0]?.stdoutPath ?? '', 'utf8')).toBe('installed\n');
    const second = expectOk(await checkouts.prepare(request(judge)));
    expect(second).toMatchObject({ cacheHit: true, commands: [], digest: first.digest });
    expect(await installs()).toBe(1);
    const index = await stat(join(judge, 'node_modules/dep/index.js'));
    expect([index.mtimeMs, index.mode & 0o777]).toEqual([1e12, 0o644]);
    expect((await stat(join(judge, 'node_modules/dep/cli.js'))).mode & 0o777).toBe(0o755);
    expect(await readlink(join(judge, 'node_modules/core'))).toBe('../packages/core');
  });

  it('again by the commands when a key file changed', async () => {
    const { setup, request, work, judge, write, installs } = await installScene();
    const checkouts = setup(CONFIG);
    await checkouts.prepare(request(work));
    await write(judge, { 'deps.lock': 'two' });
    expect(expectOk(await checkouts.prepare(request(judge)))).toMatchObject({ cacheHit: false });
    expect(await installs()).toBe(2);
    expect([...(await checkouts.keyFiles(judge)).keys()]).toEqual(['deps.lock', 'tools/install.mjs']);
    expect(await checkouts.keyFiles(judge)).not.toEqual(await checkouts.keyFiles(work));
  });

  it('again by the commands each time when nothing is cached', async () => {
    const { setup, request, work, installs } = await installScene();
    const checkouts = setup({
      run: [
        ['rm', '-rf', 'node_modules'],
        ['node', 'tools/install.mjs'],
      ],
    });
    await checkouts.prepare(request(work));
    expect(expectOk(await checkouts.restore(request(work)))).toMatchObject({ cacheHit: false });
    expect(await installs()).toBe(2);
  });

  it('without a trace of the earlier files at its paths', async () => {
    const { setup, request, work, write } = await installScene();
    await write(work, { 'node_modules/old/index.js': 'old' });
    expectOk(await setup(CONFIG).prepare(request(work)));
    expect(await readdir(join(work, 'node_modules'))).toEqual(['.bin', 'core', 'dep']);
  });

  it("with files of the user that git ignores, which a link in the checkout can't lead astray", async () => {
    const { setup, request, work, user, root, write } = await installScene();
    await write(user, { '.env.test': 'A=1', 'config/local.json': '{}' });
    const checkouts = setup({ copy: ['.env.test', 'config/*.json'] });
    expectOk(await checkouts.prepare(request(work)));
    expect(await readFile(join(work, '.env.test'), 'utf8')).toBe('A=1');
    expect(await readFile(join(work, 'config/local.json'), 'utf8')).toBe('{}');
    expect(checkouts.ownedPaths).toEqual(['.env.test', 'config/*.json']);

    await run('rm', ['-r', join(work, 'config')]);
    await mkdir(join(root, 'elsewhere'));
    await symlink(join(root, 'elsewhere'), join(work, 'config'));
    expect(expectFailure(await checkouts.restore(request(work))).reason).toBe(
      'setup.copy: config/local.json leads through the link config',
    );
    expect(await readdir(join(root, 'elsewhere'))).toEqual([]);
  });

  it('not at all without a setup', async () => {
    const { setup, request, work } = await installScene();
    const checkouts = setup(null);
    expect(await checkouts.prepare(request(work))).toEqual({
      ok: true,
      digest: null,
      cacheHit: false,
      commands: [],
      notes: [],
    });
    expect(await checkouts.digest(request(work))).toBeNull();
    expect(checkouts.ownedPaths).toEqual([]);
  });
});

describe('a setup fails', () => {
  it('with the command and the end of its output, without its secrets', async () => {
    const { setup, request, work } = await installScene();
    const script = `console.log('half'); console.error('token ${SECRET} is wrong'); process.exit(3)`;
    const failed = expectFailure(
      await setup({
        run: [
          ['node', '-e', script],
          ['node', '-e', '1'],
        ],
      }).prepare(request(work)),
    );
    expect(failed.reason).toBe(
      `setup: \`node -e ${script}\` exited with code 3\nhalf\ntoken [masked] is wrong`,
    );
    expect([failed.exitCode, failed.commands.length]).toEqual([3, 1]);
  });

  it('when a program does not exist', async () => {
    const { setup, request, work } = await installScene();
    const failed = expectFailure(await setup({ run: [['no-such-program']] }).prepare(request(work)));
    expect(failed.reason).toContain('setup: `no-such-program` could not be started');
  });

  it('when it is cancelled, and stores nothing', async () => {
    const { setup, request, work, cacheFolder } = await installScene();
    const controller = new AbortController();
    const failed = expectFailure(
      await setup({
        ...CONFIG,
        run: [['node', '-e', 'console.log("x"); setInterval(() => {}, 1000)']],
      }).prepare(request(work, { signal: controller.signal, onLine: () => controller.abort() })),
    );
    expect(failed.cancelled).toBe(true);
    expect((await readdir(cacheFolder)).filter((name) => !name.startsWith('.lock'))).toEqual([]);
  });

  it('when a file to copy does not exist', async () => {
    const { setup, request, work, user } = await installScene();
    expect(expectFailure(await setup({ copy: ['.env.test'] }).prepare(request(work))).reason).toBe(
      `setup.copy: .env.test does not exist in ${user}`,
    );
  });

  it.each([
    ['cached', { ...CONFIG, cache: { key: ['deps.lock'], paths: ['vendor'] } }],
    ['copied', { copy: ['vendor'] }],
  ])('when git tracks what would be %s: no change in it would be seen', async (_, config) => {
    const { setup, request, work, user, write } = await installScene();
    for (const folder of [work, user]) await write(folder, { 'vendor/a.js': 'a' });
    await run('git', ['init', '-q'], { cwd: work });
    await run('git', ['add', 'vendor'], { cwd: work });
    expect(expectFailure(await setup(config).prepare(request(work))).reason).toContain(
      'git tracks files in vendor',
    );
    expect(await readFile(join(work, 'vendor/a.js'), 'utf8')).toBe('a');
  });
});

describe('a cached result', () => {
  it('does not change with the copy that a checkout got', async () => {
    const { setup, request, work, judge } = await installScene();
    const checkouts = setup(CONFIG);
    await checkouts.prepare(request(work));
    await writeFile(join(work, 'node_modules/dep/index.js'), 'poisoned');
    await chmod(join(work, 'node_modules/dep/cli.js'), 0o600);
    await writeFile(join(work, 'node_modules/evil.js'), '');
    await checkouts.prepare(request(judge));
    expect(await readFile(join(judge, 'node_modules/dep/index.js'), 'utf8')).toBe('module.exports = 1;\n');
    expect((await stat(join(judge, 'node_modules/dep/cli.js'))).mode & 0o777).toBe(0o755);
    expect(await readdir(join(judge, 'node_modules'))).toEqual(['.bin', 'core', 'dep']);
  });

  it('is not used when a file in it was changed', async () => {
    const { setup, request, work, judge, cacheFolder, installs } = await installScene();
    const checkouts = setup(CONFIG);
    const { digest } = expectOk(await checkouts.prepare(request(work)));
    await writeFile(join(cacheFolder, digest ?? '', 'tree/node_modules/dep/index.js'), 'poisoned here');
    const second = expectOk(await checkouts.prepare(request(judge)));
    expect(second).toMatchObject({
      cacheHit: false,
      notes: [expect.stringContaining('node_modules/dep/index.js has changed since it was stored')],
    });
    expect(await readFile(join(judge, 'node_modules/dep/index.js'), 'utf8')).toBe('module.exports = 1;\n');
    expect(await installs()).toBe(2);
  });

  it('shares no file with the store of a package manager', async () => {
    const { setup, request, work, root, write } = await installScene();
    const store = join(root, 'store.js');
    await writeFile(store, 'original');
    await write(work, {
      'tools/install.mjs':
        "import { linkSync, mkdirSync } from 'node:fs'; mkdirSync('node_modules'); linkSync(process.argv[2], 'node_modules/x.js');",
    });
    const config = { ...CONFIG, run: [['node', 'tools/install.mjs', store] as const] };
    expectOk(await setup(config).prepare(request(work)));
    await writeFile(join(work, 'node_modules/x.js'), 'poisoned');
    expect(await readFile(store, 'utf8')).toBe('original');
    expect((await lstat(store)).nlink).toBe(1);
  });

  it('that was made of files which an agent may have changed is kept for this run only', async () => {
    const { setup, request, work, judge, root, cacheFolder, installs } = await installScene();
    const checkouts = setup(CONFIG);
    expectOk(await checkouts.prepare(request(judge, { isChanged: true })));
    expect(await readdir(cacheFolder).catch(() => [])).toEqual([]);
    expect(expectOk(await checkouts.restore(request(judge, { isChanged: true }))).cacheHit).toBe(true);
    expect(expectOk(await checkouts.prepare(request(judge, { isChanged: true }))).cacheHit).toBe(true);
    const other = join(root, 'state/shop-0123/run-b');
    await mkdir(other);
    expect(expectOk(await checkouts.prepare(request(work, { stateDir: other }))).cacheHit).toBe(false);
    expect(await installs()).toBe(2);
  });

  it('that names its checkout is used for this checkout only', async () => {
    const { setup, request, work, judge, write, installs } = await installScene();
    const script = `${INSTALL}\nwriteFileSync('node_modules/.bin/tool', '#!' + process.cwd() + '/node_modules/dep/cli.js');\n`;
    for (const folder of [work, judge]) await write(folder, { 'tools/install.mjs': script });
    const checkouts = setup(CONFIG);
    for (const checkout of [work, judge])
      expect(expectOk(await checkouts.prepare(request(checkout)))).toMatchObject({
        cacheHit: false,
        notes: ['not kept for other checkouts: node_modules/.bin/tool contains the path of this one'],
      });
    expect(await installs()).toBe(2);
    expect(expectOk(await checkouts.restore(request(judge))).cacheHit).toBe(true);
    expect(await installs()).toBe(2);
  });

  it('that contains a copy of a folder is not used once this folder has changed', async () => {
    const { setup, request, work, judge, write, installs } = await installScene();
    const files = {
      'package.json': '{"dependencies":{"lib":"file:./lib"}}',
      'lib/index.js': 'one',
      'tools/install.mjs': `${INSTALL}\nimport { cpSync } from 'node:fs';\ncpSync('lib', 'node_modules/lib', { recursive: true });\n`,
    };
    for (const folder of [work, judge]) await write(folder, files);
    const checkouts = setup(CONFIG);
    await checkouts.prepare(request(work));
    expect(expectOk(await checkouts.prepare(request(judge))).cacheHit).toBe(true);
    await write(judge, { 'lib/index.js': 'two' });
    expect(expectOk(await checkouts.restore(request(judge, { isChanged: true })))).toMatchObject({
      cacheHit: false,
      notes: ['setup runs again: lib changed, and it is installed as a copy'],
    });
    expect(await readFile(join(judge, 'node_modules/lib/index.js'), 'utf8')).toBe('two');
    expect(await installs()).toBe(2);
  });

  it('is removed when newer ones took its place, unless it was used within a day', async () => {
    const { setup, request, work, write, cacheFolder } = await installScene();
    const checkouts = setup(CONFIG);
    const digests: string[] = [];
    for (let number = 0; number < 8; number += 1) {
      await write(work, { 'deps.lock': String(number) });
      digests.push(expectOk(await checkouts.prepare(request(work))).digest ?? '');
      const entry = join(cacheFolder, digests.at(-1) ?? '', 'entry.json');
      const days = number === 0 ? 0 : 3;
      const used = new Date(Date.now() - days * 86_400_000 + number * 1000);
      await utimes(entry, used, used);
    }
    const kept = await readdir(cacheFolder);
    expect(kept).toContain(digests[0]);
    expect(kept).toContain(digests[7]);
    expect(kept).not.toContain(digests[1]);
    expect(kept.length).toBeLessThanOrEqual(6);
  });
});
