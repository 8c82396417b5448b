import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AgentPlannerDeps, createAgentPlanner } from '../../src/adapters/planner/agent-planner.ts';
import { resolveProgram } from '../../src/adapters/process/program.ts';
import { createSupervisor, DEFAULT_PROCESS_LIMITS } from '../../src/adapters/process/supervisor.ts';
import { createPromptCatalog } from '../../src/adapters/prompts/prompt-catalog.ts';
import { readPrompts } from '../../src/adapters/prompts/prompt-files.ts';
import { envelope, failed } from '../unit/planner/envelope-builder.ts';

/** A replacement for the command line of an agent: prints what it was given, then does what the script says. */
const PROGRAM = `#!/usr/bin/env node
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
const args = process.argv.slice(2);
const seen = { args, env: process.env, cwd: process.cwd(), files: readdirSync('.'), prompt: readFileSync(0, 'utf8') };
writeFileSync(process.env.SEEN, JSON.stringify(seen));
const answer = process.env.ANSWER ?? '';
if (answer === 'hang') setInterval(() => {}, 1000);
else if (args[0] === 'exec') {
  writeFileSync(args[args.indexOf('-o') + 1], answer);
  console.log(JSON.stringify({ type: 'turn.completed', usage: { input_tokens: 4, output_tokens: 2 } }));
} else console.log(JSON.stringify({ type: 'result', result: answer, structured_output: JSON.parse(answer) }));
`;

const SUCCESS = { status: 'success', next_step: null, fix_instructions: null, blockers: [], risk_flags: [] };
const CLEAN = envelope({}, { evaluate_prompt: 'planner.evaluate_results.v1' });
const RED = envelope({ validation: failed }, { evaluate_prompt: 'planner.evaluate_results.v1' });
const NEVER = new AbortController().signal;
const prompts = createPromptCatalog(readPrompts([new URL('../../prompts', import.meta.url).pathname]).byRef);

let folder: string;
let program: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'conductor-agent-planner-'));
  program = join(folder, 'agent.mjs');
  await writeFile(program, PROGRAM);
  await chmod(program, 0o755);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function plannerOf(kind: AgentPlannerDeps['kind'], answer: string, change: Partial<AgentPlannerDeps> = {}) {
  const seenPath = join(folder, `${kind}-${Math.random()}.json`);
  const planner = createAgentPlanner({
    agent: 'someone',
    kind,
    command: [program],
    model: null,
    env: { PATH: process.env.PATH ?? '', SEEN: seenPath, ANSWER: answer },
    prompts,
    secrets: [],
    timeoutMs: 20_000,
    supervisor: createSupervisor(),
    resolveProgram,
    ...DEFAULT_PROCESS_LIMITS,
    ...change,
  });
  return { planner, seen: async () => JSON.parse(await readFile(seenPath, 'utf8')), seenPath };
}

describe.each(['claude-code', 'codex'] as const)('an agent of kind %s that is asked to judge', (kind) => {
  it('works in an empty folder, with its own environment alone and the prompt on standard input', async () => {
    const { planner, seen } = plannerOf(kind, JSON.stringify(SUCCESS));
    const { decision, trace } = await planner.evaluate(CLEAN, NEVER);
    expect(decision.status).toBe('success');
    expect(trace).toMatchObject({ verdict: 'taken', proposal: SUCCESS, attempts: 1 });
    const { files, env, cwd, prompt } = await seen();
    expect(files).toEqual([]);
    expect(Object.keys(env)).toEqual(expect.arrayContaining(['PATH', 'SEEN', 'CONDUCTOR_MARK']));
    expect(env.VITEST).toBeUndefined();
    expect(prompt).toContain('You evaluate the work of a coding agent');
    await expect(readdir(cwd)).rejects.toThrow('ENOENT');
  });

  it('is limited by the severity floor of the rules', async () => {
    const { decision, trace } = await plannerOf(kind, JSON.stringify(SUCCESS)).planner.evaluate(RED, NEVER);
    expect({ status: decision.status, verdict: trace.verdict }).toEqual({
      status: 'partial',
      verdict: 'raised_to_floor',
    });
  });

  it('is ended when it does not finish in time', async () => {
    const { planner } = plannerOf(kind, 'hang', { timeoutMs: 1_500 });
    const { decision } = await planner.evaluate(CLEAN, NEVER);
    expect(decision.blockers).toMatchObject([
      { code: 'planner_unavailable', summary: expect.stringContaining('timed out after 1.5 s') },
    ]);
  });

  it('is stopped without an evaluation when its caller no longer waits', async () => {
    const controller = new AbortController();
    const { planner, seen } = plannerOf(kind, 'hang');
    const judging = planner.evaluate(CLEAN, controller.signal);
    await expect.poll(() => seen().catch(() => null), { timeout: 20_000 }).not.toBeNull();
    controller.abort();
    await expect(judging).rejects.toThrow();
  });

  it('is distinguished from one that is not installed', async () => {
    const { planner } = plannerOf(kind, '', { command: ['no-such-agent-anywhere'] });
    expect(await planner.explainUnavailable?.()).toBe('command not found: no-such-agent-anywhere');
    const { decision } = await planner.evaluate(CLEAN, NEVER);
    expect(decision.blockers[0]).toMatchObject({ code: 'planner_unavailable' });
  });
});
