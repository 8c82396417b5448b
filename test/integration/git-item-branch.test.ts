import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createGitUpkeep } from '../../src/adapters/git/git-upkeep.ts';
import { createRevisionReader } from '../../src/adapters/git/revision-reader.ts';
import { type GitRepo, gitAt } from '../../testing/git-repo.ts';
import { requestFor, temporaryFolder, testRepo, workspacesOf } from './git-workspace-fixture.ts';

const BRANCH = 'conductor/item/7';

async function itemRun(repo: GitRepo, runId: string) {
  const workspaces = workspacesOf(repo);
  const run = workspaces.describe({ ...(await requestFor(repo, runId)), branch: BRANCH });
  await workspaces.create(run);
  return { workspaces, run };
}

const headOf = async (repo: GitRepo, ref: string) => (await repo.git('rev-parse', ref)).trim();

describe('the branch of a work item', () => {
  it('is the branch of the run, and stays when the run is taken away', async () => {
    const repo = await testRepo();
    const { workspaces, run } = await itemRun(repo, 'r1');
    expect(run.branchName).toBe(BRANCH);
    await writeFile(join(run.worktreePath, 'new.txt'), 'new\n');
    const head = await workspaces.commit(run, 'work');
    const upkeep = createGitUpkeep({
      repoRoot: repo.root,
      worktreesDir: join(repo.root, '.tnh/worktrees'),
      awaitOrphans: async () => {},
    });
    expect(await upkeep.removeWorktree(run)).toMatchObject({ ok: true, removed: true, salvageRef: null });
    expect(await upkeep.removeRefs(run)).toMatchObject({ ok: true });
    expect(await headOf(repo, BRANCH)).toBe(head);
  });

  it('is put back where the worktree can not be made', async () => {
    const repo = await testRepo();
    const first = await itemRun(repo, 'r1');
    await writeFile(join(first.run.worktreePath, 'new.txt'), 'new\n');
    const head = await first.workspaces.commit(first.run, 'work');
    const second = first.workspaces.describe({ ...(await requestFor(repo, 'r2')), branch: BRANCH });
    const impossible = { ...second, harnessDir: '\0' };
    await expect(first.workspaces.create(impossible)).rejects.toThrow();
    expect(await headOf(repo, BRANCH)).toBe(head);
  });

  it('is not moved by an earlier run that ends after a later one has started', async () => {
    const repo = await testRepo();
    const first = await itemRun(repo, 'r1');
    const second = await itemRun(repo, 'r2');
    await writeFile(join(first.run.worktreePath, 'late.txt'), 'late\n');
    const late = await first.workspaces.commit(first.run, 'late');
    expect(await headOf(repo, BRANCH)).toBe(second.run.baseSha);
    expect(await headOf(repo, 'refs/conductor/r1/head')).toBe(late);
    await writeFile(join(second.run.worktreePath, 'mine.txt'), 'mine\n');
    const mine = await second.workspaces.commit(second.run, 'mine');
    expect(await headOf(repo, BRANCH)).toBe(mine);
  });

  it('is let go of by earlier worktrees with their files as they are', async () => {
    const repo = await testRepo();
    const first = await itemRun(repo, 'r1');
    await writeFile(join(first.run.worktreePath, 'README.md'), 'edited\n');
    await gitAt(first.run.worktreePath, 'add', 'README.md');
    await itemRun(repo, 'r2');
    expect(await gitAt(first.run.worktreePath, 'status', '--porcelain')).toBe('M  README.md\n');
    await expect(gitAt(first.run.worktreePath, 'symbolic-ref', '--quiet', 'HEAD')).rejects.toThrow();
  });

  it.each([
    ['a checkout of a person', 'switch'],
    ['a worktree of a person', 'worktree'],
  ])('is told to be held by %s', async (_, how) => {
    const repo = await testRepo();
    const elsewhere = join(await temporaryFolder(), 'mine');
    if (how === 'switch') await repo.git('switch', '-q', '-c', BRANCH);
    else await repo.git('worktree', 'add', '-q', '-b', BRANCH, elsewhere);
    const workspaces = workspacesOf(repo);
    const run = workspaces.describe({ ...(await requestFor(repo, 'r1')), branch: BRANCH });
    expect(await workspaces.branchHolder(run)).toBe(how === 'switch' ? repo.root : elsewhere);
  });
});

describe('the change of a revision', () => {
  async function change(files: Readonly<Record<string, string | Uint8Array | null>>) {
    const repo = await testRepo();
    await repo.write('latin.txt', Buffer.from('gr\xfcn\n', 'latin1'));
    await repo.git('add', '--all');
    await repo.git('commit', '-qm', 'latin');
    const base = await headOf(repo, 'HEAD');
    await repo.git('switch', '-q', '-c', BRANCH);
    for (const [path, content] of Object.entries(files))
      if (content === null) await repo.git('rm', '-q', path);
      else await repo.write(path, content);
    await repo.git('add', '--all');
    await repo.git('commit', '-qm', 'work');
    const head = await headOf(repo, 'HEAD');
    await repo.git('switch', '-q', 'main');
    return { repo, base, head, reader: createRevisionReader({ repoRoot: repo.root }) };
  }

  it.each<[string, Readonly<Record<string, string | Uint8Array | null>>]>([
    ['text', { 'src/app.ts': 'changed\n', 'größe.txt': 'neu\n' }],
    ['bytes', { 'a.bin': new Uint8Array([0, 255, 10, 13, 0, 128]) }],
    ['text that is no Unicode', { 'latin.txt': Buffer.from('bl\xe4u\n', 'latin1') }],
    ['a deletion', { 'src/old.ts': null }],
    ['attributes that call everything binary', { '.gitattributes': '* -diff\n', 'README.md': 'x\n' }],
  ])('applies to its base as text: %s', async (_, files) => {
    const { repo, base, head, reader } = await change(files);
    expect(await reader.baseOf(head)).toBe(base);
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'p'), await reader.patch(base, head));
    await repo.git('apply', '--index', '--binary', join(folder, 'p'));
    expect(await repo.git('write-tree')).toBe(await repo.git('rev-parse', `${head}^{tree}`));
  });

  it('is readable where it is text', async () => {
    const { base, head, reader } = await change({ 'README.md': '# größer\n' });
    expect(await reader.patch(base, head)).toContain('+# größer');
  });

  it('is empty between a commit and itself', async () => {
    const { base, reader } = await change({ 'README.md': 'x\n' });
    expect(await reader.patch(base, base)).toBe('');
  });

  it('starts from the default branch, whatever is checked out', async () => {
    const { repo, reader } = await change({ 'README.md': 'x\n' });
    await repo.git('switch', '-q', BRANCH);
    expect(await reader.defaultBranch()).toBe('main');
    await repo.git('branch', 'trunk', 'main');
    await repo.git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/trunk');
    expect(await reader.defaultBranch()).toBe('trunk');
  });
});
