import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { GitError } from '../../src/adapters/git/git-command.ts';
import { createGitWorkspace } from '../../src/adapters/git/git-workspace.ts';
import { gitAt, readCheckout } from '../../testing/git-repo.ts';
import {
  createRun,
  FILES,
  listFiles,
  requestFor,
  startRun,
  stubGit,
  temporaryFolder,
  testRepo,
  workspacesOf,
} from './git-workspace-fixture.ts';

describe('create', () => {
  it('names branch and worktree beforehand without making them', async () => {
    const repo = await testRepo();
    const request = await requestFor(repo, 'r1');
    expect(workspacesOf(repo).describe(request)).toEqual({
      runId: 'r1',
      repoRoot: repo.root,
      worktreePath: join(repo.root, '.tnh/worktrees/r1'),
      branchName: 'conductor/run/demo/r1',
      baseRef: 'HEAD',
      baseSha: request.baseSha,
      harnessDir: request.harnessDir,
    });
    expect(existsSync(join(repo.root, '.tnh/worktrees'))).toBe(false);
    expect(await repo.git('for-each-ref', 'refs/heads/conductor')).toBe('');
  });

  it('makes the branch and a worktree with the base in it', async () => {
    const { run, repo, sha, git } = await startRun();
    expect(run.branchName).toBe('conductor/run/demo/r1');
    expect(run.worktreePath).toBe(join(repo.root, '.tnh', 'worktrees', 'r1'));
    expect(await sha('refs/heads/conductor/run/demo/r1')).toBe(run.baseSha);
    expect(Object.keys(await listFiles(run.worktreePath)).sort()).toEqual(Object.keys(FILES).sort());
    expect(await git('symbolic-ref', 'HEAD')).toBe('refs/heads/conductor/run/demo/r1\n');
  });

  it('links the harness folder of the run where git does not see it', async () => {
    const { run, path, git } = await startRun();
    expect(await readlink(path('.tnh/run/r1/harness'))).toBe(run.harnessDir);
    expect(await readFile(path('.tnh/run/.gitignore'), 'utf8')).toBe('*\n');
    expect(await git('status', '--porcelain')).toBe('');
  });

  it('leaves a dirty checkout, its index and its stash alone', async () => {
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

  it('works from a detached HEAD', async () => {
    const { sha, run } = await startRun(undefined, (user) => user.git('checkout', '--quiet', '--detach'));
    expect(await sha('refs/heads/conductor/run/demo/r1')).toBe(run.baseSha);
  });

  it('works where nobody told git a name and hooks fail', async () => {
    const started = await startRun(undefined, async (user) => {
      await user.git('config', '--unset', 'user.name');
      await user.git('config', '--unset', 'user.email');
      await user.git('config', 'user.useConfigOnly', 'true');
      await user.git('config', 'commit.gpgSign', 'true');
      for (const hook of ['post-checkout', 'reference-transaction', 'pre-commit']) {
        await writeFile(join(user.root, '.git', 'hooks', hook), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
      }
    });
    await started.write('a.txt', 'a\n');
    const commit = await started.workspaces.commit(started.run, 'a');
    const people = await started.repo.git('show', '--no-patch', '--format=%an <%ae> %cn <%ce>', commit);
    expect(people).toBe('conductor <conductor@localhost> conductor <conductor@localhost>\n');
  });

  it('works in a repository that is a linked worktree itself, and with hard paths', async () => {
    const repo = await testRepo({
      files: { 'a\nb.txt': '1\n', 'ü — ñ.txt': '2\n', ' c ': '3\n' },
      name: 'my répo',
    });
    const folder = await temporaryFolder();
    const linked = join(folder, 'linked tree é');
    await repo.git('worktree', 'add', '--quiet', '-b', 'side', linked);
    const before = [await readCheckout(repo.root), await readCheckout(linked)];
    const workspaces = createGitWorkspace({ repoRoot: linked, worktreesDir: join(folder, 'w t') });
    const run = await createRun(workspaces, await requestFor({ ...repo, root: folder, git: repo.git }, 'r1'));
    await writeFile(join(run.worktreePath, 'new\n\u{1F600}.txt'), 'x');
    const snapshot = await workspaces.snapshot(run, 'one');
    await rm(join(run.worktreePath, 'a\nb.txt'));
    await workspaces.restore(run, { kind: 'snapshot', commit: snapshot.commit }, 'one');
    const diff = await workspaces.diff(run, `${run.baseSha}^{tree}`, snapshot.tree);
    expect(diff.files.map((file) => file.path)).toEqual(['new\n\u{1F600}.txt']);
    expect(Object.keys(await listFiles(run.worktreePath)).sort()).toEqual(
      ['a\nb.txt', 'ü — ñ.txt', ' c ', 'new\n\u{1F600}.txt'].sort(),
    );
    expect([await readCheckout(repo.root), await readCheckout(linked)]).toEqual(before);
  });

  it('works in a worktree of a bare repository', async () => {
    const repo = await testRepo();
    const folder = await temporaryFolder();
    await gitAt(folder, 'clone', '--quiet', '--bare', repo.root, 'bare.git');
    await gitAt(join(folder, 'bare.git'), 'worktree', 'add', '--quiet', join(folder, 'tree'), 'main');
    const workspaces = createGitWorkspace({
      repoRoot: join(folder, 'tree'),
      worktreesDir: join(folder, 'w'),
    });
    const run = await createRun(workspaces, await requestFor(repo, 'r1'));
    await writeFile(join(run.worktreePath, 'a.txt'), 'a\n');
    const { commit, tree } = await workspaces.snapshot(run, 'one');
    await rm(join(run.worktreePath, 'a.txt'));
    const restored = await workspaces.restore(run, { kind: 'snapshot', commit }, 'one');
    expect(restored.after.tree).toBe(tree);
  });

  it('makes a legal branch of any legal workflow id', async () => {
    const repo = await testRepo();
    const ids = ['a..b', 'a.', 'a.lock', 'a...', 'x_y-z.1', 'a..lock'];
    const names = new Set<string>();
    for (const [index, id] of ids.entries()) {
      const run = await createRun(workspacesOf(repo), await requestFor(repo, `r${index}`, id));
      names.add(run.branchName);
      expect(await gitAt(run.worktreePath, 'symbolic-ref', '--short', 'HEAD')).toBe(`${run.branchName}\n`);
    }
    expect(names.size).toBe(ids.length);
    expect(names).toContain('conductor/run/x_y-z.1/r4');
  });

  it('lets many runs start at the same time', async () => {
    const repo = await testRepo();
    const runIds = Array.from({ length: 16 }, (_, index) => `r${index}`);
    const requests = await Promise.all(runIds.map((runId) => requestFor(repo, runId)));
    const runs = await Promise.all(requests.map((request) => createRun(workspacesOf(repo), request)));
    await Promise.all(runs.map((run) => workspacesOf(repo).snapshot(run, 'first')));
    const refs = await repo.git(
      'for-each-ref',
      '--format=%(refname)',
      'refs/heads/conductor',
      'refs/conductor',
    );
    expect(refs.trim().split('\n')).toHaveLength(2 * runIds.length);
  });

  it('tries again when another git holds a lock, and not for ever', async () => {
    const repo = await testRepo();
    const bin = await temporaryFolder();
    const lock = join(repo.root, '.git/refs/heads/conductor/run/demo/r1.lock');
    const calls = join(bin, 'calls');
    const realGit = (await gitAt(repo.root, '--exec-path')).trim();
    // Stands in for the other git: it lets go of the lock once three attempts have failed.
    const script = `#!/bin/sh
case "$*" in *update-ref*) echo call >> '${calls}'; [ "$(wc -l < '${calls}')" -gt "$ATTEMPTS" ] && rm -f '${lock}';; esac
exec '${realGit}/git' "$@"
`;
    await writeFile(join(bin, 'git'), script, { mode: 0o755 });
    vi.stubEnv('PATH', `${bin}:${process.env.PATH}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    const request = await requestFor(repo, 'r1');
    const attempt = async (attempts: string) => {
      vi.stubEnv('ATTEMPTS', attempts);
      await rm(calls, { force: true });
      await mkdir(dirname(lock), { recursive: true });
      await writeFile(lock, '');
      return createRun(workspacesOf(repo), request);
    };
    await expect(attempt('1000')).rejects.toThrow('File exists');
    expect(await repo.git('worktree', 'list')).not.toContain('r1');
    await attempt('3');
    expect(await repo.git('worktree', 'list')).toContain('conductor/run/demo/r1');
  });

  it.each([
    [
      'the folder exists',
      async (root: string) => mkdir(join(root, '.tnh/worktrees/r1'), { recursive: true }),
    ],
    ['the branch exists', async (root: string) => gitAt(root, 'branch', 'conductor/run/demo/r1')],
    ['a branch is in the way', async (root: string) => gitAt(root, 'branch', 'conductor')],
    [
      'the base has a file where the run folder belongs',
      async (root: string) => {
        await rm(join(root, '.tnh'), { recursive: true });
        await writeFile(join(root, '.tnh'), 'a file\n');
        await gitAt(root, 'add', '--force', '.tnh');
        await gitAt(root, 'commit', '--quiet', '--message=file');
        await gitAt(root, 'rm', '--quiet', '.tnh');
        await mkdir(join(root, '.tnh'), { recursive: true });
      },
    ],
  ])('fails without a trace when %s', async (_says, prepare) => {
    const repo = await testRepo();
    await prepare(repo.root);
    const state = async () => [
      await repo.git('for-each-ref'),
      await repo.git('worktree', 'list'),
      await readdir(join(repo.root, '.tnh/worktrees')).catch(() => []),
    ];
    const request = await requestFor(repo, 'r1');
    const before = await state();
    await expect(createRun(workspacesOf(repo), request)).rejects.toBeInstanceOf(GitError);
    expect(await state()).toEqual(before);
  });

  it('takes a half-made worktree away when it is cancelled in the middle', async () => {
    const repo = await testRepo();
    const controller = new AbortController();
    // A worktree that git is still at work on: the branch and the folder were begun.
    const reached = join(await temporaryFolder(), 'reached');
    await stubGit(
      `case "$*" in *"worktree add"*) $GIT "$@"; touch ${reached}; exec tail -f /dev/null ;; esac; exec $GIT "$@"`,
    );
    const request = await requestFor(repo, 'r1');
    const creating = createRun(workspacesOf(repo, controller.signal), request);
    const failed = expect(creating).rejects.toThrow('cancelled');
    await vi.waitFor(() => expect(existsSync(reached)).toBe(true), { timeout: 10_000 });
    controller.abort();
    await failed;
    expect(await repo.git('for-each-ref', 'refs/heads/conductor')).toBe('');
    expect((await repo.git('worktree', 'list')).trim().split('\n')).toHaveLength(1);
    expect(existsSync(join(repo.root, '.tnh/worktrees/r1'))).toBe(false);
  });

  it.each(['', '.', '..', 'a/b'])('refuses %j as a run id', async (runId) => {
    const repo = await testRepo();
    const request = { ...(await requestFor(repo, 'r1')), runId };
    await expect(createRun(workspacesOf(repo), request)).rejects.toThrow('cannot name a folder');
  });
});
