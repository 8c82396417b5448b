import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { ModelScript } from '../../testing/model-server/model-script.ts';
import { createModelServer, type ModelServer } from '../../testing/model-server/model-server.ts';
import { expectNoKey } from '../e2e/evaluated-run.ts';
import { type Scene, test } from '../e2e/scene.ts';
import { sandboxHere } from '../integration/sandbox-here.ts';
import { drivenScene, keysOf } from './driven-run.ts';
import { REAL_KINDS, type RealKind } from './real-adapters.ts';
import { AGENTS_BIN, IS_WHOLE } from './real-agents.ts';

const LIMIT = { timeout: 120_000 };

/** The first visit gets it wrong, the second one, which continues the session, right. */
const MENDS = 'if grep -q 41 answer.txt; then echo 42 > answer.txt; else echo 41 > answer.txt; fi';

const SCRIPT: ModelScript = {
  mends: [
    { kind: 'shell', command: MENDS },
    { kind: 'write', path: '$DIR/notes.md', content: 'Worked on the answer.\n' },
    { kind: 'text', text: 'I changed the answer.\n{"claims":["implemented"]}' },
    { kind: 'shell', command: MENDS },
    { kind: 'shell', command: 'cat answer.txt' },
    { kind: 'text', text: 'I changed it again.\n{"claims":["implemented"]}' },
  ],
  leaks: [
    { kind: 'shell', command: 'echo 42 > answer.txt; env; cat /proc/$PPID/environ' },
    { kind: 'text', text: 'Done.' },
  ],
  strays: [
    { kind: 'shell', command: 'touch strayed.txt' },
    { kind: 'text', text: 'Done.' },
  ],
};

const CAREFUL = `policy_id: policy.careful
version: 1
commands: { deny: [touch] }
`;

const MODES = sandboxHere.ok ? (['required', 'off'] as const) : (['off'] as const);
const SANDBOXES = IS_WHOLE ? MODES : MODES.slice(0, 1);

