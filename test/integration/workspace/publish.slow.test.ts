import { rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { gitAt } from '../../../testing/git-repo.ts';
import {
  createRun,
  type Run,
  readUserSide,
  requestFor,
  runIn,
  startRun,
  stubGit,
  temporaryFolder,
  testRepo,
  workspacesOf,
} from './fixture.ts';

const BRANCH = 'conductor/run/demo/r1';
const MESSAGE = 'Fix the title\n\nConductor-Run: r1\nConductor-Workflow: demo\nConductor-Outcome: success\n';
const SALVAGE = 'refs/conductor/salvage/r1';

async function publish({ workspaces, run }: Run, message = MESSAGE) {
  const { tree } = await workspaces.snapshot(run, 'end');
  return workspaces.publish(run, { tree, message });
}

/** Conductor's refs in the repository of the user. */
async function refsOf({ repo }: Pick<Run, 'repo'>): Promise<Record<string, string>> {
  const listed = await repo.git(
    'for-each-ref',
    '--format=%(refname) %(objectname)',
    'refs/conductor',
    'refs/heads/conductor',
  );
  const lines = listed.split('\n').filter((line) => line !== '');
  return Object.fromEntries(lines.map((line) => line.split(' ') as [string, string]));
}

describe('publishing a result', () => {
  it("does not depend on the user's settings for repositories that others fetch from", async () => {
    const home = await temporaryFolder();
    const settings = '[transfer]\n\thideRefs = refs/conductor\n[uploadpack]\n\tpackObjectsHook = false\n';
    await writeFile(join(home, '.gitconfig'), settings);
    const run = await startRun();
    await run.write('README.md', 'changed\n');
    vi.stubEnv('HOME', home);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { ref, commit } = await publish(run);
    expect(await run.sha(ref ?? '')).toBe(commit);
  });

  it('adds one commit to the base, by the user, and puts the branch on it', async () => {
    const run = await startRun();
    await run.write('README.md', 'changed\n');
    await run.write('new/file.txt', 'new\n');
    await run.write('debug.log', 'ignored\n');
    await rm(run.path('src/old.ts'));
    await run.git('add', 'new/file.txt');
    await run.git('commit', '--quiet', '--message=by the agent');
    const { commit, ref, leftAlone } = await publish(run);
    expect([ref, leftAlone]).toEqual([`refs/heads/${BRANCH}`, null]);
    expect(await refsOf(run)).toEqual({
      'refs/conductor/base/r1': run.run.baseSha,
      [`refs/heads/${BRANCH}`]: commit,
    });
    expect(await run.repo.git('rev-list', '--parents', '-1', BRANCH)).toBe(`${commit} ${run.run.baseSha}\n`);
    expect(await run.repo.git('log', '-1', '--format=%an <%ae>|%cn|%B', BRANCH)).toBe(
      `Test User <test@example.invalid>|Test User|${MESSAGE}\n`,
    );
    expect(await run.repo.git('diff', '--name-status', 'main', BRANCH)).toBe(
      'M\tREADME.md\nA\tnew/file.txt\nD\tsrc/old.ts\n',
    );
    expect(await run.repo.git('fsck', '--strict', '--no-dangling')).toBe('');
  });

  it('writes nothing if nothing has changed', async () => {
    const run = await startRun();
    expect(await publish(run)).toEqual({ commit: run.run.baseSha, ref: null, leftAlone: null });
    expect(await refsOf(run)).toEqual({ 'refs/conductor/base/r1': run.run.baseSha });
  });

  it('moves the branch when the run continues, and back to the base after a rollback', async () => {
    const run = await startRun();
    await run.write('README.md', 'one\n');
    const first = await publish(run);
    await run.write('README.md', 'two\n');
    const second = await publish(run);
    expect(second.commit).not.toBe(first.commit);
    expect(await run.repo.git('rev-list', '--count', `main..${BRANCH}`)).toBe('1\n');
    expect(await run.repo.git('show', `${BRANCH}:README.md`)).toBe('two\n');
    await run.workspaces.restore(run.run, { kind: 'base' }, 'undo@1');
    const third = await publish(run);
    expect(third).toEqual({ commit: run.run.baseSha, ref: `refs/heads/${BRANCH}`, leftAlone: null });
    expect(await run.sha(BRANCH)).toBe(run.run.baseSha);
  });

  it('has the same commit when the same result is published again', async () => {
    const run = await startRun();
    await run.write('README.md', 'one\n');
    const first = await publish(run);
    expect(await publish(run)).toEqual(first);
    expect((await publish(run, 'Another title\n')).commit).not.toBe(first.commit);
  });

  it('does not depend on the branch that the agent is on', async () => {
    const run = await startRun();
    await run.git('checkout', '--quiet', '-b', 'elsewhere');
    await run.write('a.txt', 'a\n');
    const { commit } = await publish(run);
    expect(await refsOf(run)).toMatchObject({ [`refs/heads/${BRANCH}`]: commit });
    expect(await run.repo.git('branch', '--list', 'elsewhere')).toBe('');
  });

  it('writes the branch itself if the user made it a symbolic ref', async () => {
    const run = await startRun();
    await run.write('a.txt', 'a\n');
    await publish(run);
    await run.repo.git('symbolic-ref', `refs/heads/${BRANCH}`, 'refs/heads/main');
    await run.write('a.txt', 'b\n');
    const { leftAlone } = await publish(run);
    expect(leftAlone?.salvageRef).toBe(SALVAGE);
    expect(await run.sha('main')).toBe(run.run.baseSha);
    await run.repo.git('symbolic-ref', '--delete', `refs/heads/${BRANCH}`);
  });
});

describe('the branch of a run is left alone, and the result goes to a salvage ref,', () => {
  it('if it is checked out in the checkout of the user', async () => {
    const repo = await testRepo();
    const workspaces = await workspacesOf(repo);
    const run = runIn(repo, workspaces, await createRun(workspaces, await requestFor(repo, 'r1')));
    await run.write('README.md', 'one\n');
    const first = await publish(run);
    await repo.git('checkout', '--quiet', BRANCH);
    const before = await readUserSide(repo.root);
    await run.write('README.md', 'two\n');
    const second = await publish(run);
    expect(second).toEqual({
      commit: expect.any(String),
      ref: SALVAGE,
      leftAlone: {
        branchName: BRANCH,
        reason: 'checked_out',
        at: first.commit,
        checkout: repo.root,
        detail: null,
        salvageRef: SALVAGE,
      },
    });
    expect(await run.sha(SALVAGE)).toBe(second.commit);
    expect(await run.sha(BRANCH)).toBe(first.commit);
    expect(await readUserSide(repo.root)).toEqual(before);
    await repo.git('checkout', '--quiet', 'main');
    await run.write('README.md', 'three\n');
    expect(await publish(run)).toMatchObject({ ref: `refs/heads/${BRANCH}`, leftAlone: null });
  });

  it('if it is checked out in a linked worktree', async () => {
    const run = await startRun();
    await run.write('README.md', 'one\n');
    const first = await publish(run);
    const review = join(await temporaryFolder(), 'my review');
    await run.repo.git('worktree', 'add', '--quiet', review, BRANCH);
    await run.write('README.md', 'two\n');
    const { leftAlone } = await publish(run);
    expect(leftAlone).toMatchObject({ reason: 'checked_out', checkout: review, at: first.commit });
    expect(await gitAt(review, 'status', '--porcelain')).toBe('');
    await run.repo.git('worktree', 'remove', review);
  });

  it('if the user is rebasing it', async () => {
    const run = await startRun();
    await run.write('README.md', 'one\n');
    await publish(run);
    const review = join(await temporaryFolder(), 'review');
    await run.repo.git('worktree', 'add', '--quiet', review, BRANCH);
    await expect(gitAt(review, 'rebase', '--exec', 'false', 'HEAD^')).rejects.toThrow();
    await run.write('README.md', 'two\n');
    const { leftAlone } = await publish(run);
    expect(leftAlone).toMatchObject({ reason: 'checked_out', checkout: review });
    await run.repo.git('worktree', 'remove', '--force', review);
  });

  it('if the user checks it out at the same moment', async () => {
    const run = await startRun();
    await run.write('README.md', 'one\n');
    await publish(run);
    const review = join(await temporaryFolder(), 'review');
    const add = `$GIT -C ${run.repo.root} worktree add --quiet ${review} ${BRANCH}`;
    await stubGit(`case "$*" in *"fetch --quiet"*) [ -e ${review} ] || ${add} ;; esac; exec $GIT "$@"`);
    await run.write('README.md', 'two\n');
    const { leftAlone } = await publish(run);
    expect(leftAlone).toMatchObject({ reason: 'checked_out', checkout: review, salvageRef: SALVAGE });
    await run.repo.git('worktree', 'remove', '--force', review);
  });

  it.each<[string, (run: Run) => Promise<unknown>]>([
    ['moved it', ({ repo }) => repo.git('branch', '--force', BRANCH, 'main')],
    ['deleted it', ({ repo }) => repo.git('branch', '--quiet', '-D', BRANCH)],
  ])('if the user %s', async (_, act) => {
    const run = await startRun();
    await run.write('README.md', 'one\n');
    await publish(run);
    await act(run);
    const at = await run.sha(BRANCH).catch(() => null);
    await run.write('README.md', 'two\n');
    const { commit, leftAlone } = await publish(run);
    expect(leftAlone).toEqual({
      branchName: BRANCH,
      reason: 'moved',
      at,
      checkout: null,
      detail: null,
      salvageRef: SALVAGE,
    });
    expect(await run.sha(BRANCH).catch(() => null)).toBe(at);
    expect(await run.sha(SALVAGE)).toBe(commit);
    await run.write('README.md', 'three\n');
    const again = await publish(run);
    expect(again.leftAlone?.reason).toBe('moved');
    expect(await run.sha(SALVAGE)).toBe(again.commit);
  });

  it('if the user has created it before the run has a result', async () => {
    const run = await startRun();
    await run.repo.git('branch', BRANCH);
    await run.write('README.md', 'one\n');
    expect((await publish(run)).leftAlone).toMatchObject({ reason: 'moved', at: run.run.baseSha });
  });

  it('if the name of another branch conflicts with it', async () => {
    const run = await startRun();
    await run.repo.git('branch', 'conductor');
    await run.write('README.md', 'one\n');
    const { commit, leftAlone } = await publish(run);
    expect(leftAlone).toMatchObject({
      reason: 'refused',
      detail: expect.stringContaining("'refs/heads/conductor' exists"),
    });
    expect(await run.sha(SALVAGE)).toBe(commit);
    await run.repo.git('branch', '--quiet', '-D', 'conductor');
  });
});

describe('publishing again after a crash', () => {
  const remembered = ({ run }: Run) => join(dirname(run.checkoutPath), 'branch');

  it.each<[string, (run: Run) => Promise<unknown>]>([
    ['between the fetch and its record', (run) => writeFile(remembered(run), '-\n')],
    [
      'between the commit and the fetch',
      async (run) => {
        await run.repo.git('update-ref', '-d', `refs/heads/${BRANCH}`);
        await writeFile(remembered(run), '-\n');
      },
    ],
  ])('%s has the same result', async (_, crash) => {
    const run = await startRun();
    await run.write('README.md', 'one\n');
    const first = await publish(run);
    await crash(run);
    expect(await publish(run)).toEqual(first);
    await run.write('README.md', 'two\n');
    expect(await publish(run)).toMatchObject({ leftAlone: null });
  });

  it('still knows its branch if it crashed there, and then again before the next fetch', async () => {
    const run = await startRun();
    await run.write('README.md', 'one\n');
    await publish(run);
    await writeFile(remembered(run), '-\n');
    const dead = join(await temporaryFolder(), 'dead');
    await writeFile(dead, '');
    await stubGit(`case "$*" in *"fetch --quiet"*) [ -e ${dead} ] && kill -9 $$ ;; esac; exec $GIT "$@"`);
    await run.write('README.md', 'two\n');
    await expect(publish(run)).rejects.toThrow('killed by SIGKILL');
    await rm(dead);
    await run.write('README.md', 'three\n');
    expect(await publish(run)).toMatchObject({ ref: `refs/heads/${BRANCH}`, leftAlone: null });
  });
});

describe('publishing of many runs', () => {
  it('works while the user collects garbage and deletes branches all the time', async () => {
    const repo = await testRepo();
    const workspaces = await workspacesOf(repo);
    const runIds = Array.from({ length: 12 }, (_, index) => `r${index}`);
    const requests = await Promise.all(runIds.map((runId) => requestFor(repo, runId)));
    let done = false;
    const collecting = (async () => {
      for (let count = 0; !done; count += 1) {
        await repo.git('gc', '--quiet', '--prune=now').catch(() => undefined);
        await repo
          .git('update-ref', '-d', `refs/heads/conductor/run/demo/${runIds[count % 4]}`)
          .catch(() => undefined);
      }
    })();
    const published = await Promise.all(
      requests.map(async (request) => {
        const run = runIn(repo, workspaces, await createRun(workspaces, request));
        // The same change in all runs, so that they share objects, and one of its own.
        await run.write('src/same.txt', 'same\n');
        await run.write('src/own.txt', `${request.runId}\n`);
        await workspaces.snapshot(run.run, 'a@1');
        await run.write('README.md', 'same\n');
        return { run, ...(await publish(run)) };
      }),
    );
    done = true;
    await collecting;
    for (const { run, commit, leftAlone } of published) {
      expect(leftAlone).toBeNull();
      expect(await run.store('show', `${commit}:src/own.txt`)).toBe(`${run.run.runId}\n`);
      expect(await run.store('fsck', '--strict', '--no-dangling')).toBe('');
    }
    for (const { run, commit } of published.slice(4)) expect(await run.sha(run.run.branchName)).toBe(commit);
    expect(await repo.git('fsck', '--strict', '--no-dangling')).toBe('');
  });
});

describe('a workspace whose checkout was replaced by a link', () => {
  it('is refused', async () => {
    const run = await startRun();
    await rm(run.run.checkoutPath, { recursive: true });
    await symlink(run.repo.root, run.run.checkoutPath);
    for (const attempt of [
      () => run.workspaces.snapshot(run.run, 'one'),
      () => run.workspaces.restore(run.run, { kind: 'base' }, 'one'),
    ])
      await expect(attempt()).rejects.toThrow('is missing');
  });
});
