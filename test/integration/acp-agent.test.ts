import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAcpAgent } from '../../src/adapters/agents/acp.ts';
import { resolveProgram } from '../../src/adapters/process/program.ts';
import { createSupervisor } from '../../src/adapters/process/supervisor.ts';
import type { PolicyOverride } from '../../src/contracts/documents/policy.ts';
import type { Usage } from '../../src/contracts/run/agent-result.ts';
import { assemblePolicy } from '../../src/policy/assemble.ts';
import type { Agent, AgentRequest, AgentResult } from '../../src/ports/agent.ts';
import { markedProcesses } from '../e2e/marked-processes.ts';

const PROGRAM = join(import.meta.dirname, 'acp-agent.mjs');
let folder: string;
let runs = 0;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'conductor acp ')));
  await mkdir(join(folder, 'work'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

function agentOf(
  behaviour: string,
  change: { readonly greetingMs?: number; readonly command?: string } = {},
): Agent {
  return createAcpAgent({
    command: [change.command ?? process.execPath, PROGRAM, behaviour],
    model: null,
    supervisor: createSupervisor(),
    resolveProgram,
    searchPath: dirname(process.execPath),
    captureLimitBytes: 100_000,
    graceMs: 200,
    secrets: [],
    protectedBranches: ['main'],
    ...(change.greetingMs === undefined ? {} : { greetingMs: change.greetingMs }),
  });
}

interface Heard {
  readonly lines: string[];
  readonly usages: Usage[];
  readonly stops: string[];
}

function request(
  heard: Heard,
  change: Partial<AgentRequest> = {},
  policy: PolicyOverride = {},
): AgentRequest {
  runs += 1;
  return {
    runId: 'run-1',
    stepId: 'implement',
    attempt: 1,
    visit: 1,
    prompt: 'do the thing\n',
    checkoutPath: join(folder, 'work'),
    runDir: join(folder, 'run'),
    inputs: {},
    evidenceDir: join(folder, 'run', 'artifacts', 'implement'),
    confinement: null,
    policy: assemblePolicy([{ source: 'step', policy }]),
    env: { PATH: process.env.PATH ?? '', MY_API_KEY: 'key-of-a-test-0123456789' },
    timeoutMs: 20_000,
    idleTimeoutMs: 20_000,
    mark: `acp-${process.pid}-${runs}/implement@1`,
    signal: new AbortController().signal,
    onStop: (reason) => {
      heard.stops.push(reason.kind === 'bound' ? reason.bound : reason.kind);
      return Promise.resolve();
    },
    onLine: (line) => heard.lines.push(line),
    onUsage: (usage) => heard.usages.push(usage),
    ...change,
  };
}

async function run(
  behaviour: string,
  change: Partial<AgentRequest> = {},
  policy: PolicyOverride = {},
): Promise<AgentResult & Heard> {
  const heard: Heard = { lines: [], usages: [], stops: [] };
  const asked = request(heard, change, policy);
  const result = await agentOf(behaviour).run(asked);
  expect(markedProcesses(asked.mark.replace('/implement@1', ''))).toEqual([]);
  return { ...result, ...heard };
}

const written = (name: string) => existsSync(join(folder, 'work', name));

describe('an agent that speaks ACP', () => {
  it('works, asks, is answered, and reports its actions and usage', async () => {
    const result = await run('works');
    expect(result).toMatchObject({
      termination: 'completed',
      exitCode: 0,
      finalResponse: 'Wrote it.',
      result: { usage: { input_tokens: 30, output_tokens: 5 } },
      reason: null,
      failure: null,
      sessionId: 's1',
      controls: {
        requested: { model: null, approval: 'fail_on_prompt', execution: 'workspace_write' },
        effective: { permission_requests: { allowed: 1, allowed_automatically: 0, refused: 0 } },
      },
      notes: [],
      usages: [{ input_tokens: 30, output_tokens: 5 }],
    });
    expect(await readFile(join(folder, 'work', 'a.txt'), 'utf8')).toBe('hello\n');
    expect(await readFile(result.streamPath ?? '', 'utf8')).toContain('"session/request_permission"');
    const transcript = await readFile(result.transcriptPath, 'utf8');
    for (const part of ['**edit**', 'Write a.txt', 'the policy lets these files change', 'Wrote it.'])
      expect(transcript).toContain(part);
    expect(result.lines).toContain('Wrote it.');
  });

  it('has worked when it says nothing and files have changed', async () => {
    expect(await run('quiet')).toMatchObject({ termination: 'completed', reason: null, finalResponse: '' });
    expect(written('a.txt')).toBe(true);
  });

  it('is refused what the policy does not allow, and that is no success', async () => {
    const result = await run('strays');
    expect(result).toMatchObject({
      termination: 'error',
      failure: { class: 'refused_tool' },
      notes: ['native_policy_block: Write config'],
    });
    expect(await readFile(result.transcriptPath, 'utf8')).toContain(
      'refused: Write config: outside_workspace',
    );
  });

  it('changes nothing under a read-only policy', async () => {
    const result = await run('works', {}, { execution: 'read_only' });
    expect(result.failure?.class).toBe('refused_tool');
    expect(written('a.txt')).toBe(false);
  });

  it.each([
    ['ends the step by default', {}, 'killed_policy', false],
    ['is refused where nobody is to be asked', { approval: 'deny_interactive' }, 'completed', false],
    ['is allowed where the policy approves', { approval: 'bounded_auto_approve' }, 'completed', true],
  ] as const)('asks what only a user can answer: it %s', async (_, policy, termination, wrote) => {
    const result = await run('deploys', {}, policy);
    expect(result.termination).toBe(termination);
    const violation = { class: 'interactive_prompt_violation', subject: 'Deploy' };
    expect(result.violations).toMatchObject(termination === 'killed_policy' ? [violation] : []);
    expect(written('a.txt')).toBe(wrote);
  });

  it('that prints what is no message, or one that is too long, is understood all the same', async () => {
    const result = await run('noise');
    expect(result.termination).toBe('completed');
    expect(result.lines).toContain('! hello there');
    expect(result.lines.join('\n')).toContain('bytes was skipped');
  });

  it('does not leave its keys in any file', async () => {
    const result = await run('blabs');
    for (const path of [result.transcriptPath, result.streamPath ?? ''])
      expect(await readFile(path, 'utf8')).not.toContain('key-of-a-test');
    expect(result.lines.join('\n')).not.toContain('key-of-a-test');
  });
});

describe('an agent that fails', () => {
  it.each([
    ['newer', 'no_result', 'the agent speaks version 2 of ACP, and not version 1'],
    ['login', 'authentication', 'the agent needs a login: Authentication required'],
    ['dies', 'crash', 'the agent exited with code 3: out of cheese'],
    ['refuses', 'no_result', 'the agent ended its turn because the model refused'],
    ['shrugs', 'no_result', 'the agent ended its turn without a message, a tool call or a changed file'],
  ])('%s: %s', async (behaviour, kind, reason) => {
    expect(await run(behaviour)).toMatchObject({ termination: 'error', reason, failure: { class: kind } });
  });

  it('never answers initialize', async () => {
    const heard: Heard = { lines: [], usages: [], stops: [] };
    const result = await agentOf('mute', { greetingMs: 300 }).run(request(heard));
    expect(result).toMatchObject({
      termination: 'error',
      reason: 'the agent had opened no session after 0.3 s',
      failure: { class: 'no_result' },
    });
  });

  it('is not there', async () => {
    const heard: Heard = { lines: [], usages: [], stops: [] };
    const agent = agentOf('works', { command: 'no-such-agent' });
    expect(await agent.explainUnavailable(() => Promise.resolve(false), 'implement')).toBe(
      'command not found: no-such-agent',
    );
    expect(await agent.run(request(heard))).toMatchObject({
      termination: 'error',
      reason: 'command not found: no-such-agent',
    });
  });
});

describe('the end of an agent', () => {
  it('ends although it does not exit by itself', async () => {
    expect(await run('lingers')).toMatchObject({ termination: 'completed', exitCode: null, stops: [] });
  });

  it('takes along what a tool left behind', async () => {
    const result = await run('daemon');
    expect(result).toMatchObject({
      termination: 'completed',
      notes: ['processes that outlived the agent and were killed: 1'],
    });
  });

  it.each([
    ['timeout', { timeoutMs: 1_500 }, 'killed_timeout', 'the agent timed out after 1.5 s'],
    ['idle', { idleTimeoutMs: 1_500 }, 'killed_idle', 'the agent printed nothing for 1.5 s'],
  ] as const)('by %s is asked for before it is made', async (reason, change, termination, reported) => {
    const result = await run('hangs', change);
    expect(result).toMatchObject({ termination, reason: reported, stops: [reason], failure: null });
    expect(written('cancelled.txt')).toBe(true);
  });

  it('can be called off', async () => {
    const stop = new AbortController();
    const result = await run('hangs', {
      signal: stop.signal,
      onLine: () => stop.abort(),
    });
    expect(result).toMatchObject({ termination: 'cancelled', stops: [] });
    expect(written('cancelled.txt')).toBe(true);
  });

  it('resolves at once if it was cancelled before it began', async () => {
    const result = await run('works', { signal: AbortSignal.abort() });
    expect(result.termination).toBe('cancelled');
    expect(written('a.txt')).toBe(false);
  });
});