// Skipped if the agents are not installed.
describe.skipIf(AGENTS_BIN === null)('a run whose agent is real', () => {
  let server: ModelServer;
  beforeAll(async () => {
    server = await createModelServer(SCRIPT);
  });
  afterAll(() => server.close());

  async function drive(scene: Scene, kind: RealKind, scenario: string) {
    const env = keysOf(scene, kind, server.urlOf(scenario));
    const result = await scene.cli.start(['run', './driven.yaml'], { env }).done;
    return { ...result, runId: result.stdout.split('\n')[0] ?? '' };
  }

  describe.for(REAL_KINDS)('%s', (kind) => {
    test.for(SANDBOXES)(
      'edits, is validated, is evaluated as partial, fixes it and succeeds; sandbox: %s',
      LIMIT,
      async (sandbox, { openScene }) => {
        const scene = await openScene(drivenScene(kind, server.urlOf('mends'), { sandbox }));
        const { code, runId, stderr } = await drive(scene, kind, 'mends');
        expect(code, stderr).toBe(0);
        const record = scene.record(runId);
        expect(record.finalState).toBe('completed success success\n');
        expect(record.eventsOf('decision_recorded').map(({ payload }) => payload.status)).toEqual([
          'partial',
          'success',
        ]);
        expect(await scene.inCheckout(runId, 'answer.txt')).toBe('42\n');
        expect(record.metadata.usage).toMatchObject({ input_tokens: 6_000, output_tokens: 300 });
        expectNoKey(record);
      },
    );

    test('leaves a readable transcript beside its raw output', LIMIT, async ({ openScene }) => {
      const scene = await openScene(drivenScene(kind, server.urlOf('mends')));
      const { runId } = await drive(scene, kind, 'mends');
      const record = scene.record(runId);
      const transcript = record.evidence('implement', 'runner_transcript');
      for (const words of [MENDS, 'notes.md', 'I changed the answer.']) expect(transcript).toContain(words);
      expect(transcript).toMatch(/^done \(\d+\.\d s\)$/m);
      expect(record.evidence('implement', 'runner_stream')).toContain('{"type":"');
      const { session_id: session, controls } = JSON.parse(record.evidence('implement', 'runner_metadata'));
      expect(session).toMatch(/^[0-9a-f-]{36}$/);
      expect(JSON.parse(record.evidence('implement', 'policy_summary')).agent_controls).toEqual(controls);
      const { stdout } = await scene.conductor('logs', runId, 'implement');
      expect(stdout).toContain('I changed the answer.');
      expect(stdout).not.toContain('{"type":"');
    });

    test.for(SANDBOXES)(
      'has its key in no file of the record, even when its tools search for it; sandbox: %s',
      LIMIT,
      async (sandbox, { openScene }) => {
        const scene = await openScene(drivenScene(kind, server.urlOf('leaks'), { sandbox }));
        const { code, runId, stderr } = await drive(scene, kind, 'leaks');
        expect(code, stderr).toBe(0);
        const record = scene.record(runId);
        const transcript = record.evidence('implement', 'runner_transcript');
        expect(transcript).toContain('CONDUCTOR_RUN_ID=');
        expect(transcript).not.toMatch(/^(?:ANTHROPIC_API_KEY|SCRIPTED_KEY)=/m);
        expectNoKey(record);
      },
    );
  });

  test(
    'claude asks before each command, whatever settings of the repository say',
    LIMIT,
    async ({ openScene }) => {
      const files = {
        '.tnh/policies/policy.careful.v1.yaml': CAREFUL,
        '.claude/settings.json': '{"disableAllHooks":true,"permissions":{"allow":["Bash"]}}',
      };
      const options = { policy: 'policy.careful.v1', files };
      const scene = await openScene(drivenScene('claude-code', server.urlOf('strays'), options));
      const { code, runId } = await drive(scene, 'claude-code', 'strays');
      expect(code).toBe(1);
      const record = scene.record(runId);
      const { termination, failure, reason } = JSON.parse(record.evidence('implement', 'runner_metadata'));
      expect({ termination, reason, kind: failure.class }).toEqual({
        termination: 'error',
        reason:
          'the agent was refused a tool: Bash; allow Bash in the policy of the step, or change the prompt so that it is not needed',
        kind: 'refused_tool',
      });
      expect(record.evidence('implement', 'runner_transcript')).toContain('the command is denied by touch');
      await expect(scene.inCheckout(runId, 'strayed.txt')).rejects.toThrow('ENOENT');
    },
  );

  test("codex can't keep a promise about commands, and no run starts", LIMIT, async ({ openScene }) => {
    const files = { '.tnh/policies/policy.careful.v1.yaml': CAREFUL };
    const options = { policy: 'policy.careful.v1', files };
    const scene = await openScene(drivenScene('codex', server.urlOf('strays'), options));
    const { code, stderr } = await drive(scene, 'codex', 'strays');
    expect(code).toBe(2);
    expect(stderr).toContain('asks for commands.deny');
    expect(scene.runIds()).toEqual([]);
  });

  test.skipIf(!sandboxHere.ok)(
    'works in a sandbox with the settings of its user, and changes none',
    LIMIT,
    async ({ openScene }) => {
      const scene = await openScene(
        drivenScene('claude-code', server.urlOf('mends'), { sandbox: 'required' }),
      );
      const own = {
        '.claude.json': '{"numStartups":7}\n',
        '.claude/settings.json': '{"includeCoAuthoredBy":false}\n',
        '.claude/.credentials.json': '{}\n',
      };
      mkdirSync(join(scene.home, '.claude'));
      for (const [name, text] of Object.entries(own)) writeFileSync(join(scene.home, name), text);
      const { code, stderr } = await drive(scene, 'claude-code', 'mends');
      expect(code, stderr).toBe(0);
      for (const [name, text] of Object.entries(own))
        expect(readFileSync(join(scene.home, name), 'utf8')).toBe(text);
    },
  );
});
