import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { agentTrialSchema } from '../../src/contracts/cli/agent-trial.ts';
import { type Scene, test } from './scene.ts';

/** Writes what it is asked for, says no, or says yes and writes nothing. */
const CONFIG = `agents:
  good: { kind: command, command: [node, tools/good.mjs] }
  idle: { kind: command, command: [node, -e, "console.log('all done')"] }
  broken: { kind: command, command: [node, tools/broken.mjs] }
  absent: { kind: command, command: [no-such-agent] }
  gone: { kind: replay, run: 0199ab }
  gemini: { kind: acp, command: [gemini, --acp] }
  qwen: { kind: acp, command: [qwen, --acp] }
  opencode: { kind: acp, command: [opencode, acp] }
  copilot: { kind: acp, command: [copilot, --acp] }
prices:
  good: { input_per_mtok: 10, output_per_mtok: 10 }
`;
const GOOD = `import { readFileSync, writeFileSync } from 'node:fs';
const [, , token] = readFileSync(0, 'utf8').split('\\n');
writeFileSync('conductor-check.txt', token + '\\n');
writeFileSync(process.env.CONDUCTOR_RESULT, JSON.stringify({ final: 'it is there', usage: { input_tokens: 7 } }));
`;
const BROKEN = `import { writeFileSync } from 'node:fs';
writeFileSync(process.env.CONDUCTOR_RESULT, JSON.stringify({ failure: { class: 'authentication', message: 'no login' } }));
process.exit(1);
`;
const FILES = { 'tools/good.mjs': GOOD, 'tools/broken.mjs': BROKEN };

async function leftovers(): Promise<string[]> {
  return (await readdir(tmpdir())).filter((name) => name.startsWith('conductor-try-'));
}

async function trialOf(scene: Scene, name: string) {
  const { code, stdout } = await scene.conductor('agents', 'test', name, '--json');
  return { code, trial: agentTrialSchema.parse(JSON.parse(stdout)) };
}

describe('agents test', () => {
  test('lets an agent write a file, removes everything, and reports what it observed', async ({
    openScene,
  }) => {
    const scene = await openScene({ config: CONFIG, files: FILES });
    const before = await leftovers();
    expect(await trialOf(scene, 'good')).toMatchObject({
      code: 0,
      trial: {
        ok: true,
        agent: 'good',
        kind: 'command',
        termination: 'completed',
        wrote_file: true,
        usage: { input_tokens: 7, cost_usd: 0.00007 },
        final: 'it is there',
        reason: null,
      },
    });
    const { code, stdout } = await scene.conductor('agents', 'test', 'good');
    expect(code).toBe(0);
    expect(stdout).toContain('7 in, unknown out');
    expect(await leftovers()).toEqual(before);
    expect(scene.runIds()).toEqual([]);
  });

  test.for([
    ['idle', { termination: 'completed', wrote_file: false }, 'did not write the requested file'],
    ['broken', { termination: 'error', failure: { class: 'authentication', message: 'no login' } }, 'exited'],
    ['absent', { termination: null }, 'command not found'],
    ['gone', { termination: null }, ''],
  ] as const)('says why %s does not work', async ([name, expected, reason], { openScene }) => {
    const scene = await openScene({ config: CONFIG, files: FILES });
    const { code, trial } = await trialOf(scene, name);
    expect(code).toBe(1);
    expect(trial).toMatchObject({ ok: false, agent: name, ...expected });
    expect(trial.reason).toContain(reason);
    expect(trial.reason).not.toBeNull();
  });

  test('knows the agents of the configuration and no others', async ({ openScene }) => {
    const scene = await openScene({ config: CONFIG, files: FILES });
    const unknown = await scene.conductor('agents', 'test', 'god');
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('did you mean good?')]);
    expect((await scene.conductor('agents', 'try', 'good')).code).toBe(2);
  });
});

describe('doctor', () => {
  test('finds the programs of agents, their versions and signs of a login', async ({ openScene }) => {
    const scene = await openScene({ config: CONFIG, files: FILES });
    const bin = join(scene.home, 'bin');
    await mkdir(bin);
    for (const [name, line] of [
      ['claude', "echo '9.9.9 (Claude Code)'"],
      ['codex', 'echo codex-cli 8.8.8'],
      ['qwen', 'exit 3'],
      ['opencode', 'echo 0.4.1'],
    ] as const) {
      await writeFile(join(bin, name), `#!/bin/sh\n[ "$1" = --version ] && ${line}\n`);
      await chmod(join(bin, name), 0o755);
    }
    await writeFile(join(bin, 'copilot'), '#!/bin/sh\n');
    await mkdir(join(scene.home, '.codex'));
    // Nobody may open it: that it is there is all that is looked at.
    await writeFile(join(scene.home, '.codex', 'auth.json'), '{}', { mode: 0o000 });
    const look = async (env: Record<string, string>) => {
      const { stdout } = await scene.cli.run(['doctor', '--json'], {
        env: {
          PATH: `${bin}:${process.env.PATH}`,
          CONDUCTOR_SANDBOX: 'off',
          OPENCODE_CONFIG_CONTENT: '{}',
          ...env,
        },
      });
      const { findings } = JSON.parse(stdout) as {
        findings: { name: string; state: string; detail: string }[];
      };
      return Object.fromEntries(findings.map((finding) => [finding.name, finding]));
    };
    const without = await look({});
    expect(without['agent claude-code']).toMatchObject({
      state: 'missing',
      detail: expect.stringContaining('9.9.9 (Claude Code)'),
      help: expect.stringContaining('/login'),
    });
    expect(without['agent codex']).toMatchObject({
      state: 'ok',
      detail: expect.stringContaining('codex-cli 8.8.8'),
    });
    expect(without['agent gemini']).toMatchObject({
      state: 'missing',
      help: 'install it: npm install -g @google/gemini-cli',
    });
    expect(without['agent qwen']).toMatchObject({
      state: 'missing',
      detail: expect.stringContaining('exits with code 3 when asked for its version'),
      help: 'install it again: npm install -g @qwen-code/qwen-code',
    });
    expect(without['agent opencode']).toMatchObject({
      state: 'ok',
      detail: expect.stringContaining('the oldest version that conductor was tested with is 1.18.33'),
      help: 'update it: npm install -g opencode-ai',
    });
    expect(without['agent copilot']).toMatchObject({
      state: 'missing',
      detail: `${join(bin, 'copilot')} is not executable`,
    });
    const key = 'sk-ant-0123456789abcdef';
    const withKey = await look({ ANTHROPIC_API_KEY: key });
    expect(withKey['agent claude-code']).toMatchObject({ state: 'ok' });
    expect(JSON.stringify(withKey)).not.toContain(key);
  });
});
