import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createGitWorkspace } from '../../../src/adapters/workspace/git-workspace.ts';
import { createStepWatcher } from '../../../src/adapters/workspace/watch/step-watch.ts';
import { placesOf, type Run, startRun, stubGit, temporaryFolder } from './fixture.ts';

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
    for (const command of ['update-index', 'write-tree']) expect(flushing, command).toContain(command);
  });
});

/** What a further agent step may cost. */
const STEP_LIMIT = 10;

describe('an agent step', () => {
  it.each<readonly [string, (run: Run) => Promise<void>]>([
    ['changes nothing', async () => {}],
    ['changes a file', ({ write }) => write('README.md', 'changed\n')],
    [
      'changes, adds and deletes files',
      async ({ write, path }) => {
        await write('README.md', 'changed\n');
        await write('src/new.ts', 'new\n');
        await rm(path('src/old.ts'));
      },
    ],
    [
      'also writes what the repository already has, and what git ignores',
      async ({ read, write, path }) => {
        await write('README.md', await read('src/old.ts'));
        await rm(path('src/old.ts'));
        await write('debug.log', 'ignored\n');
        await write('node_modules/pack/index.js', 'ignored\n');
      },
    ],
  ])('that %s starts at most ten', async (_, change) => {
    const started = await startRun();
    await started.write('README.md', 'the step before\n');
    const base = (await started.repo.git('rev-parse', 'HEAD^{tree}')).trim();
    const places = await placesOf(started.repo);
    await takeStep(started, { places, base, name: 'first' }, async () => {});
    const trace = join(await temporaryFolder(), 'trace');
    await stubGit(`GIT_TRACE2_EVENT=${trace} exec $GIT "$@"`);
    await takeStep(started, { places, base, name: 'second' }, () => change(started));
    const commands = startedCommands(await readFile(trace, 'utf8'));
    expect(commands.length, commands.join('\n')).toBeLessThanOrEqual(STEP_LIMIT);
  });
});

interface Step {
  readonly places: Awaited<ReturnType<typeof placesOf>>;
  readonly base: string;
  readonly name: string;
}

/** What the runtime asks of the workspace around an agent step that no sandbox confines. */
async function takeStep(
  { run, workspaces }: Run,
  { places, base, name }: Step,
  change: () => Promise<void>,
): Promise<void> {
  const before = await workspaces.snapshot(run, `${name}/before`);
  const request = { workspace: run, stepId: name, sandboxed: false, forbids: () => true };
  const watch = await createStepWatcher(places).watch(request);
  await change();
  await watch.settle();
  const after = await workspaces.snapshot(run, `${name}/after`);
  const patch = join(await temporaryFolder(), 'workspace.patch');
  const { files } = await workspaces.diff(run, before.tree, after.tree, patch);
  await workspaces.diff(run, base, after.tree);
  await watch.compare(files);
}

/** The command lines of all git processes, also of those that git started. */
function startedCommands(trace: string): readonly string[] {
  const events = trace
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  return events.filter(({ event }) => event === 'start').map(({ argv }) => argv.join(' '));
}

describe('a scratch folder', () => {
  it('is removed when the workspace is reopened, unless its process still runs', async () => {
    const { run, workspaces } = await startRun();
    const folder = join(dirname(run.checkoutPath), 'store/scratch');
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
