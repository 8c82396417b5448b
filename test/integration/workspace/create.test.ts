import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, readlink, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { GitError } from '../../../src/adapters/workspace/git/git-command.ts';
import type { GitRepo } from '../../../testing/git-repo.ts';
import {
  createRun,
  FILES,
  listFiles,
  placesOf,
  requestFor,
  startRun,
  stubGit,
  temporaryFolder,
  testRepo,
  workspacesOf,
} from './fixture.ts';

describe('a described workspace', () => {
  it('names branch and folders without creating anything', async () => {
    const repo = await testRepo();
    const request = await requestFor(repo, 'r1');
    const { workspacesDir } = await placesOf(repo);
    expect((await workspacesOf(repo)).describe(request)).toEqual({
      runId: 'r1',
      repoRoot: repo.root,
      checkoutPath: join(workspacesDir, 'r1/work'),
      judgePath: join(workspacesDir, 'r1/judge'),
      branchName: 'conductor/run/demo/r1',
      baseRef: 'HEAD',
      baseSha: request.baseSha,
      harnessDir: request.harnessDir,
    });
    expect(existsSync(workspacesDir)).toBe(false);
    expect(await repo.git('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main\n');
  });

  it.each(['', '.', '..', 'a/b'])('refuses %j as a run id', async (runId) => {
    const repo = await testRepo();
    const request = { ...(await requestFor(repo, 'r1')), runId };
    await expect(createRun(await workspacesOf(repo), request)).rejects.toThrow("can't name a folder");
  });

  it('has a valid branch name for any valid workflow id', async () => {
    const repo = await testRepo();
    const workspaces = await workspacesOf(repo);
    const ids = ['a..b', 'a.', 'a.lock', 'a...', 'x_y-z.1', 'a..lock'];
    const names: string[] = [];
    for (const [index, workflowId] of ids.entries()) {
      const { branchName } = workspaces.describe(await requestFor(repo, `r${index}`, { workflowId }));
      expect(await repo.git('check-ref-format', '--branch', branchName)).toBe(`${branchName}\n`);
      names.push(branchName);
    }
    expect(new Set(names).size).toBe(ids.length);
    expect(names).toContain('conductor/run/x_y-z.1/r4');
  });
});

describe('a created workspace', () => {
  it('is a repository of its own on the branch of the run, with the files of the base', async () => {
    const { run, repo, git } = await startRun();
    expect(await listFiles(run.checkoutPath)).toEqual(await listFiles(repo.root));
    expect(await git('symbolic-ref', 'HEAD')).toBe('refs/heads/conductor/run/demo/r1\n');
    expect(await git('rev-parse', 'HEAD')).toBe(`${run.baseSha}\n`);
    expect(await git('rev-parse', '--git-common-dir')).toBe('.git\n');
    expect(await git('status', '--porcelain')).toBe('');
    expect(await git('fsck', '--strict')).toBe('');
  });

  it('writes one ref in the repository of the user, which protects the base', async () => {
    const { repo, run } = await startRun();
    const refs = await repo.git('for-each-ref', '--format=%(refname) %(objectname)');
    expect(refs.trim().split('\n')).toEqual([
      `refs/conductor/base/r1 ${run.baseSha}`,
      `refs/heads/main ${run.baseSha}`,
    ]);
  });

  it('copies no object', async () => {
    const { run } = await startRun();
    for (const folder of ['store/objects', 'work/.git/objects'])
      expect((await readdir(join(dirname(run.checkoutPath), folder))).sort()).toEqual(['info', 'pack']);
  });

  it('is only accessible for the user', async () => {
    const { run } = await startRun();
    const { mode } = await stat(dirname(dirname(run.checkoutPath)));
    expect(mode & 0o077).toBe(0);
  });

  it('leads to the harness folder of the run, which git does not see', async () => {
    const { run, path, git } = await startRun();
    expect(await readlink(path('.tnh/run/r1/harness'))).toBe(run.harnessDir);
    expect(await readFile(path('.tnh/run/.gitignore'), 'utf8')).toBe('*\n');
    expect(await git('status', '--porcelain')).toBe('');
  });

  it('has the committed files, not the changed ones of the checkout', async () => {
    const { path, repo } = await startRun(undefined, async (user) => {
      await user.write('README.md', 'stashed\n');
      await user.git('stash');
      await user.write('README.md', 'staged\n');
      await user.git('add', 'README.md');
      await user.write('README.md', 'edited\n');
      await user.write('untracked.txt', 'mine\n');
    });
    expect(await readFile(path('README.md'), 'utf8')).toBe('# hello\n');
    expect(existsSync(path('untracked.txt'))).toBe(false);
    expect(await readFile(join(repo.root, 'README.md'), 'utf8')).toBe('edited\n');
  });

  it('can be created by many runs at the same time', async () => {
    const repo = await testRepo();
    const workspaces = await workspacesOf(repo);
    const runIds = Array.from({ length: 16 }, (_, index) => `r${index}`);
    const requests = await Promise.all(runIds.map((runId) => requestFor(repo, runId)));
    const runs = await Promise.all(requests.map((request) => createRun(workspaces, request)));
    await Promise.all(runs.map((run) => workspaces.snapshot(run, 'first')));
    const refs = await repo.git('for-each-ref', '--format=%(refname)', 'refs/conductor');
    expect(refs.trim().split('\n')).toHaveLength(runIds.length);
    for (const run of runs) expect(Object.keys(await listFiles(run.checkoutPath))).toHaveLength(4);
  });
});

describe('creating a workspace', () => {
  it('waits until another git process releases its lock', async () => {
    const repo = await testRepo();
    const lock = join(repo.root, '.git/refs/conductor/base/r1.lock');
    const calls = join(await temporaryFolder(), 'calls');
    // The other process releases its lock when three attempts have failed.
    await stubGit(`
case "$*" in *"update-ref --no-deref refs"*)
  echo call >> '${calls}'
  [ "$(wc -l < '${calls}')" -gt 3 ] && rm -f '${lock}'
esac
exec $GIT "$@"`);
    await mkdir(dirname(lock), { recursive: true });
    await writeFile(lock, '');
    const run = await createRun(await workspacesOf(repo), await requestFor(repo, 'r1'));
    expect(Object.keys(await listFiles(run.checkoutPath)).sort()).toEqual(Object.keys(FILES).sort());
    expect((await readFile(calls, 'utf8')).split('\n')).toHaveLength(5);
  });

  it.each<[string, (repo: GitRepo) => Promise<unknown>]>([
    [
      'the folder already exists',
      async (repo) => mkdir(join((await placesOf(repo)).workspacesDir, 'r1'), { recursive: true }),
    ],
    [
      'the place for workspaces is a file',
      async (repo) => writeFile((await placesOf(repo)).workspacesDir, ''),
    ],
    [
      'the base has a file in the place of the run folder',
      async (repo) => {
        await repo.write('.tnh', 'a file\n');
        await repo.git('add', '.tnh');
        await repo.git('commit', '--quiet', '--message=file');
      },
    ],
  ])('fails without a trace if %s', async (_says, prepare) => {
    const repo = await testRepo();
    await prepare(repo);
    const { workspacesDir } = await placesOf(repo);
    const state = async () => [await repo.git('for-each-ref'), await readdir(workspacesDir).catch(() => [])];
    const request = await requestFor(repo, 'r1');
    const before = await state();
    await expect(createRun(await workspacesOf(repo), request)).rejects.toBeInstanceOf(GitError);
    expect(await state()).toEqual(before);
  });

  it.each(['update-ref', 'read-tree'])(
    'leaves nothing behind if it is cancelled during %s',
    async (command) => {
      const repo = await testRepo();
      const controller = new AbortController();
      const reached = join(await temporaryFolder(), 'reached');
      await stubGit(
        `case "$*" in *"${command}"*) if [ ! -e ${reached} ]; then $GIT "$@"; touch ${reached}; exec tail -f /dev/null; fi ;; esac; exec $GIT "$@"`,
      );
      const request = await requestFor(repo, 'r1');
      const creating = createRun(await workspacesOf(repo, { signal: controller.signal }), request);
      const failed = expect(creating).rejects.toThrow('cancelled');
      await vi.waitFor(() => expect(existsSync(reached)).toBe(true), { timeout: 10_000 });
      controller.abort();
      await failed;
      expect(await repo.git('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main\n');
      expect(await readdir((await placesOf(repo)).workspacesDir)).toEqual([]);
    },
  );
});
