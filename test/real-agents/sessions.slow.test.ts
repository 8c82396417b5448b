import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { ModelScript } from '../../testing/model-server/model-script.ts';
import { createModelServer, type ModelServer } from '../../testing/model-server/model-server.ts';
import { expectNoKey } from '../e2e/evaluated-run.ts';
import { type Scene, test, until } from '../e2e/scene.ts';
import { sandboxHere } from '../integration/sandbox-here.ts';
import { drivenScene, keysOf, WORKFLOW } from './driven-run.ts';
import { REAL_KINDS, type RealKind } from './real-adapters.ts';
import { AGENTS_BIN } from './real-agents.ts';

const LIMIT = { timeout: 120_000 };

const SCRIPT: ModelScript = {
  // A visit that starts anew comes to the first steps again, and the tests never pass.
  resumes: [
    { kind: 'shell', command: 'echo 41 > answer.txt' },
    { kind: 'text', text: 'I wrote the first answer.' },
    { kind: 'shell', command: 'echo 42 > answer.txt' },
    { kind: 'text', text: 'I wrote the second answer.' },
  ],
  // A visit that continues the session hangs in a tool; one that starts anew finds what the first visit left.
  hangs: [
    {
      kind: 'shell',
      command: 'if grep -q 41 answer.txt; then echo 42 > answer.txt; else echo 41 > answer.txt; fi',
    },
    { kind: 'text', text: 'I wrote the first answer.' },
    { kind: 'shell', command: 'touch hanging.txt; sleep 300' },
    { kind: 'text', text: 'I wrote the second answer.' },
  ],
};

const MODES = sandboxHere.ok ? (['required', 'off'] as const) : (['off'] as const);

/** Every question that the model was asked, as text. */
function promptsIn(server: ModelServer, scenario: string): string[] {
  return server.requests
    .filter((request) => request.scenario === scenario)
    .map(({ body }) => JSON.stringify(body));
}

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'));
}

