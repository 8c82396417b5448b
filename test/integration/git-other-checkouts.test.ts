import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGitWorkspace } from '../../src/adapters/git/git-workspace.ts';
import { recordOwnMove } from '../../src/adapters/git/own-moves.ts';
import type { RunWorkspace, Workspace } from '../../src/ports/workspace.ts';
import { gitAt, makeRepo } from '../../testing/git-repo.ts';

let repo: Awaited<ReturnType<typeof makeRepo>>;
let workspace: Workspace;
let run: RunWorkspace;

beforeEach(async () => {
  repo = await makeRepo({ files: { 'a.txt': 'a\n' } });
  workspace = createGitWorkspace({ repoRoot: repo.root, worktreesDir: join(repo.root, '.tnh/worktrees') });
  const base = await workspace.resolveBase('HEAD');
  if (!base.ok) throw new Error(base.reason);
  run = workspace.describe({
    runId: 'r1',
    workflowId: 'w',
    baseRef: 'HEAD',
    baseSha: base.sha,
    harnessDir: join(repo.root, '.tnh/run/r1/harness'),
  });
  await workspace.create(run);
});

afterEach(() => repo.cleanup());

/** A main that is checked out nowhere, moved without a checkout. */
async function moveMain() {
  await repo.git('checkout', '--quiet', '--detach');
  const before = await workspace.refs(run);
  const from = (await repo.git('rev-parse', 'main')).trim();
  const to = (await repo.git('commit-tree', 'main^{tree}', '-p', 'main', '-m', 'merged')).trim();
  await repo.git('update-ref', 'refs/heads/main', to);
  const told = (ref: string, old: string, now: string) =>
    recordOwnMove(join(repo.root, '.git'), { ref, from: old, to: now });
  return { before, from, to, told };
}

describe('a ref that moved while a step ran', () => {
  it("is somebody else's when they committed in their own checkout", async () => {
    const before = await workspace.refs(run);
    await repo.write('b.txt', 'b\n');
    await repo.git('add', 'b.txt');
    await repo.git('commit', '-m', 'meanwhile');
    const after = await workspace.refs(run);
    expect(await workspace.movedElsewhere(before, after)).toEqual(['refs/heads/main']);
  });

  it("is the step's when it was moved from the worktree of the run", async () => {
    const before = await workspace.refs(run);
    await gitAt(run.worktreePath, 'commit', '--allow-empty', '-m', 'agent');
    await gitAt(run.worktreePath, 'update-ref', 'refs/heads/main', 'HEAD');
    const after = await workspace.refs(run);
    expect(after.refs['refs/heads/main']).not.toBe(before.refs['refs/heads/main']);
    expect(await workspace.movedElsewhere(before, after)).toEqual([]);
  });

  it("is the step's when it only points where another checkout has been before", async () => {
    const before = await workspace.refs(run);
    await gitAt(run.worktreePath, 'branch', 'mine');
    expect(await workspace.movedElsewhere(before, await workspace.refs(run))).toEqual([]);
  });

  it("is the conductor's when the conductor told of both values before it moved the ref", async () => {
    const { before, from, to, told } = await moveMain();
    await told('refs/heads/main', from, to);
    expect(await workspace.movedElsewhere(before, await workspace.refs(run))).toEqual(['refs/heads/main']);
  });

  it.each<[string, (values: Awaited<ReturnType<typeof moveMain>>) => Promise<void>]>([
    ['another ref', ({ told, from, to }) => told('refs/heads/other', from, to)],
    ['another old value', ({ told, to }) => told('refs/heads/main', to, to)],
    ['another new value', ({ told, from }) => told('refs/heads/main', from, from)],
  ])("is the step's when the conductor told of %s", async (_name, tell) => {
    const values = await moveMain();
    await tell(values);
    expect(await workspace.movedElsewhere(values.before, await workspace.refs(run))).toEqual([]);
  });

  it("is the step's when the conductor told of the same move before the step", async () => {
    const { from, to, told } = await moveMain();
    await told('refs/heads/main', from, to);
    await repo.git('update-ref', 'refs/heads/main', from);
    const before = await workspace.refs(run);
    await gitAt(run.worktreePath, 'update-ref', 'refs/heads/main', to);
    expect(await workspace.movedElsewhere(before, await workspace.refs(run))).toEqual([]);
  });

  it("is the step's when it was moved in a checkout that the step made", async () => {
    const before = await workspace.refs(run);
    const other = join(repo.root, '..', 'other');
    await gitAt(run.worktreePath, 'worktree', 'add', '-b', 'theirs', other);
    await gitAt(other, 'commit', '--allow-empty', '-m', 'elsewhere');
    expect(await workspace.movedElsewhere(before, await workspace.refs(run))).toEqual([]);
  });
});
