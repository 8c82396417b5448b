import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import type { GitRepo } from '../../testing/git-repo.ts';
import { sandboxHere } from '../integration/sandbox-here.ts';
import { endOf, type RunEnd } from '../kills/baseline.ts';
import { agentStep, config, GATE, runInline, VALIDATE } from './inline-workflow.ts';
import type { RunRecordOnDisk } from './run-record.ts';
import { type Scene, type SceneOptions, test, until } from './scene.ts';

/** Agents, validations, a revision, a rollback and a gate. */
const WORKFLOW = fileURLToPath(new URL('../kills/workflow.yaml', import.meta.url));

/**
 * What a user and their tools do in a checkout, repeatedly. Any command that fails ends it: a run must not get in
 * the way of the person either. `topic` holds the very change that the agents make, and is then pruned.
 */
const BUSY = `set -e
round=0
while ! test -e "$HOME/stop"; do
  round=$((round + 1))
  echo "draft $round" > draft.txt
  echo "old $round" >> keep/old.txt
  git add --all
  git commit -qm "work $round"
  git commit -q --amend -m "work $round, amended"
  git switch -qc topic
  echo 42 > answer.txt
  git commit -qam "topic $round"
  git switch -q main
  git branch -qD topic
  echo "half done $round" > keep/old.txt
  git stash -q
  git stash pop -q
  git checkout -q keep/old.txt
  echo "never mind $round" > keep/old.txt
  git stash -q
  git stash drop -q
  git -C ../remote commit -q --allow-empty -m "theirs $round"
  git fetch -q origin
  git tag "round-$round"
  git reflog expire --expire=now --all
  git gc -q --prune=now
  echo "$round" > "$HOME/rounds"
done
`;

interface Person {
  readonly rounds: () => number;
  readonly stop: () => Promise<void>;
}

