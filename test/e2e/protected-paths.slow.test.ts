import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
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

describe('the policy of a validation step', () => {
  test('protects paths for its validators, whatever the policy of the agent is', async ({ openScene }) => {
    const scene = await openScene(open(CHEAT));
    const own = validateStep('probe', 'j').replace('run:', `${JUDGED}run:`);
    const ran = await runInline(scene, agentStep('v') + own + JUDGE);
    const record = scene.record(ran.runId);
    expect(ran.code).toBe(4);
    expect(record.eventsOf('decision_recorded')[0]?.payload).toMatchObject({
      blocker_codes: ['validator_failed:probe'],
    });
    expect(JSON.parse(record.evidence('v', 'policy_summary'))).toMatchObject({
      requested_policy: ['policy.workspace.v1', 'policy.judged.v1'],
    });
  });
});

describe('an agent that edits the tests of its own work', () => {
  test('fails with the tests of the base, and the planner gets the list of changes', async ({
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
    expect(await scene.inCheckout(runId, 'test/judge.sh')).toBe('exit 0\n');
  });

  test('that does its work as well passes, with the finding and without a blemish', async ({ openScene }) => {
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

  test('is shown at a gate', async ({ openScene }) => {
    const scene = await openScene(open(CHEAT));
    const { code, record, runId } = await runWith(scene, { after: GATE, next: 'g' });
    expect(code).toBe(3);
    expect(JSON.parse(record.evidence('g', 'gate_request'))).toMatchObject({ findings: [FINDING] });
    expect(record.evidence('g', 'gate_request_text')).toContain(`## Findings\n\n- ${FINDING}`);
    expect((await scene.conductor('show', runId)).stdout).toContain(FINDING);
  });

  test('is flagged where nothing is protected: the checks fail with the tests of the base', async ({
    openScene,
  }) => {
    const scene = await openScene(open(CHEAT));
    const { code, record } = await runWith(scene, { policy: '' });
    expect(code).toBe(4);
    expect(record.eventsOf('decision_recorded')[0]?.payload).toMatchObject({
      status: 'needs_human',
      risk_flags: ['judge_changed'],
      blocker_codes: ['judge_changed'],
    });
    expect(JSON.parse(record.evidence('j', 'planner_input'))).toMatchObject({
      evidence: { policy_events: [], validation: { judge_changed: ['test/judge.sh'] } },
    });
  });
});

describe('a conductor that is killed while validators run', () => {
  /** Waits for a file beside the folder of workspaces, unless the answer is wrong as at the base. */
  const WAIT =
    'sh test/judge.sh && touch ../../../waits.txt && until test -e ../../../go.txt; do sleep 0.05; done';

  async function startStuck(scene: Scene) {
    const path = join(scene.home, 'workflow.yaml');
    const steps = agentStep('v', JUDGED) + validateStep('probe', 'j') + JUDGE;
    await writeFile(path, workflowOf(steps));
    const driver = scene.cli.start(['run', path]);
    const runId = await until(() => scene.runIds()[0]);
    await until(() => existsSync(join(scene.checkout(runId), '../../../waits.txt')));
    driver.kill('SIGKILL');
    await driver.done;
    return runId;
  }

  test('is followed by a resume that validates in the same checkout', async ({ openScene }) => {
    const scene = await openScene(open('echo 42 > answer.txt', WAIT));
    const runId = await startStuck(scene);
    await writeFile(join(scene.judge(runId), 'left.txt'), 'of the killed attempt\n');
    const { stdout } = await scene.conductor('worktree', 'list');
    expect(stdout.trim().split('\n')).toEqual([expect.stringContaining(scene.checkout(runId))]);
    await writeFile(join(scene.checkout(runId), '../../../go.txt'), '');
    expect((await scene.conductor('resume', runId)).code).toBe(0);
    expect(existsSync(join(scene.judge(runId), 'left.txt'))).toBe(false);
    expect(scene.record(runId).manifest('v@2')).toMatchObject({ attempt: 2 });
  });

  test('leaves no process once the run is cancelled', async ({ openScene }) => {
    const scene = await openScene(open('echo 42 > answer.txt', WAIT));
    const runId = await startStuck(scene);
    expect(markedProcesses(runId)).not.toEqual([]);
    expect((await scene.conductor('cancel', runId)).code).toBe(0);
    expect(markedProcesses(runId)).toEqual([]);
  });
});

describe('validators', () => {
  test('run beside the checkout, and what they leave there is no part of the change', async ({
    openScene,
  }) => {
    const scene = await openScene(
      open('echo 42 > answer.txt; mkdir node_modules; echo x > node_modules/evil.js'),
    );
    const look =
      'pwd; echo "$0"; ls node_modules; touch left.txt; mkdir -p deep && cat answer.txt > deep/out.txt; test -d .tnh/run/*/harness/';
    const { code, record, runId } = await runWith(scene, {
      run: `${script('look', look, ', artifacts: [deep/*.txt]')}, ${script('again', 'cat ../left.txt', ', cwd: test')}`,
    });
    const judge = scene.judge(runId);
    expect(await readFile(join(record.path, 'artifacts/v/look.stdout.txt'), 'utf8')).toBe(
      `${judge}\n${judge}\n`,
    );
    expect(await readFile(join(record.path, 'artifacts/v/look/deep/out.txt'), 'utf8')).toBe('42\n');
    expect(code).toBe(0);
    expect(existsSync(join(scene.checkout(runId), 'left.txt'))).toBe(false);
    const ends = record.eventsOf('step_completed').map(({ step_id, payload }) => [step_id, payload.changed]);
    expect(ends).toEqual(
      expect.arrayContaining([
        ['a', true],
        ['v', false],
      ]),
    );
    expect((await scene.conductor('diff', runId, '--stat')).stdout).not.toMatch(/left|deep|evil/);
    expect(record.eventsOf('policy_violation')).toEqual([]);
  });

  test('make branches in the judge checkout, and those stay there', async ({ openScene }) => {
    const scene = await openScene(
      open('echo 42 > answer.txt', 'git branch made-by-validator && git rev-parse made-by-validator^'),
    );
    const { code, record } = await runWith(scene);
    expect(code).toBe(0);
    expect(await readFile(join(record.path, 'artifacts/v/probe.stdout.txt'), 'utf8')).toBe(
      `${record.metadata.workspace.base_sha}\n`,
    );
    expect(record.eventsOf('policy_violation')).toEqual([]);
    expect(record.eventsOf('notice_recorded')).toEqual([]);
  });

  test.skipIf(!sandboxHere.ok)(
    'can neither read nor write the checkout of the agent, in a sandbox',
    async ({ openScene }) => {
      const scene = await openScene({
        ...open('echo 42 > answer.txt', 'sh test/judge.sh && touch here.txt && ls ..'),
        sandbox: 'required',
      });
      const { code, record } = await runWith(scene);
      expect(code).toBe(0);
      const listed = await readFile(join(record.path, 'artifacts/v/probe.stdout.txt'), 'utf8');
      // Of the store only the objects can be read, which the judge checkout borrows.
      expect(listed).toBe('judge\nstore\n');
    },
  );
});