// Skipped if the agents are not installed.
describe.skipIf(AGENTS_BIN === null)('a later visit of a real agent', () => {
  let server: ModelServer;
  beforeAll(async () => {
    server = await createModelServer(SCRIPT);
  });
  afterAll(() => server.close());

  const scenarioOf = (name: string, kind: RealKind, mode: string) => `${name}~${kind}-${mode}`;
  const drive = async (scene: Scene, kind: RealKind, scenario: string, ...args: readonly string[]) => {
    const env = keysOf(scene, kind, server.urlOf(scenario));
    const result = await scene.cli.start(['run', './driven.yaml', ...args], { env }).done;
    return { ...result, runId: result.stdout.split('\n')[0] ?? '' };
  };

  describe.for(REAL_KINDS)('%s', (kind) => {
    test.for(MODES)(
      'continues its session with only the new instructions, counted once; sandbox: %s',
      LIMIT,
      async (sandbox, { openScene }) => {
        const scenario = scenarioOf('resumes', kind, sandbox);
        const scene = await openScene(drivenScene(kind, server.urlOf(scenario), { sandbox }));
        const { code, runId, stderr } = await drive(scene, kind, scenario);
        expect(code, stderr).toBe(0);
        const record = scene.record(runId);
        expect(record.finalState).toBe('completed success success\n');

        const [first, second] = ['implement', 'implement@2'].map((name) =>
          JSON.parse(readFileSync(join(record.path, 'artifacts', name, 'runner.json'), 'utf8')),
        );
        expect(second).toMatchObject({ session_id: first.session_id, session_resumed: true });
        const prompt = readFileSync(join(record.path, 'artifacts/implement@2/prompt.md'), 'utf8');
        expect(prompt).toContain('What the last evaluation asks for');
        expect(prompt).not.toContain('Make the tests pass.');
        const asked = promptsIn(server, scenario);
        expect(asked).toHaveLength(4);
        expect(asked.at(-1)?.split('Make the tests pass.')).toHaveLength(2);
        expect(asked.at(-1)).toContain('I wrote the first answer.');
        expect(record.metadata.usage).toMatchObject({ input_tokens: 4_000, output_tokens: 200 });

        const own = join(scene.home, kind === 'codex' ? '.codex/sessions' : '.claude/projects');
        expect(filesBelow(own)).toEqual([]);
        expect(filesBelow(join(record.path, 'sessions/implement@2'))).toHaveLength(1);
        expectNoKey(record);
      },
    );

    test.for(MODES)(
      'starts anew after a kill in the middle, and what it had used counts once; sandbox: %s',
      LIMIT,
      async (sandbox, { openScene }) => {
        const scenario = scenarioOf('hangs', kind, sandbox);
        const scene = await openScene(drivenScene(kind, server.urlOf(scenario), { sandbox }));
        const env = keysOf(scene, kind, server.urlOf(scenario));
        const started = scene.cli.start(['run', './driven.yaml'], { env });
        const hanging = () => {
          const [runId] = scene.runIds();
          return runId !== undefined && existsSync(join(scene.checkout(runId), 'hanging.txt'));
        };
        await until(hanging);
        started.kill('SIGKILL');
        await started.done;
        const [runId = ''] = scene.runIds();
        expect(promptsIn(server, scenario)).toHaveLength(3);
        const resumed = await scene.cli.start(['resume', runId], { env }).done;
        expect(resumed.code, resumed.stderr).toBe(0);
        const record = scene.record(runId);
        expect(record.finalState).toBe('completed success success\n');
        const last = JSON.parse(readFileSync(join(record.path, 'artifacts/implement@3/runner.json'), 'utf8'));
        expect(last.session_resumed).toBe(false);
        const prompt = readFileSync(join(record.path, 'artifacts/implement@3/prompt.md'), 'utf8');
        expect(prompt).toContain('Make the tests pass.');
        expect(promptsIn(server, scenario)).toHaveLength(5);
        expect(record.metadata.usage.input_tokens).toBe(5_000);
        const own = join(scene.home, kind === 'codex' ? '.codex/sessions' : '.claude/projects');
        expect(filesBelow(own)).toEqual([]);
        expectNoKey(record);
      },
    );
  });

  test.for(REAL_KINDS.flatMap((kind) => MODES.map((mode) => [kind, mode] as const)))(
    'is tried by agents test too: %s, sandbox: %s',
    LIMIT,
    async ([kind, sandbox], { openScene }) => {
      const scenario = scenarioOf('resumes', kind, `trial-${sandbox}`);
      const scene = await openScene(drivenScene(kind, server.urlOf(scenario), { sandbox }));
      const env = keysOf(scene, kind, server.urlOf(scenario));
      const { stdout } = await scene.cli.start(['agents', 'test', 'coder', '--json'], { env }).done;
      expect(JSON.parse(stdout)).toMatchObject({
        termination: 'completed',
        continues_session: true,
        session_reason: null,
        usage: { input_tokens: 4_000, output_tokens: 200 },
        sandboxed: sandbox === 'required',
      });
    },
  );

  test('starts anew if its step says so', LIMIT, async ({ openScene }) => {
    const scenario = scenarioOf('resumes', 'claude-code', 'fresh');
    const workflow = WORKFLOW('policy.workspace.v1').replace(
      '    prompt: Make',
      '    session: fresh\n    limits: { max_visits: 2 }\n    prompt: Make',
    );
    const options = drivenScene('claude-code', server.urlOf(scenario), {
      files: { 'driven.yaml': workflow },
    });
    const scene = await openScene(options);
    const { runId } = await drive(scene, 'claude-code', scenario);
    const record = scene.record(runId);
    const prompt = readFileSync(join(record.path, 'artifacts/implement@2/prompt.md'), 'utf8');
    expect(prompt).toContain('Make the tests pass.');
    const metadata = JSON.parse(readFileSync(join(record.path, 'artifacts/implement@2/runner.json'), 'utf8'));
    expect(metadata.session_resumed).toBe(false);
  });
});
