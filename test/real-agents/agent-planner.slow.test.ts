import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { ModelScript } from '../../testing/model-server/model-script.ts';
import { createModelServer, type ModelServer } from '../../testing/model-server/model-server.ts';
import { evaluatedScene, expectNoKey, PLANNER_KEY, proposal, readEvaluation } from '../e2e/evaluated-run.ts';
import { type Scene, test } from '../e2e/scene.ts';
import { AGENTS_BIN, claudeEnvironment, codexArguments } from './real-agents.ts';

const USAGE = { input_tokens: 321, output_tokens: 45 };

const SCRIPT: ModelScript = {
  flatters: [{ kind: 'json', value: proposal('success'), usage: USAGE }],
  strays: [{ kind: 'json', value: proposal('success', { next_step: 'deploy' }) }],
  prose: [{ kind: 'text', text: 'Looks great, ship it!' }],
  stalls: [{ kind: 'no_answer' }],
  fails: [{ kind: 'status', status: 500 }],
  refuses: [{ kind: 'status', status: 401 }],
};

type AgentName = 'claude-code' | 'codex';

// Skipped if the agents are not installed.
describe.skipIf(AGENTS_BIN === null)('a run whose planner is a real agent', { timeout: 120_000 }, () => {
  let server: ModelServer;
  beforeAll(async () => {
    server = await createModelServer(SCRIPT);
  });
  afterAll(() => server.close());

  function sceneOf(agent: AgentName, scenario: string, answer: '41' | '42', timeout = '60s') {
    const url = server.urlOf(scenario);
    const program = join(AGENTS_BIN ?? '', agent === 'codex' ? 'codex' : 'claude');
    const command = JSON.stringify(agent === 'codex' ? [program, ...codexArguments(url)] : [program]);
    const env = '[ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, CLAUDE_CODE_MAX_RETRIES, CODEX_HOME, SCRIPTED_KEY]';
    const model = agent === 'codex' ? ', model: gpt-5.5' : '';
    const agents = `  ${agent}: { kind: ${agent}, command: ${command}, env: ${env}${model} }\n`;
    return evaluatedScene(`{ kind: agent, agent: ${agent}, timeout: ${timeout} }`, answer, agents);
  }

  async function runEvaluated(scene: Scene, scenario: string) {
    const codexHome = join(scene.home, 'codex');
    mkdirSync(codexHome);
    const { ANTHROPIC_BASE_URL = '', CLAUDE_CODE_MAX_RETRIES = '' } = claudeEnvironment(
      server.urlOf(scenario),
      scene.home,
    );
    const env = {
      ANTHROPIC_API_KEY: PLANNER_KEY,
      ANTHROPIC_BASE_URL,
      CLAUDE_CODE_MAX_RETRIES,
      CODEX_HOME: codexHome,
      SCRIPTED_KEY: PLANNER_KEY,
      CONDUCTOR_SANDBOX: 'off',
    };
    const result = await scene.cli.start(['run', './evaluated.yaml'], { env }).done;
    expect(result.stderr).not.toContain('error:');
    const record = scene.record(result.stdout.split('\n')[0] ?? '');
    return { ...result, record, ...readEvaluation(record) };
  }

  // Claude Code turns such an answer down itself, asks for others, and shows none of them.
  test.for([
    ['claude-code', 'planner_reply_invalid', 'after 5 attempts'],
    ['codex', 'planner_next_step_illegal', '"deploy"'],
  ] as const)('blocks when %s names an illegal step', async ([agent, code, summary], { openScene }) => {
    const scene = await openScene(sceneOf(agent, 'strays', '42'));
    const { code: exit, decision } = await runEvaluated(scene, 'strays');
    expect(exit).toBe(3);
    expect(decision.blockers.map((blocker) => blocker.code)).toEqual([code]);
    expect(decision.blockers[0]?.summary).toContain(summary);
  });

  describe.for(['claude-code', 'codex'] as const)('%s', (agent) => {
    test('is accepted where the rules agree, and what it used is recorded', async ({ openScene }) => {
      const { record, trace } = await runEvaluated(
        await openScene(sceneOf(agent, 'flatters', '42')),
        'flatters',
      );
      expect(record.finalState).toBe('completed success success\n');
      expect(trace).toMatchObject({ verdict: 'taken', proposal: proposal('success'), attempts: 1 });
      expect(record.metadata.usage).toMatchObject(USAGE);
      expect(record.eventsOf('decision_recorded')[0]?.payload.planner).toBe(`agent:${agent}`);
      expectNoKey(record);
    });

    test("can't turn red tests green", async ({ openScene }) => {
      const { record, trace } = await runEvaluated(
        await openScene(sceneOf(agent, 'flatters', '41')),
        'flatters',
      );
      expect(record.finalState).toBe('blocked partial partial\n');
      expect(trace.verdict).toBe('raised_to_floor');
    });

    test.for([
      ['answers prose', 'prose', 'planner_reply_invalid', 'Looks great, ship it!', '60s'],
      ['has a model that fails', 'fails', 'planner_unavailable', 'ended with code 1', '60s'],
      ['has a key that is refused', 'refuses', 'planner_unavailable', '401', '60s'],
      ['stalls', 'stalls', 'planner_unavailable', 'timed out after 5 s', '5s'],
    ] as const)('blocks when it %s', async ([, scenario, code, summary, timeout], { openScene }) => {
      const scene = await openScene(sceneOf(agent, scenario, '42', timeout));
      const { code: exit, decision, trace } = await runEvaluated(scene, scenario);
      expect(exit).toBe(3);
      expect(decision.blockers.map((blocker) => blocker.code)).toEqual([code]);
      expect(decision.blockers[0]?.summary).toContain(summary);
      expect(trace.verdict).toBe('refused');
    });
  });
});
