import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { sandboxHere } from '../integration/sandbox-here.ts';
import { agentStep, config, ENDS, GATE, JUDGE, runInline, workflowOf } from './inline-workflow.ts';
import { markedProcesses } from './marked-processes.ts';
import { type Scene, type SceneOptions, test, until } from './scene.ts';

const POLICY = {
  '.tnh/policies/policy.judged.v1.yaml':
    'policy_id: policy.judged\nversion: 1\nprotected_paths: [test/**, node_modules]\n',
  '.gitignore': 'node_modules/\n',
  'test/judge.sh': 'grep -qx 42 answer.txt\n',
};
const FINDING = 'protected_path_changed: test/judge.sh';
const CHEAT = 'echo 41 > answer.txt; echo "exit 0" > test/judge.sh';
const JUDGED = 'policy: policy.judged.v1, ';

function validateStep(run: string, next: string): string {
  return `  - { id: v, opcode: RUN_VALIDATION, run: [${run}], routes: { completed: ${next}, error: ${next}, ${ENDS} } }\n`;
}

const script = (id: string, command: string, more = '') =>
  `{ id: ${id}, kind: script, entrypoint: sh, args: [-c, ${JSON.stringify(command)}, "\${worktree}"]${more} }`;

async function runWith(
  scene: Scene,
  { run = 'probe', policy = JUDGED, after = JUDGE, next = 'j' }: Partial<Record<string, string>> = {},
) {
  const ran = await runInline(scene, agentStep('v', policy) + validateStep(run, next) + after);
  return { ...ran, record: scene.record(ran.runId) };
}

const open = (agent: string, probe = 'sh test/judge.sh'): SceneOptions => ({
  config: config(agent, probe),
  files: POLICY,
});

describe('an agent that edits its judge', () => {
  test.concurrent('fails before the judge of the base, and the planner is told what it changed', async ({
    openScene,
  }) => {
    const scene = await openScene(open(CHEAT));
    const { code, record, runId, stderr } = await runWith(scene);
    expect(code).toBe(4);
    expect(record.eventsOf('decision_recorded')[0]?.payload).toMatchObject({
      status: 'partial',
      blocker_codes: ['validator_failed:probe'],
    });
    expect(record.eventsOf('policy_violation')).toEqual([]);
    expect(JSON.parse(record.evidence('j', 'planner_input'))).toMatchObject({
      evidence: { policy_events: [FINDING] },
    });
    expect(JSON.parse(record.evidence('v', 'policy_summary')).notes).toContain(FINDING);
    expect(stderr).toContain(FINDING);
    expect((await scene.conductor('show', runId)).stdout).toContain(FINDING);
    expect(JSON.parse((await scene.conductor('show', runId, '--json')).stdout)).toMatchObject({
      findings: [FINDING],
    });
    expect(await scene.inWorktree(runId, 'test/judge.sh')).toBe('exit 0\n');
  });

  test.concurrent('that does its work as well passes, with the finding and without a blemish', async ({
    openScene,
  }) => {
    const scene = await openScene(open('echo 42 > answer.txt; echo "exit 0" > test/judge.sh'));
    const { code, record } = await runWith(scene);
    expect(code).toBe(0);
    expect(record.eventsOf('decision_recorded')[0]?.payload).toMatchObject({
      status: 'success',
      risk_flags: [],
    });
    expect(JSON.parse(record.evidence('j', 'planner_input'))).toMatchObject({
      evidence: { policy_events: [FINDING] },
    });
  });

  test.concurrent('is shown to the person at a gate', async ({ openScene }) => {
    const scene = await openScene(open(CHEAT));
    const { code, record, runId } = await runWith(scene, { after: GATE, next: 'g' });
    expect(code).toBe(3);
    expect(JSON.parse(record.evidence('g', 'gate_request'))).toMatchObject({ findings: [FINDING] });
    expect(record.evidence('g', 'gate_request_text')).toContain(`## Findings\n\n- ${FINDING}`);
    expect((await scene.conductor('show', runId)).stdout).toContain(`finding ${FINDING}`);
  });

  test.concurrent('passes where nothing is protected', async ({ openScene }) => {
    const scene = await openScene(open(CHEAT));
    const { code, record } = await runWith(scene, { policy: '' });
    expect(code).toBe(0);
    expect(JSON.parse(record.evidence('j', 'planner_input'))).toMatchObject({
      evidence: { policy_events: [] },
    });
  });
});

