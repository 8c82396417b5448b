import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { GitRepo } from '../../testing/git-repo.ts';
import { CONFIG, fixture, oneAgentStep, type Scene, test } from './scene.ts';

/** Staged, partly staged, unstaged, deleted, untracked, ignored and stashed work, all at once. */
async function makeDirty(repo: GitRepo): Promise<void> {
  await repo.write('.gitignore', '*.log\n');
  await repo.git('add', '.gitignore');
  await repo.git('commit', '--quiet', '--message=ignore');
  await repo.write('keep/old.txt', 'for later\n');
  await repo.git('stash', 'push', '--quiet');
  await repo.write('answer.txt', 'staged\n');
  await repo.git('add', 'answer.txt');
  await repo.write('answer.txt', 'staged, then edited\n');
  await repo.write('staged.txt', 'new\n');
  await repo.git('add', 'staged.txt');
  await repo.git('rm', '--quiet', '--cached', 'image.bin');
  await repo.write('a file with "quotes" and ünicode.txt', 'untracked\n');
  await repo.write('noise.log', 'ignored\n');
}

async function statusOf({ repo }: Scene): Promise<string> {
  return repo.git('status', '--porcelain=v1', '-z');
}

/** Each scene's checkout, refs, index, stash, worktrees and branches are compared after the test. */
describe("the person's checkout", () => {
  for (const workflow of ['success', 'unsafe', 'gate'])
    test.concurrent(`is untouched when dirty (${workflow})`, async ({ openScene }) => {
      const scene = await openScene({ prepare: makeDirty });
      const before = await statusOf(scene);
      const { runId } = await scene.run(workflow);
      expect(scene.record(runId).events.length).toBeGreaterThan(3);
      expect(await statusOf(scene)).toBe(before);
      expect(before.split('\0').length).toBeGreaterThan(5);
    });

  test.concurrent('does not reach the run: it starts from the commit', async ({ openScene }) => {
    const scene = await openScene({ prepare: makeDirty });
    const { runId } = await scene.run('gate-approvers');
    expect(await scene.inWorktree(runId, 'answer.txt')).toBe('?\n');
  });

  test.concurrent('is untouched on a branch that an agent commits to', async ({ openScene }) => {
    const scene = await openScene();
    await scene.repo.write('../w.yaml', oneAgentStep('committer', '"write answer.txt 42\\ncommit"'));
    const { code, stdout } = await scene.conductor('run', '../w.yaml');
    const record = scene.record(stdout.trim());
    expect(record.eventsOf('policy_violation').map(({ payload }) => payload.class)).toEqual([
      'forbidden_operation',
    ]);
    expect(code).toBe(5);
    expect(record.finalState).toBe('failed policy completed\n');
  });

  test.concurrent('has a status that stays the same when it has a .tnh/.gitignore of its own', async ({
    openScene,
  }) => {
    const scene = await openScene({ files: { '.tnh/.gitignore': '# nothing\n' } });
    const before = await statusOf(scene);
    await scene.run('unverified');
    expect(await statusOf(scene)).toBe(before);
  });

  test.concurrent('has a status that stays the same when it has no .tnh', async ({ openScene }) => {
    const scene = await openScene({
      prepare: async (repo) => {
        await repo.git('rm', '-rq', '.tnh');
        await repo.git('commit', '--quiet', '--message=without');
      },
    });
    const before = await statusOf(scene);
    const { code } = await scene.run('gate-approvers');
    expect(code).toBe(3);
    expect(await statusOf(scene)).toBe(before);
  });

  test.concurrent('has a status that stays the same when the workflow moves its runs', async ({
    openScene,
  }) => {
    const scene = await openScene();
    const before = await statusOf(scene);
    const moved = oneAgentStep('moved', 'write answer.txt 42').replace(
      'steps:',
      'defaults: { artifacts_dir: out/runs }\nsteps:',
    );
    await scene.repo.write('../w.yaml', moved);
    const { code, stdout } = await scene.conductor('run', '../w.yaml');
    expect(code).toBe(7);
    expect(await statusOf(scene)).toBe(before);
    const shown = JSON.parse((await scene.conductor('show', stdout.trim(), '--json')).stdout);
    expect(
      await readFile(join(scene.repo.root, 'out/runs', shown.run_id, 'final-state.txt'), 'utf8'),
    ).toMatch(/^completed/);
  });

  for (const paths of [
    { runs: '../elsewhere/runs', worktrees: '../elsewhere/trees' },
    { runs: 'var/runs', worktrees: 'var/trees' },
  ])
    test.concurrent(`has a status that stays the same when runs go to ${paths.runs}`, async ({
      openScene,
    }) => {
      const scene = await openScene({ paths, config: `${CONFIG}paths: ${JSON.stringify(paths)}\n` });
      const before = await statusOf(scene);
      const { code, runId } = await scene.run('success');
      expect(code).toBe(0);
      expect(scene.runIds()).toEqual([runId]);
      expect(await statusOf(scene)).toBe(before);
    });

  test.concurrent('may be a subfolder: the run is of the whole repository', async ({ openScene }) => {
    const scene = await openScene();
    const result = await scene.cli.run(['run', fixture('success')], { cwd: join(scene.repo.root, 'keep') });
    expect(result.code).toBe(0);
    expect(scene.runIds()).toEqual([result.stdout.trim()]);
  });

  test.concurrent('serves several runs at once, each with a worktree and a branch of its own', async ({
    openScene,
  }) => {
    const scene = await openScene();
    const runs = await Promise.all([scene.run('success'), scene.run('partial'), scene.run('unsafe')]);
    expect(runs.map(({ code }) => code)).toEqual([0, 4, 5]);
    expect(new Set(runs.map(({ runId }) => runId)).size).toBe(3);
  });
});

