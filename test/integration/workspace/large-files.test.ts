import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type GitRepo, gitAt } from '../../../testing/git-repo.ts';
import {
  createRun,
  listFiles,
  type Run,
  requestFor,
  startRun,
  temporaryFolder,
  testRepo,
  workspacesOf,
} from './fixture.ts';
import { watchWhile } from './watch-while.ts';

function hasLfs(): boolean {
  try {
    execFileSync('git', ['lfs', 'version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const POINTER = /^version https:\/\/git-lfs\.github\.com\/spec\/v1\noid sha256:[0-9a-f]{64}\nsize \d+\n$/;
const CONFIG = `[filter "lfs"]
	clean = git-lfs clean -- %f
	smudge = git-lfs smudge -- %f
	process = git-lfs filter-process
	required = true
`;

function objectOf(content: string): string {
  const id = createHash('sha256').update(content).digest('hex');
  return `objects/${id.slice(0, 2)}/${id.slice(2, 4)}/${id}`;
}

/** Two LFS files, of which the user has downloaded one; a request to the server would be counted. */
async function withLargeFiles(repo: GitRepo, storage = '.git/lfs') {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    response.writeHead(500).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const home = await temporaryFolder();
  await writeFile(join(home, '.gitconfig'), CONFIG);
  vi.stubEnv('HOME', home);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { port } = server.address() as AddressInfo;
  const contents = { 'here.bin': 'large\n', 'away.bin': 'not downloaded\n' };
  for (const [name, content] of Object.entries(contents)) {
    const path = join(repo.root, storage, objectOf(content));
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, content);
    const id = objectOf(content).split('/').at(-1);
    await repo.write(
      name,
      `version https://git-lfs.github.com/spec/v1\noid sha256:${id}\nsize ${content.length}\n`,
    );
  }
  // Git-lfs writes this as soon as it runs.
  await repo.git('config', 'lfs.repositoryformatversion', '0');
  await repo.write('.lfsconfig', `[lfs]\n\turl = http://127.0.0.1:${port}/lfs\n`);
  await repo.git('add', '--all');
  await repo.git('commit', '--quiet', '--message=pointers');
  await repo.write('.gitattributes', '*.bin filter=lfs diff=lfs merge=lfs -text\n');
  await repo.git('add', '.gitattributes');
  await repo.git('commit', '--quiet', '--message=attributes');
  await rm(join(repo.root, storage, objectOf(contents['away.bin'])));
  return { requests: () => requests };
}

const show = ({ repo }: Run, revision: string, path: string) => repo.git('show', `${revision}:${path}`);

// git-lfs is a program of its own that not every machine has.
describe.skipIf(!hasLfs())('LFS files', () => {
  async function start(storage?: string, prepare?: (repo: GitRepo) => Promise<unknown>) {
    let server = { requests: () => 0 };
    const run = await startRun(undefined, async (repo) => {
      await prepare?.(repo);
      server = await withLargeFiles(repo, storage);
    });
    return { run, server };
  }

  it('that the user has are real files in both checkouts, others stay pointers, without network', async () => {
    const { run, server } = await start();
    expect(await run.read('here.bin')).toBe('large\n');
    expect(await run.read('away.bin')).toMatch(POINTER);
    const snapshot = await run.workspaces.snapshot(run.run, 'one');
    expect(await run.repo.git('rev-parse', 'HEAD^{tree}')).toBe(`${snapshot.tree}\n`);
    const judge = await run.workspaces.openJudge(run.run, { snapshot, asAtBase: () => false });
    expect(await readFile(join(judge.path, 'here.bin'), 'utf8')).toBe('large\n');
    expect(await gitAt(judge.path, '-c', 'filter.lfs.required=false', 'status', '--porcelain')).toBe('');
    expect(server.requests()).toBe(0);
  });

  it('that change are pointers in the result, and their content is in the store of the user', async () => {
    const { run, server } = await start();
    await run.write('here.bin', 'changed\n');
    await run.write('new.bin', 'new and large\n');
    const { tree, commit } = await run.workspaces.snapshot(run.run, 'one');
    const diff = await run.workspaces.diff(run.run, `${run.run.baseSha}^{tree}`, tree);
    expect(diff.files.map(({ status, path }) => `${status} ${path}`)).toEqual(['M here.bin', 'A new.bin']);
    const judge = await run.workspaces.openJudge(run.run, {
      snapshot: { tree, commit },
      asAtBase: () => false,
    });
    expect(await readFile(join(judge.path, 'new.bin'), 'utf8')).toBe('new and large\n');
    const published = await run.workspaces.publish(run.run, { tree, message: 'work\n' });
    for (const [name, content] of [
      ['here.bin', 'changed\n'],
      ['new.bin', 'new and large\n'],
    ] as const) {
      expect(await show(run, published.commit, name)).toMatch(POINTER);
      expect(await readFile(join(run.repo.root, '.git/lfs', objectOf(content)), 'utf8')).toBe(content);
    }
    const filters = [...CONFIG.matchAll(/^\t(\w+) = (.+)$/gm)].map(
      ([, key, value]) => `filter.lfs.${key}=${value}`,
    );
    const settings = filters.flatMap((setting) => ['-c', setting]);
    const checkedOut = await run.repo.git(
      ...settings,
      'cat-file',
      '--filters',
      `${published.commit}:new.bin`,
    );
    expect(checkedOut).toBe('new and large\n');
    expect(server.requests()).toBe(0);
  });

  it('may be committed by the agent, which changes no configuration', async () => {
    const { run } = await start();
    const { settled, files } = await watchWhile(run, async () => {
      await run.write('new.bin', 'new and large\n');
      await run.git('-c', `include.path=${process.env.HOME}/.gitconfig`, 'add', 'new.bin');
      await run.git('commit', '--quiet', '--message=agent');
      await run.git('checkout', '--quiet', '--detach', run.run.baseSha);
      await run.git('checkout', '--quiet', run.run.branchName);
    });
    expect(settled.changes).toEqual([]);
    expect(files).toEqual(['A new.bin']);
    expect(await run.git('show', 'HEAD:new.bin')).toMatch(POINTER);
  });

  it('of the checkout of the user are compared without starting git-lfs', async () => {
    const { run } = await start();
    const config = await readFile(join(run.repo.root, '.git/config'), 'utf8');
    await watchWhile(run, () => utimes(join(run.repo.root, 'here.bin'), new Date(0), new Date(0)));
    expect(await readFile(join(run.repo.root, '.git/config'), 'utf8')).toBe(config);
  });

  it('are restored by a rollback', async () => {
    const { run } = await start();
    const before = await listFiles(run.run.checkoutPath);
    const { commit } = await run.workspaces.snapshot(run.run, 'one');
    await run.write('here.bin', 'changed\n');
    await rm(run.path('away.bin'));
    const { before: salvaged } = await run.workspaces.restore(run.run, { kind: 'snapshot', commit }, 'a@1');
    expect(await listFiles(run.run.checkoutPath)).toEqual(before);
    await run.workspaces.restore(run.run, { kind: 'snapshot', commit: salvaged.commit }, 'b@1');
    expect(await run.read('here.bin')).toBe('changed\n');
  });

  it('are found in the folder that lfs.storage names', async () => {
    const { run } = await start('.git/large', (repo) => repo.git('config', 'lfs.storage', 'large'));
    expect(await run.read('here.bin')).toBe('large\n');
    await run.write('new.bin', 'new and large\n');
    const { tree } = await run.workspaces.snapshot(run.run, 'one');
    await run.workspaces.publish(run.run, { tree, message: 'work\n' });
    const stored = join(run.repo.root, '.git/large', objectOf('new and large\n'));
    expect(await readFile(stored, 'utf8')).toBe('new and large\n');
  });

  it('leave no partial file behind if conductor is killed while it copies them', async () => {
    const { run } = await start();
    await run.write('new.bin', 'new and large\n');
    const { tree } = await run.workspaces.snapshot(run.run, 'one');
    const target = join(run.repo.root, '.git/lfs', objectOf('new and large\n'));
    await mkdir(join(target, '..'), { recursive: true });
    await writeFile(`${target}.1`, 'new a');
    await run.workspaces.publish(run.run, { tree, message: 'work\n' });
    expect(await readFile(target, 'utf8')).toBe('new and large\n');
    expect((await readdir(join(target, '..'))).length).toBe(2);
    expect(existsSync(`${target}.${process.pid}`)).toBe(false);
  });
});

describe('a repository with an LFS filter whose program is missing', () => {
  it('is refused with the reason', async () => {
    const repo = await testRepo({ files: { 'a.bin': 'a\n', '.gitattributes': '*.bin filter=lfs\n' } });
    for (const key of ['clean', 'smudge']) await repo.git('config', `filter.lfs.${key}`, 'no-such-program');
    await repo.git('config', 'filter.lfs.process', '');
    await repo.git('config', 'filter.lfs.required', 'true');
    const created = createRun(await workspacesOf(repo), await requestFor(repo, 'r1'));
    await expect(created).rejects.toThrow(/a\.bin: smudge filter lfs failed/);
  });
});
