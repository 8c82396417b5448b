import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createGitWorkspace } from '../../../src/adapters/workspace/git-workspace.ts';
import { placesOf, startRun, stubGit, temporaryFolder } from './fixture.ts';

describe('git processes of a run', () => {
  it('carry the mark of the run', async () => {
    const { run, workspaces, write } = await startRun();
    const spied = join(await temporaryFolder(), 'spied');
    await stubGit(`printenv CONDUCTOR_MARK >> ${spied}; exec $GIT "$@"`);
    await write('README.md', 'changed\n');
    await workspaces.snapshot(run, 'marked');
    const marks = (await readFile(spied, 'utf8')).split('\n');
    expect(marks.length).toBeGreaterThan(3);
    expect(new Set(marks)).toEqual(new Set([`git/r1/${process.pid}`, '']));
  });

  it('are awaited when the workspace is reopened', async () => {
    const { repo, run } = await startRun();
    const awaited: string[] = [];
    const workspaces = createGitWorkspace({
      ...(await placesOf(repo)),
      ownedPaths: [],
      awaitOrphans: async (mark) => void awaited.push(mark),
    });
    await workspaces.reopen(run, null);
    expect(awaited).toEqual(['git/r1']);
  });

  it('flush the objects of a snapshot to the disk', async () => {
    const { run, workspaces, write } = await startRun();
    const trace = join(await temporaryFolder(), 'trace');
    await stubGit(`GIT_TRACE2_EVENT=${trace} exec $GIT "$@"`);
    await write('fresh.txt', `fresh ${trace}\n`);
    await workspaces.snapshot(run, 'flushed');
    const flushing = flushesByCommand(await readFile(trace, 'utf8'));
    for (const command of ['update-index', 'write-tree', 'commit-tree'])
      expect(flushing, command).toContain(command);
  });
});

describe('a scratch folder', () => {
  it('is removed when the workspace is reopened, unless its process lives', async () => {
    const { run, workspaces } = await startRun();
    const folder = join(dirname(run.worktreePath), 'store/scratch');
    const dead = spawn('true');
    await once(dead, 'exit');
    const living = `${process.pid}-b`;
    for (const name of [`${dead.pid}-a`, living]) await mkdir(join(folder, name), { recursive: true });
    await workspaces.reopen(run, null);
    expect(await readdir(folder)).toEqual([living]);
  });
});

/** The commands that flushed something. */
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