describe('what a run starts from', () => {
  test.concurrent('another commit than HEAD, by --base-ref', async ({ openScene }) => {
    const scene = await openScene({
      prepare: async (repo) => {
        await repo.git('branch', 'older');
        await repo.write('answer.txt', 'newer\n');
        await repo.git('commit', '--quiet', '--all', '--message=newer');
      },
    });
    const { runId } = await scene.run('gate-approvers', '--base-ref', 'older');
    expect(await scene.inWorktree(runId, 'answer.txt')).toBe('?\n');
    const sha = (await scene.repo.git('rev-parse', 'older')).trim();
    expect(scene.record(runId).metadata.workspace).toMatchObject({ base_ref: 'older', base_sha: sha });
  });

  test.concurrent('a workflow of the repository by its id, with an input for its prompt', async ({
    openScene,
  }) => {
    const workflow = oneAgentStep('mine', 'task.implement.v1\n    inputs: [task]');
    const scene = await openScene({ files: { '.tnh/workflows/mine.yaml': workflow } });
    const refused = await scene.conductor('run', 'mine');
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toMatch(/task/);
    const { code, stdout } = await scene.conductor(
      'run',
      'mine',
      '--input',
      'task=write answer.txt a=b\nexit 0',
    );
    expect(code).toBe(7);
    expect(await scene.inWorktree(stdout.trim(), 'answer.txt')).toBe('a=b\n');
  });
});

describe('what agents and validators get', () => {
  test.concurrent('no secret of the environment, only what the configuration names', async ({
    openScene,
  }) => {
    const scene = await openScene();
    await scene.repo.write(
      '../w.yaml',
      `workflow_id: curious
version: 1
description: Agent and validator write down what they see.
entry_step: look
steps:
  - id: look
    opcode: RUN_AGENT
    agent: actor
    prompt: environment agent.json
    routes: { completed: check, error: STOP, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP }
  - id: check
    opcode: RUN_VALIDATION
    run: [{ id: curious, kind: script, entrypoint: tools/act.mjs, args: [environment validator.json] }]
    routes: { completed: STOP, error: STOP, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP }
`,
    );
    const env = { SECRET_TOKEN: 'hunter2', TERM: 'xterm' };
    const { code, stdout } = await scene.cli.run(['run', '../w.yaml'], { env });
    expect(code).toBe(0);
    for (const file of ['agent.json', 'validator.json']) {
      const seen = JSON.parse(await scene.inWorktree(stdout.trim(), file));
      const own = Object.keys(seen).filter((name) => !name.startsWith('CONDUCTOR_'));
      expect(own.sort()).toEqual(['HOME', 'LANG', 'PATH', 'TERM']);
    }
  });
});
