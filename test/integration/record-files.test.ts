import { link, mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base, expect } from 'vitest';
import { createRecordFiles } from '../../src/adapters/run-store/record-files.ts';
import { createRunDirectory } from '../../src/adapters/run-store/run-directory.ts';

interface Scene {
  readonly run: string;
  readonly outside: string;
  readonly text: (path: string, folder?: string) => Promise<string | null>;
}

const test = base.extend<{ scene: Scene }>({
  scene: async ({ task: _task }, use) => {
    const root = await realpath(await mkdtemp(join(tmpdir(), 'conductor-files-')));
    const [run, outside] = [join(root, 'run'), join(root, 'outside')];
    await mkdir(join(run, 'artifacts', 'fix'), { recursive: true });
    await mkdir(outside);
    await writeFile(join(run, 'artifacts', 'fix', 'a.txt'), 'inside');
    await writeFile(join(outside, 'secret.txt'), 'secret');
    const text = async (path: string, folder = run) => {
      const file = await createRecordFiles().open(folder, path);
      if (file === null) return null;
      const buffer = new Uint8Array(file.bytes);
      await file.read(buffer, 0);
      await file.close();
      return new TextDecoder().decode(buffer);
    };
    await use({ run, outside, text });
    await rm(root, { recursive: true, force: true });
  },
});

test('opens a file of the run', async ({ scene }) => {
  expect(await scene.text('artifacts/fix/a.txt')).toBe('inside');
});

test.for([
  '../outside/secret.txt',
  'artifacts/../../outside/secret.txt',
  'artifacts/fix/../../../outside/secret.txt',
  '/etc/passwd',
  '..%2foutside%2fsecret.txt',
  '%2e%2e/outside/secret.txt',
  '%252e%252e%252foutside/secret.txt',
  '..\\outside\\secret.txt',
  'artifacts/fix/a.txt\0.png',
  'artifacts//fix/a.txt',
  './artifacts/fix/a.txt',
  'artifacts/fix/a.txt/',
  'artifacts/fix',
  'artifacts/none.txt',
  '',
  `artifacts/${'x'.repeat(5_000)}`,
])('opens nothing for %j', async (path, { expect: check }) => {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'conductor-files-')));
  await mkdir(join(root, 'run', 'artifacts', 'fix'), { recursive: true });
  await mkdir(join(root, 'outside'));
  await writeFile(join(root, 'outside', 'secret.txt'), 'secret');
  await writeFile(join(root, 'run', 'artifacts', 'fix', 'a.txt'), 'inside');
  check(await createRecordFiles().open(join(root, 'run'), path)).toBeNull();
  await rm(root, { recursive: true });
});

test('follows a link neither of a file nor of a folder', async ({ scene }) => {
  await symlink(join(scene.outside, 'secret.txt'), join(scene.run, 'artifacts', 'link.txt'));
  await symlink(scene.outside, join(scene.run, 'artifacts', 'folder'));
  await symlink('fix', join(scene.run, 'artifacts', 'own'));
  expect(await scene.text('artifacts/link.txt')).toBeNull();
  expect(await scene.text('artifacts/folder/secret.txt')).toBeNull();
  expect(await scene.text('artifacts/own/a.txt')).toBeNull();
});

test('reads nothing of a run behind a link, however it is asked', async ({ scene }) => {
  await symlink(join(scene.outside, 'secret.txt'), join(scene.run, 'artifacts', 'link.txt'));
  await symlink(scene.outside, join(scene.run, 'artifacts', 'folder'));
  const directory = createRunDirectory('run', scene.run);
  expect(await directory.read('artifacts/fix/a.txt')).toBe('inside');
  for (const path of ['artifacts/link.txt', 'artifacts/folder/secret.txt']) {
    expect(await directory.read(path), path).toBeNull();
    expect(await directory.read(path, { firstBytes: 3 }), path).toBeNull();
  }
});

test('reads a file that another process replaces all the time', async ({ scene }) => {
  const directory = createRunDirectory('run', scene.run);
  const [path, spare] = [join(scene.run, 'status.json'), join(scene.run, 'spare.json')];
  await writeFile(path, 'one');
  let isDone = false;
  const replacing = (async () => {
    while (!isDone) {
      await writeFile(spare, 'two');
      await rename(spare, path);
    }
  })();
  const seen = new Set<string | null>();
  for (let count = 0; count < 200; count += 1) seen.add(await directory.read('status.json'));
  isDone = true;
  await replacing;
  expect(seen.has(null)).toBe(false);
});

test('opens a run that is stored elsewhere, whose folder is a link', async ({ scene }) => {
  const indexed = join(scene.outside, 'index');
  await symlink(scene.run, indexed);
  expect(await scene.text('artifacts/fix/a.txt', indexed)).toBe('inside');
});

test('neither waits for a socket nor reads a folder that took the place of a file', async ({ scene }) => {
  const path = join(scene.run, 'artifacts', 'socket');
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(path, resolve));
  expect(await scene.text('artifacts/socket')).toBeNull();
  await new Promise((resolve) => server.close(resolve));
});

test('keeps the identity of a file that grows, and changes it for another file', async ({ scene }) => {
  const files = createRecordFiles();
  const path = join(scene.run, 'artifacts', 'fix', 'a.txt');
  const identityOf = async () => {
    const file = await files.open(scene.run, 'artifacts/fix/a.txt');
    await file?.close();
    return [file?.identity, file?.bytes];
  };
  const [first, bytes] = await identityOf();
  await writeFile(path, 'inside and more');
  expect(await identityOf()).toEqual([first, 15]);
  expect(bytes).toBe(6);
  await writeFile(`${path}.new`, 'other');
  // The old file stays, so that its number can't be used again.
  await link(path, `${path}.old`);
  await rename(`${path}.new`, path);
  expect(await identityOf()).toEqual([expect.not.stringMatching(`^${first}$`), 5]);
});