/** Starts the script in the checkout; the first round is over when this returns. */
async function startPerson({ repo, home }: Scene): Promise<Person> {
  const child = spawn('sh', ['-c', BUSY], {
    cwd: repo.root,
    env: { PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: '1' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const stderr: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  const file = join(home, 'rounds');
  const rounds = () => (existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0);
  await until(() => rounds() > 0 || hasEnded(child));
  return {
    rounds,
    stop: async () => {
      await writeFile(join(home, 'stop'), '');
      if (!hasEnded(child)) await once(child, 'close');
      expect([child.exitCode, Buffer.concat(stderr).toString('utf8')]).toEqual([0, '']);
    },
  };
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** A checkout with a remote, whose git packs nothing by itself. */
async function addRemote(repo: GitRepo): Promise<void> {
  await repo.git('config', 'gc.auto', '0');
  await repo.git('clone', '--quiet', '.', '../remote');
  await repo.git('-C', '../remote', 'config', 'user.name', 'Other');
  await repo.git('-C', '../remote', 'config', 'user.email', 'other@example.invalid');
  await repo.git('remote', 'add', 'origin', '../remote');
}

/** Runs the workflow from the same commit to its end, with an answer to its gate. */
async function runToEnd(
  scene: Scene,
  base: string,
): Promise<{ readonly end: RunEnd; readonly record: RunRecordOnDisk }> {
  const { code, stdout, stderr } = await scene.conductor('run', WORKFLOW, '--base-ref', base);
  expect(code, stderr).toBe(3);
  const runId = stdout.trim();
  const resumed = await scene.conductor('approve', runId, '--resume');
  expect(resumed.code, resumed.stderr).toBe(0);
  const record = scene.record(runId);
  return { end: await endOf(scene, record), record };
}

describe('a run in a checkout that the user works in', () => {
  const inspectRun = async (
    openScene: (options?: SceneOptions) => Promise<Scene>,
    sandbox: 'off' | 'required',
  ) => {
    const alone = await openScene({ sandbox });
    const wanted = (await runToEnd(alone, 'main')).end;
    expect(wanted.finalState).toBe('completed success completed\n');
    const scene = await openScene({ sandbox, prepare: addRemote, isBusy: true });
    const base = (await scene.repo.git('rev-parse', 'main')).trim();
    const person = await startPerson(scene);
    const before = person.rounds();
    const { end, record } = await runToEnd(scene, base);
    expect(person.rounds()).toBeGreaterThan(before);
    await person.stop();
    expect(end).toEqual(wanted);
    expect(record.eventsOf('policy_violation')).toEqual([]);
    return record;
  };

  test('ends as if it were alone, and names what changed', async ({ openScene }) => {
    const record = await inspectRun(openScene, 'off');
    const notices = record.eventsOf('notice_recorded').map(({ payload }) => payload);
    expect(new Set(notices.map(({ kind }) => kind))).toEqual(new Set(['checkout_changed']));
    const subjects = notices.map(({ subject }) => subject);
    expect(subjects).toEqual(expect.arrayContaining(['refs/heads/main', 'refs/remotes/origin/main']));
    expect(subjects.filter((subject) => subject.includes('conductor'))).toEqual([]);
  });

  test.skipIf(!sandboxHere.ok)(
    'ends the same in a sandbox, where nothing happens that could be reported',
    async ({ openScene }) => {
      const record = await inspectRun(openScene, 'required');
      expect(record.eventsOf('notice_recorded')).toEqual([]);
    },
  );
});

/** Waits for `go` in the home folder, after it has said that it started. */
const WAIT = 'touch "$HOME/started"; until test -e "$HOME/go"; do sleep 0.05; done';

describe('a commit that no ref leads to any more', () => {
  test('is kept when a branch was amended, and `undo --ref` restores it', async ({ openScene }) => {
    const scene = await openScene({ config: config(`${WAIT}; echo 42 > answer.txt`) });
    const { repo, home } = scene;
    const old = (await repo.git('rev-parse', 'main')).trim();
    const started = runInline(scene, agentStep('STOP'), '--base-ref', 'main');
    await until(() => existsSync(join(home, 'started')));
    await repo.git('commit', '--quiet', '--amend', '--message=start, amended');
    await repo.git('gc', '--quiet', '--prune=now');
    const amended = (await repo.git('rev-parse', 'main')).trim();
    await writeFile(join(home, 'go'), '');
    const { runId } = await started;
    const salvage = `refs/conductor/salvage/${runId}.ref/heads/main`;
    expect(
      scene
        .record(runId)
        .eventsOf('notice_recorded')
        .map(({ payload }) => payload),
    ).toMatchObject([{ subject: 'refs/heads/main', old, new: amended, salvage_ref: salvage }]);
    await repo.git('reflog', 'expire', '--expire=now', '--all');
    await repo.git('gc', '--quiet', '--prune=now');
    expect((await repo.git('rev-parse', salvage)).trim()).toBe(old);
    const undone = await scene.conductor('undo', runId, '--ref', 'main');
    expect(undone.code, undone.stderr).toBe(0);
    expect((await repo.git('rev-parse', 'main')).trim()).toBe(old);
    expect(await repo.git('log', '--all', '--format=%H')).toContain(amended);
  });
});

describe('the branch of a run that the user has checked out', () => {
  test('stays where it is, and the result goes to a salvage ref that the notice names', async ({
    openScene,
  }) => {
    const agent = 'echo "$CONDUCTOR_STEP_ID" >> answer.txt';
    const scene = await openScene({ config: config(agent), isBusy: true });
    const { repo } = scene;
    const second = agentStep('STOP').replace('id: a,', 'id: b,');
    const { code, runId } = await runInline(
      scene,
      agentStep('g') + GATE.replace('gate_approved: STOP', 'gate_approved: b') + second,
    );
    expect(code).toBe(3);
    const branch = scene.record(runId).metadata.workspace.branch_name;
    const shown = (await repo.git('rev-parse', branch)).trim();
    await repo.git('switch', '--quiet', branch);
    const before = await repo.git('status', '--porcelain');
    const { code: ended, stderr } = await scene.conductor('approve', runId, '--resume');
    expect(ended, stderr).toBe(7);
    expect((await repo.git('rev-parse', 'HEAD')).trim()).toBe(shown);
    expect(await repo.git('status', '--porcelain')).toBe(before);
    const salvage = `refs/conductor/salvage/${runId}`;
    expect(await repo.git('show', `${salvage}:answer.txt`)).toBe('?\na\nb\n');
    expect(await repo.git('log', '--format=%H', `main..${salvage}`)).toMatch(/^[0-9a-f]{40}\n$/);
    const message = `the branch ${branch} is checked out in ${repo.root}, so conductor left it alone; the result is at ${salvage}`;
    const notices = scene
      .record(runId)
      .eventsOf('notice_recorded')
      .map(({ payload }) => payload.message);
    expect(notices).toEqual([message]);
    expect(stderr).toContain(message);
    expect((await scene.conductor('show', runId)).stdout).toContain(message);
    await repo.git('switch', '--quiet', 'main');
  });
});

describe('objects that a run shares with an abandoned branch of the user', () => {
  const prepare = async (repo: GitRepo) => {
    await repo.git('switch', '--quiet', '--create', 'lonely');
    await repo.write('answer.txt', '42\n');
    await repo.git('commit', '--quiet', '--all', '--message=The same answer');
    await repo.git('switch', '--quiet', 'main');
  };
  const prune = async (repo: GitRepo) => {
    await repo.git('branch', '-D', 'lonely');
    await repo.git('reflog', 'expire', '--expire=now', '--all');
    await repo.git('gc', '--quiet', '--prune=now');
  };

  test('stay in the run when the user prunes them', async ({ openScene }) => {
    const scene = await openScene({ config: config('echo 42 > answer.txt', WAIT), prepare, isBusy: true });
    const { repo, home } = scene;
    const started = runInline(scene, agentStep('v') + VALIDATE('STOP'), '--no-baseline');
    await until(() => existsSync(join(home, 'started')));
    await prune(repo);
    await writeFile(join(home, 'go'), '');
    const { runId, stderr, code } = await started;
    expect(code, stderr).toBe(0);
    const { branch_name } = scene.record(runId).metadata.workspace;
    expect(await repo.git('show', `${branch_name}:answer.txt`)).toBe('42\n');
  });

  test('are restored by a rollback after the user pruned them', async ({ openScene }) => {
    const scene = await openScene({
      config: config(
        `[ "$CONDUCTOR_STEP_ID" = a ] || { ${WAIT}; }; echo "$((41 + $CONDUCTOR_ATTEMPT))" > answer.txt`,
      ),
      prepare,
      isBusy: true,
    });
    const { repo, home } = scene;
    const second = agentStep('r').replace('id: a,', 'id: b,').replace('do it now', 'do it again');
    const back = `  - { id: r, opcode: ROLLBACK, target: pre_step, routes: { completed: STOP, error: STOP, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP } }\n`;
    const started = runInline(scene, agentStep('b') + second + back);
    await until(() => existsSync(join(home, 'started')));
    await prune(repo);
    await writeFile(join(home, 'go'), '');
    const { runId, stderr } = await started;
    const record = scene.record(runId);
    expect(record.eventsOf('rollback_completed').length, stderr).toBe(1);
    expect(await scene.inCheckout(runId, 'answer.txt')).toBe('42\n');
  });
});
