import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { GitRepo } from '../../testing/git-repo.ts';
import { agentStep, config, GATE, runInline, VALIDATE } from './inline-workflow.ts';
import type { RunRecordOnDisk } from './run-record.ts';
import { CONFIG, fixture, oneAgentStep, type Scene, test, until } from './scene.ts';

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

/** After each test the scene compares checkout, refs, index, stash, configuration and `git worktree list`. */
describe("the user's checkout", () => {
  for (const workflow of ['success', 'unsafe', 'gate'])
    test(`is untouched when dirty (${workflow})`, async ({ openScene }) => {
      const scene = await openScene({ prepare: makeDirty });
      const before = await statusOf(scene);
      const { runId } = await scene.run(workflow);
      expect(scene.record(runId).events.length).toBeGreaterThan(3);
      expect(await statusOf(scene)).toBe(before);
      expect(before.split('\0').length).toBeGreaterThan(5);
    });

  test('does not reach the run: it starts from the commit', async ({ openScene }) => {
    const scene = await openScene({ prepare: makeDirty });
    const { runId } = await scene.run('gate-approvers');
    expect(await scene.inCheckout(runId, 'answer.txt')).toBe('?\n');
  });

  test('does not get the commits that an agent makes in its workspace', async ({ openScene }) => {
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

  test('has a status that stays the same when it has a .tnh/.gitignore of its own', async ({ openScene }) => {
    const scene = await openScene({ files: { '.tnh/.gitignore': '# nothing\n' } });
    const before = await statusOf(scene);
    await scene.run('unverified');
    expect(await statusOf(scene)).toBe(before);
  });

  test('has a status that stays the same when it has no .tnh', async ({ openScene }) => {
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

  test('has a status that stays the same when the workflow moves its runs', async ({ openScene }) => {
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

  for (const runs of ['../elsewhere/runs', 'var/runs'])
    test(`has a status that stays the same when runs go to ${runs}`, async ({ openScene }) => {
      const scene = await openScene({
        runs,
        config: `${CONFIG}paths: { runs: ${runs}, workspaces: ~/elsewhere }\n`,
        workspaces: 'elsewhere',
      });
      const before = await statusOf(scene);
      const { code, runId } = await scene.run('success');
      expect(code).toBe(0);
      expect(scene.runIds()).toEqual([runId]);
      expect(await statusOf(scene)).toBe(before);
    });

  test('may not contain the workspaces: packages and tests would be found from there', async ({
    openScene,
  }) => {
    const scene = await openScene({ config: `${CONFIG}paths: { workspaces: var/workspaces }\n` });
    const { code, stderr } = await scene.run('success');
    expect(code).toBe(2);
    expect(stderr).toContain('are inside the repository: programs there would find its packages');
    expect(scene.runIds()).toEqual([]);
  });

  test('keeps `paths.worktrees` of an earlier version without effect, with a warning', async ({
    openScene,
  }) => {
    const scene = await openScene({ config: `${CONFIG}paths: { worktrees: var/trees }\n` });
    const { code, stderr } = await scene.run('success');
    expect(code).toBe(0);
    expect(stderr).toContain('paths.workspaces');
    expect(existsSync(join(scene.repo.root, 'var'))).toBe(false);
  });

  test('may be a subfolder: the run is of the whole repository', async ({ openScene }) => {
    const scene = await openScene();
    const result = await scene.cli.run(['run', fixture('success')], { cwd: join(scene.repo.root, 'keep') });
    expect(result.code).toBe(0);
    expect(scene.runIds()).toEqual([result.stdout.trim()]);
  });

  test('serves several runs at once, each with a workspace and a branch of its own', async ({
    openScene,
  }) => {
    const scene = await openScene();
    const runs = await Promise.all(
      ['success', 'partial', 'unsafe'].map((name) => scene.cli.start(['run', fixture(name)]).done),
    );
    expect(runs.map(({ code }) => code)).toEqual([0, 4, 5]);
    expect(new Set(runs.map(({ stdout }) => stdout)).size).toBe(3);
  });
});

/** Waits for `go` in the home folder, after it has said that it started. */
const WAITING_AGENT =
  'touch "$HOME/started"; until test -e "$HOME/go"; do sleep 0.05; done; echo 42 > answer.txt';

describe('what the user does in the checkout while an agent works', () => {
  test('is a notice: it violates nothing and changes no status', async ({ openScene }) => {
    const scene = await openScene({ config: config(WAITING_AGENT) });
    const { repo, home } = scene;
    await repo.git('branch', 'older');
    const run = runInline(scene, agentStep('v') + VALIDATE('g') + GATE);
    await until(() => existsSync(join(home, 'started')));
    await repo.write('keep/old.txt', 'saved in an editor\n');
    await repo.write('new.txt', 'new\n');
    await repo.git('branch', 'topic');
    await repo.git('branch', '-D', 'older');
    await writeFile(join(home, 'go'), '');
    const { code, runId, stderr } = await run;
    expect(code).toBe(3);
    const record = scene.record(runId);
    expect(record.eventsOf('policy_violation')).toEqual([]);
    const head = (await repo.git('rev-parse', 'main')).trim();
    expect(noticesOf(record)).toEqual([
      ['refs/heads/older', head, null],
      ['refs/heads/topic', null, head],
      ['keep/old.txt', null, '.M'],
      ['new.txt', null, '??'],
    ]);
    const said = "changed in your checkout while `a` ran; conductor can't tell by whom";
    expect(stderr).toContain(said);
    expect(record.evidence('g', 'gate_request')).toContain(said);
    expect((await scene.conductor('show', runId)).stdout).toContain(said);
    expect((await scene.conductor('show', runId, '--json')).stdout).toContain(said);
    expect((await scene.conductor('approve', runId, '--resume')).code).toBe(0);
    await repo.git('branch', '-D', 'topic');
    await repo.write('keep/old.txt', 'old\n');
    await rm(join(repo.root, 'new.txt'));
  });

  test('loses nothing: a commit that no ref leads to any more is kept', async ({ openScene }) => {
    const scene = await openScene({ config: config(WAITING_AGENT) });
    const { repo, home } = scene;
    const lost = (await repo.git('commit-tree', '-p', 'main', '-m', 'lost', 'main^{tree}')).trim();
    await repo.git('branch', 'lonely', lost);
    const run = runInline(scene, agentStep('STOP'));
    await until(() => existsSync(join(home, 'started')));
    await repo.git('branch', '-D', 'lonely');
    await writeFile(join(home, 'go'), '');
    const { runId } = await run;
    const salvage = `refs/conductor/salvage/${runId}.ref/heads/lonely`;
    const [notice] = scene.record(runId).eventsOf('notice_recorded');
    expect(notice?.payload).toMatchObject({
      subject: 'refs/heads/lonely',
      old: lost,
      new: null,
      salvage_ref: salvage,
    });
    expect((await repo.git('rev-parse', salvage)).trim()).toBe(lost);
    expect((await scene.conductor('undo', runId, '--ref', 'refs/heads/lonely')).code).toBe(0);
    expect((await repo.git('rev-parse', 'lonely')).trim()).toBe(lost);
    await repo.git('branch', '-D', 'lonely');
  });

  test('reaches the branch of the run only at its end, and a moved one is left alone', async ({
    openScene,
  }) => {
    const scene = await openScene({ config: config('echo 42 > answer.txt') });
    const { repo } = scene;
    const { code, runId } = await runInline(scene, agentStep('g') + GATE);
    expect(code).toBe(3);
    const branch = scene.record(runId).metadata.workspace.branch_name;
    const mine = (await repo.git('commit-tree', '-p', branch, '-m', 'mine', `${branch}^{tree}`)).trim();
    await repo.git('branch', '--force', branch, mine);
    await writeFile(join(scene.checkout(runId), 'answer.txt'), '43\n');
    await scene.conductor('resume', runId);
    expect((await scene.conductor('approve', runId, '--resume')).code).toBe(7);
    expect((await repo.git('rev-parse', branch)).trim()).toBe(mine);
    const record = scene.record(runId);
    const salvage = `refs/conductor/salvage/${runId}`;
    expect((await repo.git('show', `${salvage}:answer.txt`)).trim()).toBe('43');
    const notice = record.eventsOf('notice_recorded').at(-1)?.payload;
    expect(notice).toMatchObject({ kind: 'branch_left_alone', subject: branch, salvage_ref: salvage });
  });
});

function noticesOf({ eventsOf }: RunRecordOnDisk): unknown[] {
  return eventsOf('notice_recorded').map(({ payload }) => [payload.subject, payload.old, payload.new]);
}

describe('what a run starts from', () => {
  test('another commit than HEAD, by --base-ref', async ({ openScene }) => {
    const scene = await openScene({
      prepare: async (repo) => {
        await repo.git('branch', 'older');
        await repo.write('answer.txt', 'newer\n');
        await repo.git('commit', '--quiet', '--all', '--message=newer');
      },
    });
    const { runId } = await scene.run('gate-approvers', '--base-ref', 'older');
    expect(await scene.inCheckout(runId, 'answer.txt')).toBe('?\n');
    const sha = (await scene.repo.git('rev-parse', 'older')).trim();
    expect(scene.record(runId).metadata.workspace).toMatchObject({ base_ref: 'older', base_sha: sha });
  });

  test('a workflow of the repository by its id, with an input for its prompt', async ({ openScene }) => {
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
    expect(await scene.inCheckout(stdout.trim(), 'answer.txt')).toBe('a=b\n');
  });
});

describe('what agents and validators get', () => {
  test('no secret of the environment, only what the configuration names', async ({ openScene }) => {
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
    const runId = stdout.trim();
    for (const file of [
      join(scene.checkout(runId), 'agent.json'),
      join(scene.judge(runId), 'validator.json'),
    ]) {
      const seen = JSON.parse(await readFile(file, 'utf8'));
      const own = Object.keys(seen).filter((name) => !name.startsWith('CONDUCTOR_'));
      expect(own.sort()).toEqual(['HOME', 'LANG', 'PATH', 'TERM', 'TMPDIR']);
    }
  });
});
