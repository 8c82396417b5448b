import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRevisionReader } from '../../../../src/adapters/workspace/items/revision-reader.ts';
import { type GitRepo, gitAt } from '../../../../testing/git-repo.ts';
import { requestFor, temporaryFolder, testRepo, upkeepOf, workspacesOf } from '../fixture.ts';

const BRANCH = 'conductor/item/7';

async function itemRun(repo: GitRepo, runId: string) {
  const workspaces = await workspacesOf(repo);
  const run = workspaces.describe({ ...(await requestFor(repo, runId)), branch: BRANCH });
  await workspaces.create(run);
  const publish = async (path: string) => {
    await writeFile(join(run.checkoutPath, path), `${path}\n`);
    const { tree } = await workspaces.snapshot(run, path);
    return workspaces.publish(run, { tree, message: `${path}\n` });
  };
  return { workspaces, run, publish };
}

const headOf = async (repo: GitRepo, ref: string) => (await repo.git('rev-parse', ref)).trim();

describe('the branch of a work item', () => {
  it('has the result of the run, and stays when the run is removed', async () => {
    const repo = await testRepo();
    const { run, publish } = await itemRun(repo, 'r1');
    const { commit, leftAlone } = await publish('new.txt');
    expect(leftAlone).toBeNull();
    const upkeep = await upkeepOf(repo);
    expect(await upkeep.removeWorkspace(run)).toMatchObject({ ok: true, removed: true, salvageRef: null });
    expect(await upkeep.removeRefs(run)).toMatchObject({ ok: true });
    expect(await headOf(repo, BRANCH)).toBe(commit);
  });

  it("stays where it was if a workspace can't be made", async () => {
    const repo = await testRepo();
    const first = await itemRun(repo, 'r1');
    const { commit } = await first.publish('new.txt');
    const second = first.workspaces.describe({ ...(await requestFor(repo, 'r2')), branch: BRANCH });
    await expect(first.workspaces.create({ ...second, harnessDir: '\0' })).rejects.toThrow();
    expect(await headOf(repo, BRANCH)).toBe(commit);
  });

  it('is replaced by the next run, and the result before is kept', async () => {
    const repo = await testRepo();
    const before = await (await itemRun(repo, 'r1')).publish('first.txt');
    const second = await itemRun(repo, 'r2');
    const { commit } = await second.publish('second.txt');
    await second.publish('third.txt');
    expect(await headOf(repo, `${BRANCH}^`)).toBe(second.run.baseSha);
    expect(await headOf(repo, 'refs/conductor/salvage/r2.branch')).toBe(before.commit);
    const salvages = await repo.git('for-each-ref', '--format=%(objectname)', 'refs/conductor/salvage');
    expect(salvages).not.toContain(commit);
  });

  it('is not moved by an earlier run that ends after a later one', async () => {
    const repo = await testRepo();
    const first = await itemRun(repo, 'r1');
    const second = await itemRun(repo, 'r2');
    const { commit } = await second.publish('mine.txt');
    const late = await first.publish('late.txt');
    expect(late.leftAlone).toMatchObject({ reason: 'moved', at: commit });
    expect(await headOf(repo, BRANCH)).toBe(commit);
    expect(await headOf(repo, 'refs/conductor/salvage/r1')).toBe(late.commit);
  });

  it('is no concern of the workspaces of earlier runs', async () => {
    const repo = await testRepo();
    const first = await itemRun(repo, 'r1');
    await writeFile(join(first.run.checkoutPath, 'README.md'), 'edited\n');
    await gitAt(first.run.checkoutPath, 'add', 'README.md');
    await (await itemRun(repo, 'r2')).publish('new.txt');
    expect(await gitAt(first.run.checkoutPath, 'status', '--porcelain', '--branch')).toBe(
      `## ${BRANCH}\nM  README.md\n`,
    );
  });

  it.each([
    ['the checkout of a person', 'switch'],
    ['a linked worktree of a person', 'worktree'],
  ])('is left alone if it is checked out in %s', async (_, how) => {
    const repo = await testRepo();
    const elsewhere = join(await temporaryFolder(), 'mine');
    if (how === 'switch') await repo.git('switch', '-q', '-c', BRANCH);
    else await repo.git('worktree', 'add', '-q', '-b', BRANCH, elsewhere);
    const before = await headOf(repo, BRANCH);
    const { commit, leftAlone } = await (await itemRun(repo, 'r1')).publish('new.txt');
    const checkout = how === 'switch' ? repo.root : elsewhere;
    expect(leftAlone).toMatchObject({ reason: 'checked_out', checkout });
    expect(await headOf(repo, BRANCH)).toBe(before);
    expect(await headOf(repo, 'refs/conductor/salvage/r1')).toBe(commit);
    expect(await gitAt(checkout, 'status', '--porcelain')).toBe('');
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
