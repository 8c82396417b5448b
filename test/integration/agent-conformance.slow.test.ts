import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAcpAgent } from '../../src/adapters/agents/acp.ts';
import { createClaudeCodeAgent } from '../../src/adapters/agents/claude-code.ts';
import { createCodexAgent } from '../../src/adapters/agents/codex.ts';
import { createCommandAgent } from '../../src/adapters/agents/command-agent.ts';
import { resolveProgram } from '../../src/adapters/process/program.ts';
import { createSupervisor } from '../../src/adapters/process/supervisor.ts';
import type { Usage } from '../../src/contracts/run/agent-result.ts';
import type { Agent, AgentRequest } from '../../src/ports/agent.ts';
import { markedProcesses } from '../e2e/marked-processes.ts';

const FAKE = fileURLToPath(new URL('fake-agent.mjs', import.meta.url));
const SECRET = 'value-of-a-test-0123456789';
const CAPTURE_LIMIT = 200_000;

type Command = readonly [string, ...string[]];

/** Every adapter that starts a program, as it is wired. */
const ADAPTERS: Readonly<Record<string, (command: Command) => Agent>> = {
  command: (command) => createCommandAgent({ ...common(), command }),
  'claude-code': (command) =>
    createClaudeCodeAgent({
      ...streamed(),
      command,
      hook: [process.execPath, 'conductor.js', 'hook', 'command'],
    }),
  codex: (command) => createCodexAgent({ ...streamed(), command }),
  acp: (command) => createAcpAgent({ ...streamed(), command, protectedBranches: [] }),
};

