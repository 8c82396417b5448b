import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { ModelScript } from '../../testing/model-server/model-script.ts';
import { createModelServer, type ModelServer } from '../../testing/model-server/model-server.ts';
import { expectNoKey } from '../e2e/evaluated-run.ts';
import { CONFIG, type Scene, test } from '../e2e/scene.ts';
import { sandboxHere } from '../integration/sandbox-here.ts';
import { ACP_AGENTS, ACP_HERE } from './acp-agents.ts';
import { WORKFLOW } from './driven-run.ts';
import { IS_WHOLE } from './real-agents.ts';

const LIMIT = { timeout: 600_000 };

/**
 * The first visit gets it wrong, the second one right, wherever in the script it comes in: at the top if it starts anew, behind
 * the first text if it continues the session, and in between if the agent had not saved all of its session.
 */
const MENDS = 'if [ -f seen.txt ]; then echo 42 > answer.txt; else echo 41 > answer.txt; fi';
const LOOKS = 'if [ -f seen.txt ]; then echo 42 > answer.txt; else touch seen.txt; fi';

const SCRIPT: ModelScript = {
  mends: [
    { kind: 'shell', command: MENDS },
    { kind: 'shell', command: LOOKS },
    { kind: 'text', text: 'I changed the answer.', after_tool: true },
    { kind: 'shell', command: MENDS },
    { kind: 'shell', command: LOOKS },
    { kind: 'text', text: 'I changed it again.', after_tool: true },
  ],
  strays: [
    { kind: 'shell', command: 'echo x > ../strayed.txt' },
    { kind: 'text', text: 'I left my folder.' },
  ],
  refuses: [{ kind: 'status', status: 401, message: 'invalid x-api-key' }],
};

function configOf(name: string, url: string): string {
  const { command = [''], environment, model = null } = ACP_AGENTS[name] ?? {};
  const env = Object.keys(environment?.(url) ?? {});
  const coder = JSON.stringify({ kind: 'acp', command, env, model });
  const agent = `  coder: ${coder}\n`;
  return CONFIG.replace('validators:', `${agent}validators:`);
}

const BOTH = ['required', 'off'] as const;
/** The short form drives each agent in the stricter of the two. */
const SANDBOXES = sandboxHere.ok ? BOTH.slice(0, IS_WHOLE ? 2 : 1) : BOTH.slice(1);

// Skipped if the agents are not installed.
describe.skipIf(ACP_HERE.length === 0)('a run whose agent speaks ACP', () => {
  let server: ModelServer;
  beforeAll(async () => {
    server = await createModelServer(SCRIPT);
  });
  afterAll(() => server.close());

  async function drive(scene: Scene, name: string, scenario: string) {
    const env = ACP_AGENTS[name]?.environment(server.urlOf(scenario)) ?? {};
    const result = await scene.cli.start(['run', './driven.yaml'], { env }).done;
    const runId = result.stdout.split('\n')[0] ?? '';
    return { ...result, runId, record: scene.record(runId) };
  }
  const sceneOf = (name: string, scenario: string, sandbox: 'off' | 'required' = 'off') => ({
    sandbox,
    config: configOf(name, server.urlOf(scenario)),
    files: { 'driven.yaml': WORKFLOW('policy.workspace.v1') },
  });

  describe.for(ACP_HERE)('%s', (name) => {
    test.for(SANDBOXES)(
      'edits, is validated, is evaluated as partial, fixes it and succeeds; sandbox: %s',
      LIMIT,
      async (sandbox, { openScene }) => {
        const scene = await openScene(sceneOf(name, 'mends', sandbox));
        const { code, stderr, runId, record } = await drive(scene, name, 'mends');
        expect(code, stderr).toBe(0);
        expect(record.finalState).toBe('completed success success\n');
        expect(record.eventsOf('decision_recorded').map(({ payload }) => payload.status)).toEqual([
          'partial',
          'success',
        ]);
        expect(await scene.inCheckout(runId, 'answer.txt')).toBe('42\n');
        const metadata = JSON.parse(record.evidence('implement', 'runner_metadata'));
        expect(metadata.usage).toMatchObject(ACP_AGENTS[name]?.usage ?? {});
        const second = JSON.parse(
          readFileSync(join(record.path, 'artifacts/implement@2/runner.json'), 'utf8'),
        );
        expect(ACP_AGENTS[name]?.resumes).toContain(second.session_resumed);
        const { allowed, refused } = metadata.controls.effective.permission_requests;
        expect(allowed).toBeGreaterThan(0);
        expect(refused).toBe(0);
        const transcript = record.evidence('implement', 'runner_transcript');
        for (const words of [MENDS, 'the policy lets the command through', 'I changed the answer.'])
          expect(transcript).toContain(words);
        expect(record.evidence('implement', 'runner_stream')).toContain('"session/update"');
        expectNoKey(record);
      },
    );

    test('is refused what leads out of its worktree, and the step says so', LIMIT, async ({ openScene }) => {
      const scene = await openScene(sceneOf(name, 'strays'));
      const { code, record } = await drive(scene, name, 'strays');
      expect(code).toBe(1);
      const { termination, failure, notes } = JSON.parse(record.evidence('implement', 'runner_metadata'));
      expect({ termination, kind: failure.class }).toEqual({ termination: 'error', kind: 'refused_tool' });
      expect(notes.join()).toContain('native_policy_block');
      expect(record.evidence('implement', 'runner_transcript')).toContain('outside_workspace');
    });

    test(
      'has a key that is refused, and the step says that it is the login',
      LIMIT,
      async ({ openScene }) => {
        const scene = await openScene(sceneOf(name, 'refuses'));
        const { code, record } = await drive(scene, name, 'refuses');
        expect(code).toBe(1);
        const { failure } = JSON.parse(record.evidence('implement', 'runner_metadata'));
        expect(failure.class).toBe('authentication');
        expectNoKey(record);
      },
    );
  });
});
