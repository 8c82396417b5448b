import { describe, expect } from 'vitest';
import { CONFIG, type Scene, test } from './scene.ts';

const ENDS = 'error: STOP, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP';

function workflow(lines: readonly string[], more: string = ''): string {
  return `workflow_id: asks
version: 1
description: An agent that touches files a person is asked about.
entry_step: work
steps:
  - id: work
    opcode: RUN_AGENT
    agent: actor
    ${more}
    prompt: |
${lines.map((line) => `      ${line}\n`).join('')}    routes: { completed: check, ${ENDS} }
  - { id: check, opcode: RUN_VALIDATION, run: [tests], routes: { completed: judge, error: judge, killed_timeout: judge, killed_idle: judge, killed_policy: STOP } }
  - { id: judge, opcode: EVALUATE, prompt: planner.evaluate_results.v1, allowed_next_steps: [ask, back], routes: { success: STOP, partial: STOP, blocked: STOP, unsafe: back, needs_human: ask } }
  - { id: ask, opcode: GATE, gate: requires_approval, routes: { gate_approved: STOP, gate_rejected: work } }
  - { id: back, opcode: ROLLBACK, target: pre_run, routes: { completed: STOP, error: STOP } }
`;
}

async function start(scene: Scene, text: string) {
  await scene.repo.write('../asks.yaml', text);
  const { code, stdout, stderr } = await scene.conductor('run', '../asks.yaml');
  const runId = stdout.split('\n')[0] ?? '';
  return { code, stderr, runId, record: () => scene.record(runId) };
}

const RIGHT = 'write answer.txt 42';

describe('an honest change of a file that looks dangerous by its name', { timeout: 60_000 }, () => {
  for (const path of [
    'fixtures/test.pem',
    'src/credentials-form.json',
    '.env.test',
    '.github/workflows/ci.yml',
    'AGENTS.md',
    '.husky/pre-commit',
  ])
    test(`waits for approval, names it and keeps the work: ${path}`, async ({ openScene }) => {
      const scene = await openScene({ config: CONFIG });
      const { code, runId, record, stderr } = await start(scene, workflow([RIGHT, `write ${path} x`]));
      expect(code, stderr).toBe(3);
      const { eventsOf, evidence } = record();
      expect(eventsOf('policy_violation')).toEqual([]);
      expect(eventsOf('decision_recorded').map(({ payload }) => payload)).toMatchObject([
        {
          status: 'needs_human',
          blocker_codes: ['approval_required'],
          reason: `approval required: ${path}`,
        },
      ]);
      const envelope = JSON.parse(evidence('judge', 'planner_input'));
      expect(envelope.evidence.policy_events).toEqual([`requires_approval: ${path}`]);
      expect(stderr).toContain(`step "work" changed paths that need approval: ${path}`);
      for (const command of [['gates'], ['show', runId]])
        expect((await scene.conductor(...command)).stdout).toContain(path);
      const approved = await scene.conductor('approve', runId, '--resume');
      expect(approved.code, approved.stderr).toBe(0);
      expect(record().metadata.outcome).toBe('success');
      const branch = record().metadata.workspace.branch_name;
      expect(await scene.repo.git('show', `${branch}:${path}`)).toBe('x\n');
    });
});

describe('a path that needs approval', { timeout: 60_000 }, () => {
  const CI = '.github/workflows/ci.yml';

  test('is asked about again after a rejection that left it in the change', async ({ openScene }) => {
    const scene = await openScene({ config: CONFIG });
    const lines = [`@1 write ${CI} x`, RIGHT];
    const { code, runId, record } = await start(scene, workflow(lines));
    expect(code).toBe(3);
    expect((await scene.conductor('reject', runId, '--resume', '--comment', 'no')).code).toBe(3);
    const again = JSON.parse(record().evidence('judge@2', 'planner_input'));
    expect(again.evidence.policy_events).toEqual([`requires_approval: ${CI}`]);
  });

  test('is not asked about again when it is as at the base', async ({ openScene }) => {
    const scene = await openScene({ config: CONFIG });
    const { runId, record } = await start(scene, workflow([`@1 write ${CI} x`, `@2 delete ${CI}`, RIGHT]));
    expect((await scene.conductor('reject', runId, '--resume', '--comment', 'no')).code).toBe(0);
    expect(
      record()
        .eventsOf('decision_recorded')
        .map(({ payload }) => payload.status),
    ).toEqual(['needs_human', 'success']);
  });

  test('comes from any layer of the policy, and a forbidden one is a violation all the same', async ({
    openScene,
  }) => {
    const scene = await openScene({
      config: CONFIG,
      files: {
        '.tnh/policies/policy.api.v1.yaml':
          'policy_id: policy.api\nversion: 1\napproval_paths: ["api/**"]\nforbidden_paths: [".github/**"]\n',
      },
    });
    const policy = 'policy: policy.api.v1';
    const asked = await start(scene, workflow([RIGHT, 'write api/v1.json {}'], policy));
    expect(asked.code).toBe(3);
    expect(JSON.parse(asked.record().evidence('ask', 'gate_request')).approvals).toEqual([
      { path: 'api/v1.json', glob: 'api/**' },
    ]);
    const forbidden = await start(scene, workflow([RIGHT, `write ${CI} x`], policy));
    expect(forbidden.code).toBe(5);
    expect(forbidden.record().eventsOf('policy_violation')).toMatchObject([
      { payload: { class: 'forbidden_path', subject: CI } },
    ]);
  });

  test('that git ignores is not part of the change, so no one is asked', async ({ openScene }) => {
    const scene = await openScene({ config: CONFIG, files: { '.gitignore': '.env\n' } });
    const { code, record } = await start(scene, workflow([RIGHT, 'write .env A=1']));
    expect(code).toBe(0);
    expect(JSON.parse(record().evidence('judge', 'planner_input')).evidence.policy_events).toEqual([]);
  });
});
