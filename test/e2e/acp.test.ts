import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import { CONFIG, oneAgentStep, test } from './scene.ts';

const PROGRAM = fileURLToPath(new URL('../integration/acp-agent.mjs', import.meta.url));

/** One step with an agent that speaks ACP and behaves as configured, under its own policy. */
function sceneOf(behaviour: string, policy = '') {
  const command = JSON.stringify(['node', PROGRAM, behaviour]);
  const agents = CONFIG.replace('validators:', `  speaker: { kind: acp, command: ${command} }\nvalidators:`);
  const workflow = oneAgentStep('asks', 'Write a.txt.').replace('agent: actor', 'agent: speaker');
  return {
    // The policy under every run: a looser approval than its own is not granted to those above it.
    config: `${agents}policy: policy.own.v1\n`,
    files: {
      'asks.yaml': workflow,
      '.tnh/policies/policy.own.v1.yaml': `policy_id: policy.own\nversion: 1\n${policy}`,
    },
  };
}

describe('a run with an agent that speaks ACP', () => {
  test('records its answers, its transcript and what it printed', async ({ openScene }) => {
    const scene = await openScene(sceneOf('works'));
    const { stdout } = await scene.conductor('run', './asks.yaml');
    const runId = stdout.split('\n')[0] ?? '';
    const record = scene.record(runId);
    expect(await scene.inCheckout(runId, 'a.txt')).toBe('hello\n');
    expect(record.eventsOf('runner_completed')[0]?.payload).toMatchObject({
      termination: 'completed',
      usage: { input_tokens: 30, output_tokens: 5 },
    });
    const controls = {
      requested: { approval: 'fail_on_prompt' },
      effective: { permission_requests: { allowed: 1, refused: 0 } },
    };
    expect(JSON.parse(record.evidence('only', 'policy_summary'))).toMatchObject({
      capabilities: ['approval'],
      agent_controls: controls,
    });
    expect(JSON.parse(record.evidence('only', 'runner_metadata'))).toMatchObject({
      session_id: 's1',
      controls,
    });
    expect(record.evidence('only', 'runner_stream')).toContain('session/request_permission');
    const logs = await scene.conductor('logs', runId, 'only');
    expect(logs.stdout).toContain('allowed: Write a.txt: the policy lets these files change');
  });

  test.for([
    ['is stopped by the policy when it asks the user', '', 5, 'killed_policy'],
    ['continues without an answer if the policy says so', 'approval: deny_interactive\n', 0, 'completed'],
  ] as const)('%s', async ([, policy, code, termination], { openScene }) => {
    const scene = await openScene(sceneOf('deploys', policy));
    const result = await scene.conductor('run', './asks.yaml');
    const record = scene.record(result.stdout.split('\n')[0] ?? '');
    expect(record.eventsOf('runner_completed')[0]?.payload.termination).toBe(termination);
    expect(result.code, result.stderr).toBe(code);
  });

  test('does not start under a promise about commands, which no such agent has to keep', async ({
    openScene,
  }) => {
    const scene = await openScene(sceneOf('works', 'commands: { deny: [rm] }\n'));
    const { code, stderr } = await scene.conductor('run', './asks.yaml');
    expect(code).toBe(2);
    expect(stderr).toContain('commands.deny');
    expect(scene.runIds()).toEqual([]);
  });
});
