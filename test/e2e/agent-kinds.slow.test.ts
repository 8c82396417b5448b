import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import { oneAgentStep, type SceneOptions, test, until } from './scene.ts';

/** Speaks the protocols of the real programs. */
const FAKE = fileURLToPath(new URL('../integration/fake-agent.mjs', import.meta.url));

const KINDS = ['claude-code', 'codex'] as const;
const OWN = { 'claude-code': 'ANTHROPIC_API_KEY', codex: 'OPENAI_API_KEY' } as const;

function sceneOf(kind: string, behaviour: string): SceneOptions {
  const command = JSON.stringify([process.execPath, FAKE, kind, behaviour]);
  const validator = JSON.stringify(['sh', '-c', 'env | cut -d= -f1 | sort > validator-names.txt']);
  return {
    config: `agents:
  actor: { kind: ${kind}, command: ${command}, env: [FAKE_AGENT_GO] }
validators:
  tests: { command: ${validator} }
`,
    files: {
      'one.yaml': oneAgentStep('one', 'Do the work.')
        .replace('completed: STOP', 'completed: check')
        .concat(`  - id: check
    opcode: RUN_VALIDATION
    run: [tests]
    routes: { completed: STOP, error: STOP, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP }
`),
    },
  };
}

describe.for(KINDS)('an agent of kind %s in a run', (kind) => {
  test('gets the key of its own provider alone, and validators get none', async ({ openScene }) => {
    const scene = await openScene(sceneOf(kind, 'names_variables'));
    const env = {
      ANTHROPIC_API_KEY: 'one-of-a-test',
      OPENAI_API_KEY: 'other-of-a-test',
      MY_TOKEN: 'third-of-a-test',
    };
    const { stdout, stderr } = await scene.cli.run(['run', './one.yaml'], { env });
    const [runId = ''] = stdout.split('\n');
    expect(scene.record(runId).finalState, stderr).toBe('completed success completed\n');
    const names = (await scene.inCheckout(runId, 'names.txt')).split('\n');
    expect(names.filter((name) => Object.hasOwn(env, name))).toEqual([OWN[kind]]);
    const validatorNames = readFileSync(join(scene.judge(runId), 'validator-names.txt'), 'utf8').split('\n');
    expect(validatorNames).toContain('CONDUCTOR_RUN_ID');
    expect(validatorNames.filter((name) => Object.hasOwn(env, name))).toEqual([]);
  });

  test('can be answered for by its own record', async ({ openScene }) => {
    const scene = await openScene(sceneOf(kind, 'names_variables'));
    const first = await scene.cli.run(['run', './one.yaml']);
    const [recorded = ''] = first.stdout.split('\n');
    const folder = join(scene.home, '.config/conductor');
    mkdirSync(folder, { recursive: true });
    const again = `agents:\n  rehearsal: { kind: replay, run: ${recorded} }\n`;
    writeFileSync(join(folder, 'config.yaml'), again);
    const workflow = readFileSync(join(scene.repo.root, 'one.yaml'), 'utf8');
    const path = join(scene.home, 'again.yaml');
    writeFileSync(path, workflow.replace('agent: actor', 'agent: rehearsal'));
    const second = await scene.cli.run(['run', path]);
    const [repeated = ''] = second.stdout.split('\n');
    const [one, other] = [scene.record(recorded), scene.record(repeated)];
    for (const role of ['runner_transcript', 'runner_final_response', 'workspace_diff'])
      expect(other.evidence('only', role)).toBe(one.evidence('only', role));
    expect(other.metadata.usage).toEqual(one.metadata.usage);
    expect(one.metadata.usage).toMatchObject({ input_tokens: 12, output_tokens: 3 });
  });

  test('can be watched while it works, by what it says and not by what it prints', async ({ openScene }) => {
    const scene = await openScene(sceneOf(kind, 'waits'));
    const go = join(scene.home, 'go.txt');
    const run = scene.cli.start(['run', './one.yaml'], { env: { FAKE_AGENT_GO: go } });
    const runId = await until(() => /^([0-9a-f-]{36})\n/.exec(run.stdout())?.[1]);
    await until(() => run.stderr().includes('only'));
    const logs = scene.cli.start(['logs', runId, '--follow']);
    await until(() => logs.stdout().includes('I wait for go.txt.'));
    writeFileSync(go, '');
    expect((await logs.done).stdout).toContain('Done.');
    expect(logs.stdout()).not.toContain('"type"');
    await run.done;
  });
});
