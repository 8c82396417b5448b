import { existsSync, readFileSync } from 'node:fs';
import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { fixture, type Scene, test, until } from './scene.ts';

/** What a process must leave alone if it can't see the workspace of a run. */
async function traces({ repo, workspacesDir, record }: Scene, runId: string) {
  const { path } = record(runId);
  const files = await readdir(path, { recursive: true });
  return {
    log: readFileSync(join(path, 'events.ndjson'), 'utf8'),
    status: readFileSync(join(path, 'status.json'), 'utf8'),
    // The lease of a driver comes and goes.
    // A kill can leave the temporary file of a write, which the next process removes.
    files: files.filter((name) => !/^driver|lease|lock|\.tmp$/.test(name)).sort(),
    refs: await repo.git('for-each-ref'),
    workspaces: await readdir(workspacesDir),
  };
}

/** As for a container that shares the repository, but not the folder of workspaces. */
async function hide(
  { workspacesDir }: Scene,
  runId: string,
): Promise<{ readonly show: () => Promise<void> }> {
  const [folder, elsewhere] = [join(workspacesDir, runId), join(workspacesDir, '..', 'elsewhere')];
  await rename(folder, elsewhere);
  return { show: () => rename(elsewhere, folder) };
}

async function expectRefusal(scene: Scene, runId: string, ...command: readonly string[]): Promise<void> {
  const before = await traces(scene, runId);
  const { code, stderr } = await scene.conductor(...command);
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(
      `the workspace ${scene.checkout(runId)} of run ${runId} isn't visible from this machine or container`,
    ),
  ]);
  expect(await traces(scene, runId)).toEqual(before);
}

describe("a process that can't see the workspace of a run", () => {
  test('neither answers its gate nor resumes it, and changes nothing', async ({ openScene }) => {
    const scene = await openScene();
    const { runId } = await scene.run('gate');
    const hidden = await hide(scene, runId);
    await expectRefusal(scene, runId, 'approve', runId);
    await expectRefusal(scene, runId, 'approve', runId, '--resume');
    await expectRefusal(scene, runId, 'resume', runId);
    await hidden.show();
    expect((await scene.conductor('approve', runId)).code).toBe(0);
    const again = await hide(scene, runId);
    await expectRefusal(scene, runId, 'resume', runId);
    await again.show();
    expect((await scene.conductor('resume', runId)).code).toBe(0);
    expect(await scene.inCheckout(runId, 'answer.txt')).toBe('42\n');
  });

  test('does not resume it if it was interrupted before anything changed', async ({ openScene }) => {
    const scene = await openScene();
    const driver = scene.cli.start(['run', fixture('interrupted')]);
    const runId = await until(() => driver.stdout().trim() || null);
    await until(() => scene.record(runId).eventsOf('runner_started').length > 0);
    driver.kill('SIGKILL');
    await driver.done;
    const hidden = await hide(scene, runId);
    await expectRefusal(scene, runId, 'resume', runId);
    await hidden.show();
    expect((await scene.conductor('cancel', runId)).code).toBe(0);
  });
});

describe('a process whose own state folder is another one', () => {
  test('resumes a run in the workspace that its record names', async ({ openScene }) => {
    const scene = await openScene();
    const { runId } = await scene.run('gate');
    const elsewhere = join(scene.home, 'elsewhere');
    const env = { XDG_STATE_HOME: elsewhere };
    const { code, stderr } = await scene.cli.run(['approve', runId, '--resume'], { env });
    expect(code, stderr).toBe(0);
    expect(scene.record(runId).metadata.workspace.worktree_path).toBe(scene.checkout(runId));
    const made = existsSync(elsewhere) ? await readdir(elsewhere, { recursive: true }) : [];
    expect(made.filter((name) => name.includes(runId))).toEqual([]);
  });
});
