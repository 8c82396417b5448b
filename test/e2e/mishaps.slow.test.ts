import { appendFile, cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect } from 'vitest';
import { sandboxHere } from '../integration/sandbox-here.ts';
import { fixture, type Scene, test } from './scene.ts';

async function waitingRun(scene: Scene): Promise<string> {
  const { code, runId } = await scene.run('gate');
  expect(code).toBe(3);
  return runId;
}

describe('an approval whose files changed before the run continued', () => {
  test('is said to be void, and the gate names its new request', async ({ openScene }) => {
    const scene = await openScene();
    const runId = await waitingRun(scene);
    expect(await scene.conductor('approve', runId, '--as', 'ann')).toMatchObject({ code: 0 });
    await writeFile(join(scene.checkout(runId), 'more.txt'), 'unseen\n');
    const resumed = await scene.conductor('resume', runId);
    expect(resumed.code).toBe(3);
    expect(resumed.stderr).toMatch(/^! the approval of gate approve by ann is void: the files changed/m);
    expect(resumed.stderr).toMatch(/in full: .*\/artifacts\/approve@2\/gate_request\.md$/m);
    expect((await scene.conductor('gates')).stdout).toMatch(/in full: .*\/approve@2\/gate_request\.md$/m);
    expect(await scene.conductor('replay', runId)).toMatchObject({ code: 0 });
    expect(await scene.conductor('verify', runId)).toMatchObject({ code: 0 });
  });
});

