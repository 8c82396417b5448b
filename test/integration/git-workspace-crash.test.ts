import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createGitWorkspace } from '../../src/adapters/git/git-workspace.ts';
import { startRun, stubGit, temporaryFolder } from './git-workspace-fixture.ts';

/** A lock that a git left which was killed a minute ago. */
async function leaveLock(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, '');
  const then = new Date(Date.now() - 60_000);
  await utimes(path, then, then);
}

describe('a lock that a killed git left', () => {
  it.each([
    ['a snapshot', 'refs/conductor/r1/end'],
    ['the branch', 'refs/heads/conductor/run/demo/r1'],
  ])('does not keep the next one from %s', async (_what, ref) => {
    const { repo, run, workspaces, write, sha } = await startRun();
    await write('README.md', 'work\n');
    await leaveLock(join(repo.root, '.git', `${ref}.lock`));
    await workspaces.commit(run, 'work');
    const { commit } = await workspaces.snapshot(run, 'end');
    expect(await sha('refs/conductor/r1/end')).toBe(commit);
    expect(await repo.git('show', 'conductor/run/demo/r1:README.md')).toBe('work\n');
  });

  it.each(['refs/conductor/r1/check@2.after', 'refs/conductor/salvage/r1/draft@1'])(
    'goes when the worktree is opened again, even if nobody will write the ref: %s',
    async (ref) => {
      const { repo, run, workspaces } = await startRun();
      const lock = join(repo.root, '.git', `${ref}.lock`);
      await leaveLock(lock);
      await workspaces.reopen(run, null);
      expect(existsSync(lock)).toBe(false);
    },
  );

  it('is waited for when it is young, as a living git would hold it', async () => {
    const { repo, run, workspaces } = await startRun();
    const lock = join(repo.root, '.git/refs/conductor/r1/end.lock');
    await mkdir(dirname(lock), { recursive: true });
    await writeFile(lock, '');
    const touching = setInterval(() => void utimes(lock, new Date(), new Date()), 50);
    onTestFinished(() => clearInterval(touching));
    await expect(workspaces.snapshot(run, 'end')).rejects.toThrow(/cannot lock ref/);
    expect(await readFile(lock, 'utf8')).toBe('');
  });
});

describe('git at work for a run', () => {
  it('carries its mark', async () => {
    const { run, workspaces } = await startRun();
    const spied = join(await temporaryFolder(), 'spied');
    await stubGit(`printenv CONDUCTOR_MARK >> ${spied}; exec $GIT "$@"`);
    await workspaces.snapshot(run, 'marked');
    const marks = (await readFile(spied, 'utf8')).split('\n');
    expect(marks.length).toBeGreaterThan(3);
    expect(new Set(marks)).toEqual(new Set([`git/r1/${process.pid}`, '']));
  });

  it('is let end by whoever opens the worktree again', async () => {
    const { repo, run } = await startRun();
    const awaited: string[] = [];
    const workspaces = createGitWorkspace({
      repoRoot: repo.root,
      worktreesDir: dirname(run.worktreePath),
      awaitOrphans: async (mark) => {
        awaited.push(mark);
      },
    });
    await workspaces.reopen(run, null);
    expect(awaited).toEqual(['git/r1']);
  });

  it('has a snapshot on disk before it names it', async () => {
    const { run, workspaces, write } = await startRun();
    const home = await temporaryFolder();
    const trace = join(home, 'trace');
    await writeFile(join(home, '.gitconfig'), `[trace2]\n\teventTarget = ${trace}\n`);
    vi.stubEnv('HOME', home);
    onTestFinished(() => void vi.unstubAllEnvs());
    await write('fresh.txt', `fresh ${home}\n`);
    await workspaces.snapshot(run, 'flushed');
    const flushing = flushesByCommand(await readFile(trace, 'utf8'));
    for (const command of ['update-index', 'write-tree', 'commit-tree', 'update-ref'])
      expect(flushing, command).toContain(command);
  });
});

describe('a copy of the index that a killed process worked on', () => {
  it('goes when the worktree is opened again, and that of a living one stays', async () => {
    const { repo, run, workspaces } = await startRun();
    const folder = join(repo.root, '.git/worktrees/r1/conductor');
    const dead = spawn('true');
    await once(dead, 'exit');
    const living = `scratch-${process.pid}-b`;
    for (const name of [`scratch-${dead.pid}-a`, living]) await mkdir(join(folder, name));
    await workspaces.reopen(run, null);
    expect((await readdir(folder)).sort()).toEqual(['index', living]);
  });
});

/** The commands that told the disk to keep something. */
function flushesByCommand(trace: string): readonly string[] {
  const events = trace
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  const names = new Map(
    events.filter(({ event }) => event === 'cmd_name').map(({ sid, name }) => [sid, name]),
  );
  return events
    .filter(({ category, value }) => category === 'fsync' && Number(value) > 0)
    .map(({ sid }) => names.get(sid));
}
