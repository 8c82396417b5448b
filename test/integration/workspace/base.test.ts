import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { findRepository } from '../../../src/adapters/workspace/git/find-repository.ts';
import { gitAt } from '../../../testing/git-repo.ts';
import { FILES, startRunIn, temporaryFolder, testRepo, workspacesOf } from './fixture.ts';

describe('findRepository', () => {
  it('finds the top of the checkout from a folder below it', async () => {
    const repo = await testRepo();
    expect(await findRepository(join(repo.root, 'src'))).toEqual({
      ok: true,
      repoRoot: repo.root,
      gitDir: join(repo.root, '.git'),
    });
  });

  it('gives the shared git folder for a linked worktree', async () => {
    const repo = await testRepo();
    const linked = join(await temporaryFolder(), 'linked tree');
    await repo.git('worktree', 'add', '--quiet', '--detach', linked);
    expect(await findRepository(linked)).toEqual({
      ok: true,
      repoRoot: linked,
      gitDir: join(repo.root, '.git'),
    });
  });

  it('finds a repository with line feeds in its path, and a run works in it', async () => {
    const repo = await testRepo({ files: FILES, name: 'two\nlines' });
    const linked = join(await temporaryFolder(), 'linked\ntree\n');
    await repo.git('worktree', 'add', '--quiet', '--detach', linked);
    const gitDir = join(repo.root, '.git');
    expect(await findRepository(repo.root)).toEqual({ ok: true, repoRoot: repo.root, gitDir });
    expect(await findRepository(linked)).toEqual({ ok: true, repoRoot: linked, gitDir });
    const run = await startRunIn(repo);
    await run.write('README.md', 'changed\n');
    const { tree } = await run.workspaces.snapshot(run.run, 'one');
    const { commit } = await run.workspaces.publish(run.run, { tree, message: 'work\n' });
    expect(await repo.git('diff', '--name-only', 'main', commit)).toBe('README.md\n');
  });

  it('ignores the git variables of its parent process', async () => {
    const repo = await testRepo();
    const other = await testRepo();
    vi.stubEnv('GIT_DIR', join(other.root, '.git'));
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await findRepository(repo.root)).toEqual({
      ok: true,
      repoRoot: repo.root,
      gitDir: join(repo.root, '.git'),
    });
  });

  it.each([
    ['not_a_repository', 'a plain folder', async (folder: string) => folder],
    ['not_a_folder', 'a folder that does not exist', async (folder: string) => join(folder, 'nowhere')],
    [
      'bare',
      'a bare repository',
      async (folder: string) => {
        await gitAt(folder, 'init', '--quiet', '--bare');
        return folder;
      },
    ],
    [
      'not_a_repository',
      'the inside of a git folder',
      async (folder: string) => {
        await gitAt(folder, 'init', '--quiet');
        return join(folder, '.git');
      },
    ],
  ])('answers %s for %s', async (reason, _says, prepare) => {
    expect(await findRepository(await prepare(await temporaryFolder()))).toEqual({ ok: false, reason });
  });

  it('answers git_missing when there is no git on the path', async () => {
    const folder = await temporaryFolder();
    vi.stubEnv('PATH', folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await findRepository(folder)).toEqual({ ok: false, reason: 'git_missing' });
  });
});

describe('resolveBase', () => {
  it.each(['HEAD', 'main', 'v1', 'HEAD~0'])('resolves %s to commit and tree', async (ref) => {
    const repo = await testRepo();
    await repo.git('tag', '--annotate', '--message=v1', 'v1');
    const sha = (await repo.git('rev-parse', 'HEAD')).trim();
    const tree = (await repo.git('rev-parse', 'HEAD^{tree}')).trim();
    expect(await (await workspacesOf(repo)).resolveBase(ref)).toEqual({ ok: true, sha, tree });
  });

  it.each(['nope', '', '--all', 'HEAD:README.md', 'HEAD^', '0'.repeat(40)])(
    'knows no commit by the name %j',
    async (ref) => {
      const repo = await testRepo();
      expect(await (await workspacesOf(repo)).resolveBase(ref)).toEqual({ ok: false, reason: 'unknown_ref' });
    },
  );

  it.each(['HEAD', 'main'])('says that a repository has no commits when asked for %s', async (ref) => {
    const repo = await testRepo({ files: FILES, commit: false });
    expect(await (await workspacesOf(repo)).resolveBase(ref)).toEqual({ ok: false, reason: 'no_commits' });
  });
});
