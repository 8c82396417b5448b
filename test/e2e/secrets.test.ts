import { readdirSync, readFileSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { oneAgentStep, type Scene, test } from './scene.ts';

/** Written in two parts, so that no scanner takes this file for a leak. */
const TOKEN = ['ghp_', 'A1b2C3d4E5f6A7b8C9d0E1f2A3b4C5d6E7f8'].join('');
const GIVEN = 'plain-looking words 7';

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}

function holding(folder: string, secret: string): string[] {
  return filesBelow(folder).filter((path) => readFileSync(path).includes(secret));
}

async function runAgent(scene: Scene, prompt: string, env: Readonly<Record<string, string>>) {
  await writeFile(join(scene.repo.root, '..', 'w.yaml'), oneAgentStep('leak', prompt));
  const result = await scene.cli.start(['run', '../w.yaml'], { env }).done;
  return { ...result, runId: result.stdout.trim() };
}

const agent = (script: string, keys = ''): string =>
  `agents:\n  actor: { kind: command, command: [node, -e, ${JSON.stringify(script)}]${keys} }\n`;

describe('a secret', () => {
  test('that an agent prints is in no file of the run', async ({ openScene }) => {
    const script = `
      const [first, second] = [${JSON.stringify(TOKEN.slice(0, 12))}, ${JSON.stringify(TOKEN.slice(12))}];
      process.stderr.write('on stderr: ' + first + second + '\\n');
      process.stdout.write('token ' + first);
      setTimeout(() => {
        process.stdout.write(second + ' said\\n');
        console.log('given: ' + process.env.MY_PASSWORD);
        require('node:fs').writeFileSync(process.env.CONDUCTOR_RESULT, JSON.stringify({ final: 'Used ' + first + second + ' and ' + process.env.MY_PASSWORD, blockers: [{ code: 'b', summary: first + second }] }));
        process.exitCode = 3;
      }, 50);`;
    const scene = await openScene({ config: agent(script, ', env: [MY_PASSWORD]') });
    const { code, runId } = await runAgent(scene, 'Leak it all.', { MY_PASSWORD: GIVEN });
    expect(code).toBe(1);
    const { path, evidence } = scene.record(runId);
    for (const secret of [TOKEN, GIVEN]) expect(holding(path, secret)).toEqual([]);
    expect(evidence('only', 'runner_transcript')).toBe('token [masked] said\ngiven: [masked]\n');
    expect(evidence('only', 'runner_final_response')).toBe('Used [masked] and [masked]\n');
    expect(evidence('only', 'runner_stderr')).toBe('on stderr: [masked]\n');
    const { code: verified } = await scene.conductor('verify', runId);
    expect(verified).toBe(0);
  });

  test('in the reason of a failure is in no event, and not on the screen', async ({ openScene }) => {
    const scene = await openScene({ config: agent(`console.error('refused: ${TOKEN}'); process.exit(1)`) });
    const { runId, stderr } = await runAgent(scene, 'Fail with it.', {});
    expect(stderr).not.toContain(TOKEN);
    const [failed] = scene.record(runId).eventsOf('step_failed');
    expect(failed?.payload.reason).toBe('the agent exited with code 1: refused: [masked]');
  });

  test('of the parent process that no step was given is masked when it turns up', async ({ openScene }) => {
    const script =
      "console.log(require('node:fs').readFileSync('/proc/' + process.ppid + '/environ', 'utf8').split('\\0').find((line) => line.startsWith('PARENT_')))";
    const scene = await openScene({ config: agent(script) });
    const { runId } = await runAgent(scene, 'Look around.', { PARENT_SECRET: GIVEN });
    expect(scene.record(runId).evidence('only', 'runner_transcript')).toBe('PARENT_SECRET=[masked]\n');
  });

  test('in a file that the agent writes stays in the change, to the byte', async ({ openScene }) => {
    const scene = await openScene({
      config: agent(`require('node:fs').writeFileSync('conf.txt', '${TOKEN}\\n'); console.log('wrote it')`),
    });
    const { runId } = await runAgent(scene, 'Write it.', {});
    expect(scene.record(runId).evidence('only', 'workspace_diff')).toContain(`+${TOKEN}`);
    expect(await scene.inCheckout(runId, 'conf.txt')).toBe(`${TOKEN}\n`);
  });
});
