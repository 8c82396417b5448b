import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ModelScript } from '../../testing/model-server/model-script.ts';
import { createModelServer, type ModelServer } from '../../testing/model-server/model-server.ts';
import { AGENTS_BIN, claudeEnvironment, codexArguments } from './real-agents.ts';

const SCRIPT: ModelScript = {
  works: [
    { kind: 'write', path: '$DIR/a.txt', content: 'hello\n' },
    { kind: 'shell', command: 'cat a.txt a.txt > b.txt' },
    { kind: 'text', text: 'Wrote two files.' },
  ],
  loops: [{ kind: 'shell', command: 'echo again >> c.txt' }],
  fails: [{ kind: 'status', status: 500 }],
};

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
}

/** Without anything on standard input, which both would wait for. */
function runProgram(
  program: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: Record<string, string>; readonly timeout?: number },
): Promise<Ended> {
  return new Promise((done) => {
    const child = execFile(join(AGENTS_BIN ?? '', program), args, options, (error, stdout) => {
      done({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : null, stdout });
    });
    child.stdin?.end();
  });
}

// Without the agents there is nothing to drive.
describe.skipIf(AGENTS_BIN === null)('real agents at the scripted model', { timeout: 120_000 }, () => {
  let server: ModelServer;
  let folder: string;
  beforeAll(async () => {
    server = await createModelServer(SCRIPT);
    folder = await mkdtemp(join(tmpdir(), 'conductor-agents-'));
  });
  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function place(name: string): Promise<{ readonly cwd: string; readonly home: string }> {
    const cwd = join(folder, name, 'work');
    const home = join(folder, name, 'home');
    await mkdir(cwd, { recursive: true });
    await mkdir(join(home, 'codex'), { recursive: true });
    return { cwd, home };
  }

  async function claude(scenario: string, name: string, ...more: readonly string[]) {
    const { cwd, home } = await place(name);
    const env = claudeEnvironment(server.urlOf(scenario), home);
    const tools = ['--permission-mode', 'dontAsk', '--allowedTools', 'Bash,Write,Edit'];
    const args = ['-p', 'go', '--output-format', 'json', ...tools, ...more];
    const { code, stdout } = await runProgram('claude', args, { cwd, env });
    return { code, cwd, result: JSON.parse(stdout) };
  }

  async function codex(scenario: string, name: string, timeout?: number) {
    const { cwd, home } = await place(name);
    const env = {
      PATH: process.env.PATH ?? '',
      HOME: home,
      CODEX_HOME: join(home, 'codex'),
      SCRIPTED_KEY: 'key-of-a-test-0123456789',
    };
    const how = ['--json', '--skip-git-repo-check', '-s', 'danger-full-access', '-m', 'gpt-5.5'];
    const args = ['exec', ...how, ...codexArguments(server.urlOf(scenario)), 'go'];
    const { code, stdout } = await runProgram('codex', args, { cwd, env, ...(timeout && { timeout }) });
    return {
      code,
      cwd,
      events: stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    };
  }

  const written = async (cwd: string) => [
    await readFile(join(cwd, 'a.txt'), 'utf8'),
    await readFile(join(cwd, 'b.txt'), 'utf8'),
  ];

  it('claude writes a file, runs a command and ends, as the Messages API instructs it', async () => {
    const { code, cwd, result } = await claude('works', 'claude-works');
    expect(code).toBe(0);
    expect(await written(cwd)).toEqual(['hello\n', 'hello\nhello\n']);
    expect(result).toMatchObject({ is_error: false, result: 'Wrote two files.', permission_denials: [] });
    expect(result.usage).toMatchObject({ input_tokens: 3_000, output_tokens: 150 });
  });

  it('codex writes a file, runs a command and ends, as the Responses API instructs it', async () => {
    const { code, cwd, events } = await codex('works', 'codex-works');
    expect(code).toBe(0);
    expect(await written(cwd)).toEqual(['hello\n', 'hello\nhello\n']);
    expect(events.at(-1)).toMatchObject({
      type: 'turn.completed',
      usage: { input_tokens: 3_000, output_tokens: 150 },
    });
  });

  it('claude and codex distinguish a failing model from a working one', async () => {
    const [one, other] = await Promise.all([claude('fails', 'claude-fails'), codex('fails', 'codex-fails')]);
    expect(one.result).toMatchObject({ is_error: true, api_error_status: 500 });
    expect(other.code).not.toBe(0);
    expect(other.events.at(-1)).toMatchObject({ type: 'turn.failed' });
  });

  it('claude leaves an endless loop of tools at its limit of turns', async () => {
    const { cwd, result } = await claude('loops', 'claude-loops', '--max-turns', '3');
    expect(result.subtype).toBe('error_max_turns');
    expect((await readFile(join(cwd, 'c.txt'), 'utf8')).trim().split('\n').length).toBeGreaterThanOrEqual(3);
  });
});