describe('a conductor that is killed while validators judge', () => {
  /** Stays until somebody says otherwise, in a file beside all worktrees. */
  const WAIT = 'sh test/judge.sh && until test -e ../go.txt; do sleep 0.05; done';

  async function startStuck(scene: Scene) {
    const path = join(scene.home, 'workflow.yaml');
    const steps = agentStep('v', JUDGED) + validateStep('probe', 'j') + JUDGE;
    await writeFile(path, workflowOf(steps));
    const driver = scene.cli.start(['run', path]);
    const runId = await until(() => scene.runIds()[0]);
    const judged = `${scene.worktree(runId)}.judge`;
    await until(() => existsSync(join(judged, 'answer.txt')) && markedProcesses(runId).length > 0);
    driver.kill('SIGKILL');
    await driver.done;
    expect(existsSync(judged)).toBe(true);
    return { runId, judged };
  }

  test.concurrent('leaves a checkout that is listed with its run, and that resume replaces', async ({
    openScene,
  }) => {
    const scene = await openScene(open('echo 42 > answer.txt', WAIT));
    const { runId, judged } = await startStuck(scene);
    const listed = (await scene.conductor('worktree', 'list')).stdout.trim().split('\n');
    expect(new Set(listed.map((line) => line.split(/\s+/).at(-1)))).toEqual(
      new Set([scene.worktree(runId), judged]),
    );
    await writeFile(join(scene.worktree(runId), '../go.txt'), '');
    expect((await scene.conductor('resume', runId)).code).toBe(0);
    await rm(join(scene.worktree(runId), '../go.txt'));
  });

  test.concurrent('leaves nothing behind once the run is cancelled', async ({ openScene }) => {
    const scene = await openScene(open('echo 42 > answer.txt', WAIT));
    const { runId, judged } = await startStuck(scene);
    await scene.conductor('cancel', runId);
    expect(existsSync(judged)).toBe(false);
  });
});

describe('validators of protected work', () => {
  test.concurrent('run beside the worktree, and what they leave there is no part of the change', async ({
    openScene,
  }) => {
    const scene = await openScene(
      open('echo 42 > answer.txt; mkdir node_modules; echo x > node_modules/evil.js'),
    );
    const look =
      'pwd; echo "$0"; ls node_modules; touch left.txt; mkdir -p deep && cat answer.txt > deep/out.txt; test -d .tnh/run/*/harness/';
    const { code, record, runId } = await runWith(scene, {
      run: `${script('look', look, ', artifacts: [deep/*.txt]')}, ${script('again', 'cat left.txt', ', cwd: test')}`,
    });
    const judged = `${scene.worktree(runId)}.judge`;
    expect(await readFile(join(record.path, 'artifacts/v/look.stdout.txt'), 'utf8')).toBe(
      `${judged}\n${judged}\n`,
    );
    expect(await readFile(join(record.path, 'artifacts/v/look/deep/out.txt'), 'utf8')).toBe('42\n');
    expect(code).toBe(4);
    expect(existsSync(judged)).toBe(false);
    expect(existsSync(join(scene.worktree(runId), 'left.txt'))).toBe(false);
    expect(record.eventsOf('step_completed').map(({ payload }) => payload.changed)).toContain(true);
    expect(record.eventsOf('step_failed')[0]?.payload).toMatchObject({ changed: false });
    expect(record.eventsOf('policy_violation')).toEqual([]);
  });

  test.concurrent('are watched like others: a branch they make is held against them', async ({
    openScene,
  }) => {
    const scene = await openScene(open('echo 42 > answer.txt', 'git branch made-by-validator'));
    const { code, record } = await runWith(scene);
    expect(code).toBe(5);
    expect(record.eventsOf('policy_violation')[0]?.payload).toMatchObject({
      subject: 'refs/heads/made-by-validator',
    });
    await scene.repo.git('branch', '-D', 'made-by-validator');
  });

  test.skipIf(!sandboxHere.ok)(
    'see neither the worktree of the agent nor a way to write it, in a sandbox',
    async ({ openScene }) => {
      const scene = await openScene({
        ...open('echo 42 > answer.txt', 'sh test/judge.sh && touch here.txt && ls ..'),
        sandbox: 'required',
      });
      const { code, record, runId } = await runWith(scene);
      expect(code).toBe(0);
      const listed = await readFile(join(record.path, 'artifacts/v/probe.stdout.txt'), 'utf8');
      expect(listed).toBe(`${runId}.judge\n`);
    },
  );
});