let folder: string;
let starts = 0;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'conductor conformance ')));
  await mkdir(join(folder, 'work tree'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

function common() {
  return {
    supervisor: createSupervisor(),
    resolveProgram,
    searchPath: dirname(process.execPath),
    captureLimitBytes: CAPTURE_LIMIT,
    graceMs: 200,
  };
}

function streamed() {
  return { ...common(), secrets: [], model: null, home: folder, configDir: undefined };
}

function requestOf(change: Partial<AgentRequest> = {}): AgentRequest {
  starts += 1;
  return {
    runId: 'run-1',
    stepId: 'implement',
    attempt: 1,
    visit: 1,
    prompt: 'do the thing\n',
    checkoutPath: join(folder, 'work tree'),
    runDir: join(folder, 'run'),
    inputs: {},
    evidenceDir: join(folder, 'run', 'artifacts', 'implement@1'),
    confinement: null,
    env: { PATH: process.env.PATH ?? '', OWN: 'yes', SECRET_OF_TEST_KEY: SECRET },
    timeoutMs: 20_000,
    idleTimeoutMs: 20_000,
    mark: `conformance-${process.pid}-${starts}/implement@1`,
    signal: new AbortController().signal,
    onStop: () => Promise.resolve(),
    onLine: () => undefined,
    ...change,
  };
}

/** Of the start that a request was for. */
function aliveOf({ mark }: AgentRequest): readonly number[] {
  return markedProcesses(mark.slice(0, mark.indexOf('/')));
}

/** All files in the evidence of a step. */
function stored({ evidenceDir }: AgentRequest): { readonly name: string; readonly text: string }[] {
  return readdirSync(evidenceDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => ({ name, text: readFileSync(join(parentPath, name), 'utf8') }));
}

describe.for(Object.entries(ADAPTERS))('an agent of kind %s', ([kind, create]) => {
  const start = (behaviour: string, request: AgentRequest) =>
    create([process.execPath, FAKE, kind, behaviour]).run(request);

  it('that completes did its work in the checkout, from the prompt that it was given', async () => {
    const request = requestOf();
    const result = await start('completes', request);
    expect(result).toMatchObject({
      termination: 'completed',
      exitCode: 0,
      reason: null,
      finalResponse: 'Done.',
    });
    expect(result.failure ?? null).toBeNull();
    expect(result.notes).toEqual([]);
    expect(await readFile(join(request.checkoutPath, 'work.txt'), 'utf8')).toBe('do the thing\n');
    const seen: unknown = JSON.parse(await readFile(join(request.checkoutPath, 'seen.json'), 'utf8'));
    expect(seen).toMatchObject({
      cwd: request.checkoutPath,
      env: {
        OWN: 'yes',
        CONDUCTOR_RUN_ID: 'run-1',
        CONDUCTOR_STEP_ID: 'implement',
        CONDUCTOR_RUN_DIR: request.runDir,
      },
    });
    expect(JSON.stringify(seen)).not.toContain('"NODE_ENV"');
  });

  it('leaves a transcript of what it said and did, in the evidence of the step', async () => {
    const lines: string[] = [];
    const request = requestOf({ onLine: (line) => lines.push(line) });
    const { transcriptPath, streamPath, stderrPath } = await start('completes', request);
    for (const path of [transcriptPath, stderrPath, streamPath ?? transcriptPath])
      expect(dirname(path ?? '')).toBe(request.evidenceDir);
    const transcript = await readFile(transcriptPath, 'utf8');
    for (const word of ['I write a file.', 'touch work.txt', 'touched', 'Done.']) {
      expect(transcript).toContain(word);
      expect(lines.join('\n')).toContain(word);
    }
    if (typeof streamPath === 'string') expect(transcript).not.toContain('"type"');
  });

  it('is asked for its usage, and reports it once it is known', async () => {
    const reported: Usage[] = [];
    const { result } = await start('completes', requestOf({ onUsage: (usage) => reported.push(usage) }));
    expect(result?.usage).toEqual({ input_tokens: 12, output_tokens: 3 });
    expect(reported.at(-1) ?? result?.usage).toEqual({ input_tokens: 12, output_tokens: 3 });
  });

  it('that fails says why', async () => {
    const result = await start('fails', requestOf());
    expect(result).toMatchObject({ termination: 'error', exitCode: 1 });
    expect(result.reason).toContain('boom');
  });

  it('that talks and then crashes has not succeeded', async () => {
    const result = await start('crashes', requestOf());
    expect(result).toMatchObject({ termination: 'error', exitCode: 3 });
    expect(result.reason).toBe('the agent exited with code 3');
  });

  it.each([
    ['babbles', { timeoutMs: 700 }, 'killed_timeout', 'timeout', 'the agent timed out after 0.7 s'],
    ['idles', { idleTimeoutMs: 700 }, 'killed_idle', 'idle', 'the agent printed nothing for 0.7 s'],
  ] as const)(
    'that %s is ended, and the reason is known before',
    async (behaviour, limits, termination, why, reason) => {
      const stops: string[] = [];
      const onStop: AgentRequest['onStop'] = (limit) => {
        stops.push(
          `${limit.kind === 'bound' ? limit.bound : limit.kind} with ${aliveOf(request).length} alive`,
        );
        return Promise.resolve();
      };
      const request: AgentRequest = requestOf({ ...limits, onStop });
      expect(await start(behaviour, request)).toMatchObject({ termination, exitCode: null, reason });
      expect(stops).toEqual([`${why} with 1 alive`]);
      expect(aliveOf(request)).toEqual([]);
    },
  );

  it('is cancelled on request', async () => {
    const abort = new AbortController();
    const request = requestOf({ signal: abort.signal, onLine: () => abort.abort() });
    expect((await start('babbles', request)).termination).toBe('cancelled');
    expect(aliveOf(request)).toEqual([]);
  });

  it('leaves no daemon behind', async () => {
    const request = requestOf();
    const result = await start('leaves_daemon', request);
    expect(result).toMatchObject({ termination: 'completed', finalResponse: 'Done.' });
    expect(result.notes).toEqual(['processes that outlived the agent and were killed: 1']);
    expect(aliveOf(request)).toEqual([]);
  });

  it('may print garbage before its final message', async () => {
    const result = await start('prints_garbage', requestOf());
    expect(result).toMatchObject({ termination: 'completed', finalResponse: 'Done.' });
  });

  it('may print more than is kept, and its final message still counts', async () => {
    const request = requestOf();
    const result = await start('floods', request);
    expect(result).toMatchObject({ termination: 'completed', finalResponse: 'Done.' });
    expect(result.result?.usage).toEqual({ input_tokens: 12, output_tokens: 3 });
    expect(result.notes.join()).toContain('bytes cut from the transcript');
    for (const { text } of stored(request)) expect(text.length).toBeLessThan(CAPTURE_LIMIT + 1_000);
  });

  it("can't put anything else in the place of its transcript", async () => {
    const { transcriptPath, streamPath } = await start('tampers', requestOf());
    for (const path of [transcriptPath, streamPath ?? transcriptPath]) {
      expect(lstatSync(path).isFile()).toBe(true);
      expect(readFileSync(path, 'utf8')).toMatch(/Before\.[\s\S]*Done\./);
    }
  });

  it('has its secrets neither stored nor shown', async () => {
    const lines: string[] = [];
    const request = requestOf({ onLine: (line) => lines.push(line) });
    const result = await start('tells_secrets', request);
    expect(result.termination).toBe('completed');
    expect(lines.join('\n')).toContain('[masked]');
    expect(lines.join('\n')).not.toContain(SECRET);
    const files = stored(request);
    expect(files.length).toBeGreaterThan(2);
    expect(files.filter(({ text }) => text.includes(SECRET)).map(({ name }) => name)).toEqual([]);
  });

  it('that is not installed is missed before a run', async () => {
    const missing = await create(['no-such-program']).explainUnavailable(
      () => Promise.resolve(false),
      'implement',
    );
    expect(missing).toBe('command not found: no-such-program');
    expect(
      await create([process.execPath]).explainUnavailable(() => Promise.resolve(false), 'implement'),
    ).toBeNull();
  });
});