describe("a record that can't be read", () => {
  test('hides no gate of another run, and is named', async ({ openScene }) => {
    const scene = await openScene();
    const runId = await waitingRun(scene);
    const runs = dirname(scene.record(runId).path);
    const id = (last: number) => `01990000-0000-7000-8000-00000000000${last}`;
    await mkdir(join(runs, id(1), 'events.ndjson'), { recursive: true });
    await mkdir(join(runs, id(1), 'status.json'));
    await mkdir(join(runs, id(2)));
    await writeFile(join(runs, id(2), 'events.ndjson'), 'not an event\n');
    await writeFile(join(runs, id(3)), 'a file, not a run');
    const gates = await scene.conductor('gates');
    expect(gates.code).toBe(0);
    expect(gates.stdout).toContain('gate / approve');
    expect(gates.stderr).toMatch(/^skipped run \S+: .*events\.ndjson can't be read/m);
    expect(gates.stderr).toMatch(/^skipped run \S+: .*corrupt at line 1/m);
    expect(await scene.conductor('runs')).toMatchObject({ code: 0, stderr: '' });
    const shown = await scene.conductor('show', id(1));
    expect(shown).toMatchObject({ code: 1, stdout: '' });
    expect(shown.stderr).not.toContain('internal error');
    expect(await scene.conductor('show', id(3))).toMatchObject({ code: 2, stdout: '' });
    for (const last of [1, 2, 3]) await rm(join(runs, id(last)), { recursive: true });
  });

  test('because its workflow was changed says which file to put back, and can be cancelled', async ({
    openScene,
  }) => {
    const scene = await openScene();
    const runId = await waitingRun(scene);
    const file = join(scene.record(runId).path, 'workflow.yaml');
    const before = await readFile(file);
    await appendFile(file, '# more\n');
    const refused = await scene.conductor('resume', runId);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(`restore ${file}`);
    const cancelled = await scene.conductor('cancel', runId);
    expect(cancelled).toMatchObject({ code: 0, stdout: '' });
    expect(cancelled.stderr).toContain('note: its workflow.yaml is not the one it was started with');
    expect(scene.record(runId).metadata).toMatchObject({ outcome: 'cancelled', termination: 'cancelled' });
    await writeFile(file, before);
    expect(await scene.conductor('verify', runId)).toMatchObject({ code: 0 });
  });
});

describe.runIf(sandboxHere.ok)('a .tnh that is read-only', () => {
  test('is named by every command that would write there, and nothing is changed', async ({ openScene }) => {
    const scene = await openScene();
    const runId = await waitingRun(scene);
    const tnh = join(scene.repo.root, '.tnh');
    const through = ['bwrap', '--dev-bind', '/', '/', '--ro-bind', tnh, tnh];
    const state = async () => ({
      files: (await readdir(tnh, { recursive: true })).sort(),
      refs: await scene.repo.git('for-each-ref', '--format=%(refname)'),
    });
    const before = await state();
    const refusals = [
      [
        ['run', fixture('success')],
        2,
        /the run directory can't be created: .*\/\.tnh\/run.* can't be written: /,
      ],
      [['approve', runId, '--as', 'ann'], 1, /\.tnh\/run\/.* can't be written: its file system is read-only/],
      [['resume', runId], 1, /the run stopped: .* can't be written: its file system is read-only/],
      [['cancel', runId], 1, /can't be written: its file system is read-only/],
      [['init'], 2, /\.tnh\/workflows.* can't be /],
      [['work', 'labels'], 1, /\.tnh\/work can't be written: the folder cannot be created/],
    ] as const;
    for (const [args, code, message] of refusals) {
      const refused = await scene.cli.run(args, { through });
      expect(refused).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(message) });
      expect(refused.stderr).toMatch(/^ {2}help: .*writable/m);
    }
    expect(await scene.cli.run(['status', runId], { through })).toMatchObject({ code: 0, stderr: '' });
    expect(await state()).toEqual(before);
  });
});

describe('a copy of the repository', () => {
  test('can neither continue nor remove the workspace of a run of the original', async ({ openScene }) => {
    const scene = await openScene();
    const runId = await waitingRun(scene);
    const copy = `${scene.home}/copy`;
    await cp(scene.repo.root, copy, { recursive: true, verbatimSymlinks: true });
    for (const command of ['approve', 'resume']) {
      const refused = await scene.conductor(command, runId, '--repo', copy);
      expect(refused).toMatchObject({ code: 1, stdout: '' });
      expect(refused.stderr).toContain(`${scene.checkout(runId)} belongs to the run in ${scene.repo.root}`);
    }
    expect(await scene.conductor('cancel', runId, '--repo', copy)).toMatchObject({ code: 0 });
    const cleaned = await scene.conductor('clean', '--keep-runs', '0', '--repo', copy);
    expect(cleaned).toMatchObject({ code: 0 });
    expect(cleaned.stderr).toContain(`stays: it belongs to the run in ${scene.repo.root}`);
    expect(await readdir(join(copy, '.tnh/run'))).not.toContain(runId);
    expect(await scene.conductor('approve', runId, '--resume')).toMatchObject({ code: 0 });
    expect(scene.record(runId).eventsOf('notice_recorded')).toEqual([]);
  });
});

describe('a repository that was moved', () => {
  test('continues its run in the same workspace, and finds what was kept of others', async ({
    openScene,
  }) => {
    const scene = await openScene();
    const runId = await waitingRun(scene);
    const undone = (await scene.run('rollback-pre-run')).runId;
    const { root } = scene.repo;
    const moved = `${root}-moved`;
    await rename(root, moved);
    try {
      const there = (...args: readonly string[]) => scene.cli.run(args, { cwd: moved });
      const { code, stderr } = await there('approve', runId, '--resume');
      expect(code, stderr).toBe(0);
      expect((await there('diff', runId, '--stat')).stdout).toContain('answer.txt');
      expect((await there('undo', undone, '--list')).stdout).toContain('undo@1');
      expect((await there('worktree', 'list')).stdout).toContain(scene.checkout(undone));
    } finally {
      await rename(moved, root);
    }
    expect(scene.record(runId).finalState).toBe('completed success gate_approved\n');
    expect((await scene.conductor('undo', undone, '--dry-run')).stdout).toContain(scene.checkout(undone));
  });
});

describe('a configuration that moves the workspaces', () => {
  test('leaves those of earlier runs where they are, and they are still found', async ({ openScene }) => {
    const scene = await openScene();
    const { runId } = await scene.run('rollback-pre-run');
    const env = { CONDUCTOR_PATHS_WORKSPACES: join(scene.home, 'elsewhere') };
    const listed = await scene.cli.run(['worktree', 'list'], { env });
    expect(listed.stdout).toContain(scene.checkout(runId));
    expect(await scene.cli.run(['undo', runId, 'undo'], { env })).toMatchObject({ code: 0 });
    expect(await scene.inCheckout(runId, 'answer.txt')).toBe('42\n');
  });
});
