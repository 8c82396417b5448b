import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { ModelScript } from '../../testing/model-server/model-script.ts';
import { createModelServer, type ModelServer } from '../../testing/model-server/model-server.ts';
import { test } from '../e2e/scene.ts';
import { AGENTS_BIN, claudeEnvironment, codexArguments } from './real-agents.ts';

const USED = { input_tokens: 900, output_tokens: 100 };

/** In two hours, to the second. */
const RESETS_AT = Math.ceil(Date.now() / 1_000) + 7_200;

const SCRIPT: ModelScript = {
  overloaded_once: [
    { kind: 'status', status: 529, times: 1 },
    { kind: 'text', text: 'There is nothing to do.' },
  ],
  spent: [{ kind: 'status', status: 429, message: `usage limit reached|${RESETS_AT}` }],
  limited: [{ kind: 'status', status: 429, message: 'too many requests' }],
  limited_thrice: [
    { kind: 'status', status: 429, message: 'too many requests', times: 3 },
    { kind: 'text', text: 'There is nothing to do.' },
  ],
  locked: [{ kind: 'status', status: 401, message: 'invalid x-api-key' }],
  // For ever: only a budget ends it.
  greedy: [{ kind: 'shell', command: 'sleep 0.2', usage: USED }],
};

type AgentName = 'claude-code' | 'codex';

// Skipped if the agents are not installed.
describe.skipIf(AGENTS_BIN === null)('a run whose agent is real and fails', () => {
  let server: ModelServer;
  beforeAll(async () => {
    server = await createModelServer(SCRIPT);
  });
  afterAll(() => server.close());

  function sceneOptions(agent: AgentName, scenario: string) {
    const url = server.urlOf(`${scenario}~${agent}`);
    const program = join(AGENTS_BIN ?? '', agent === 'codex' ? 'codex' : 'claude');
    const command = JSON.stringify(agent === 'codex' ? [program, ...codexArguments(url)] : [program]);
    const model = agent === 'codex' ? ', model: gpt-5.5' : '';
    const budget = scenario === 'greedy' ? 'defaults: { limits: { token_budget: 2500 } }\n' : '';
    const limits = scenario === 'limited_thrice' ? 'limits: { park: 3s }\n' : '';
    return {
      url,
      config: `agents:\n  ${agent}: { kind: ${agent}, command: ${command}, env: [SCRIPTED_KEY]${model} }\n${limits}`,
      files: {
        'one.yaml': `workflow_id: one
version: 1
description: One real agent.
entry_step: write
${budget}steps:
  - id: write
    opcode: RUN_AGENT
    agent: ${agent}
    prompt: write the file
    limits: { timeout: 90s }
    routes: { completed: STOP, error: STOP, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP }
`,
      },
    };
  }

  // Codex does not print the message of a 429, and reports its usage only at the end of a turn.
  test.for([
    ['claude-code', 'overloaded_once', 0, ['overloaded', undefined]],
    ['claude-code', 'spent', 3, ['quota_exhausted']],
    ['claude-code', 'limited', 3, ['rate_limited', 'rate_limited', 'rate_limited']],
    ['codex', 'limited', 3, ['rate_limited', 'rate_limited', 'rate_limited']],
    ['claude-code', 'locked', 1, ['authentication']],
    ['claude-code', 'greedy', 6, [undefined]],
    ['codex', 'overloaded_once', 0, ['overloaded', undefined]],
    ['codex', 'locked', 1, ['authentication']],
  ] as const)(
    'comes to the right end: %s, %s',
    { timeout: 120_000 },
    async ([agent, scenario, code, classes], { openScene }) => {
      const { url, ...options } = sceneOptions(agent, scenario);
      const scene = await openScene(options);
      const env = {
        ...claudeEnvironment(url, scene.home),
        SCRIPTED_KEY: 'key-of-a-test-0123456789',
        CONDUCTOR_SANDBOX: 'off',
      };
      const ran = await scene.cli.start(['run', 'one.yaml'], { env }).done;
      const record = scene.record(ran.stdout.split('\n')[0] ?? '');
      expect(ran.code, ran.stderr).toBe(code);
      expect(record.eventsOf('runner_completed').map(({ payload }) => payload.failure)).toEqual(classes);
      if (scenario === 'spent')
        expect(record.eventsOf('step_waiting')[0]?.payload.until).toBe(
          new Date(RESETS_AT * 1_000).toISOString(),
        );
      if (scenario === 'limited') {
        const [parked] = record.eventsOf('step_waiting');
        const ms = Date.parse(parked?.payload.until ?? '') - Date.parse(parked?.timestamp ?? '');
        expect(Math.round(ms / 60_000)).toBe(1);
        expect((await scene.conductor('runs')).stdout).toContain('parked, due in ');
      }
      if (scenario === 'greedy')
        expect(record.eventsOf('runner_completed')[0]?.payload.termination).toBe('killed_policy');
    },
  );

  test.for(['claude-code', 'codex'] as const)(
    'is parked for a limit without a time, and a process that waits goes on: %s',
    { timeout: 120_000 },
    async (agent, { openScene }) => {
      const { url, ...options } = sceneOptions(agent, 'limited_thrice');
      const scene = await openScene(options);
      const env = {
        ...claudeEnvironment(url, scene.home),
        SCRIPTED_KEY: 'key-of-a-test-0123456789',
        CONDUCTOR_SANDBOX: 'off',
      };
      const parked = await scene.cli.start(['run', 'one.yaml'], { env }).done;
      expect(parked.code, parked.stderr).toBe(3);
      const runId = parked.stdout.split('\n')[0] ?? '';
      const done = await scene.cli.start(['resume', runId, '--wait'], { env }).done;
      expect(done.code, done.stderr).toBe(0);
      expect(scene.record(runId).eventsOf('step_started')).toHaveLength(2);
    },
  );
});
