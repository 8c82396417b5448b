import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { resolveProgram } from '../../src/adapters/process/program.ts';
import { createSupervisor, DEFAULT_PROCESS_LIMITS } from '../../src/adapters/process/supervisor.ts';
import { createPromptCatalog } from '../../src/adapters/prompts/prompt-catalog.ts';
import { buildPlanner } from '../../src/wiring/planners.ts';
import { createServices } from '../../src/wiring.ts';
import { checkConfig } from '../../src/workflow/config/config-document.ts';
import { mergeConfigs } from '../../src/workflow/config/config-merge.ts';
import { envelope } from '../unit/planner/envelope-builder.ts';

const AGENTS =
  'agents:\n  coder: { kind: command, command: ./x }\n  codex: { kind: codex, command: no-such-codex }\n';
const MODEL = 'planner: { kind: model, provider: openai, model: small, api_key_env: SOME_PLACE }\n';
const env = { PATH: process.env.PATH ?? '', SOME_PLACE: 'x', ANTHROPIC_API_KEY: '' };

function choose(text: string, name: string | null) {
  const { document } = checkConfig({ name: 'config.yaml', bytes: Buffer.from(`${AGENTS}${text}`) });
  return buildPlanner(
    {
      repoRoot: '/',
      config: mergeConfigs(document),
      prompts: createPromptCatalog(new Map()),
      env,
      secrets: [],
      supervisor: createSupervisor(),
      resolveProgram,
      ...DEFAULT_PROCESS_LIMITS,
    },
    name,
  );
}

describe('the planner that a name selects', () => {
  it.each<[string | null, string, string, string | null]>([
    [null, '', 'rules', null],
    [null, MODEL, 'model:openai/small', null],
    ['rules', MODEL, 'rules', null],
    ['model', MODEL, 'model:openai/small', null],
    ['model:big', MODEL, 'model:openai/big', null],
    ['model:meta/big', MODEL, 'model:openai/meta/big', null],
    ['model:openai/big', MODEL, 'model:openai/big', null],
    ['model:anthropic/big', MODEL, 'model:anthropic/big', 'ANTHROPIC_API_KEY'],
    ['model:openai/big', '', 'model:openai/big', 'OPENAI_API_KEY'],
    ['agent:codex', '', 'agent:codex', 'no-such-codex'],
    ['agent:coder', '', 'agent:coder', 'kind command gives no structured answers'],
    [null, 'planner: { kind: agent, agent: coder }', 'agent:coder', 'kind command'],
  ])('%j over %j is %s', async (name, config, expected, lacks) => {
    const chosen = choose(config, name);
    if (!chosen.ok) throw new Error(chosen.obstacle.message);
    expect(chosen.planner.name).toBe(expected);
    const missing = (await chosen.planner.explainUnavailable?.()) ?? null;
    if (lacks === null) expect(missing).toBeNull();
    else expect(missing).toContain(lacks);
  });

  it.each([
    ['model', '', ', since the configuration has none of kind model', 'model:anthropic/NAME'],
    ['model:big', '', ', since the configuration has none of kind model', 'model:anthropic/NAME'],
    ['model:openai-compatible/big', MODEL, '', 'with a provider of anthropic'],
    ['agent:nobody', '', '', 'agent:NAME'],
    ['agent:cla', '', '', 'did you mean agent:claude-code?'],
    ['rules:all', '', '', 'use rules'],
    ['oracle', '', '', 'use rules'],
  ])('%s over %j is none, and that is said', (name, config, why, help) => {
    expect(choose(config, name)).toMatchObject({
      ok: false,
      obstacle: { message: `there is no planner ${name}${why}`, help: expect.stringContaining(help) },
    });
  });

  it("blocks and does not fall back on the rules when it can't be had", async () => {
    const chosen = choose('planner: { kind: agent, agent: coder }', null);
    if (!chosen.ok) throw new Error(chosen.obstacle.message);
    const { decision, trace } = await chosen.planner.evaluate(envelope(), new AbortController().signal);
    expect(decision.status).toBe('blocked');
    expect(trace).toMatchObject({ verdict: 'refused', floor: { status: 'success' }, attempts: 0 });
  });

  it('is opened for a command without a run, and refused there by its name', async () => {
    const { openPlanner } = createServices('0.0.0');
    expect(await openPlanner(tmpdir(), 'rules')).toMatchObject({ ok: true, value: { name: 'rules' } });
    expect(await openPlanner(tmpdir(), 'agent:codex:x')).toMatchObject({
      ok: false,
      obstacle: { message: 'there is no planner agent:codex:x' },
    });
  });
});
