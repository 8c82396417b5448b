import { describe, expect, it } from 'vitest';
import { type EngineSide, listLabels, listNeeds, refuseLabel } from '../../../src/app/engine/labels.ts';
import { formatSharedSettings } from '../../../src/app/engine/shared-settings.ts';
import type { Plan } from '../../../src/kernel/plan.ts';
import { mergeConfigs } from '../../../src/workflow/config/config-merge.ts';

const SIDE: EngineSide = {
  repository: 'shop',
  digest: 'abc',
  agents: ['claude-code', 'codex'],
  plannerAgent: null,
  hasSandbox: false,
  requiresSandbox: false,
};

function planOf(agents: readonly string[], evaluates: boolean): Pick<Plan, 'steps'> {
  const steps = agents.map((agent) => ({ opcode: 'RUN_AGENT', agent }));
  const all = evaluates ? [...steps, { opcode: 'EVALUATE' }] : steps;
  // A label depends on nothing else in a step.
  return { steps: all as unknown as Plan['steps'] };
}

describe('what a run needs', () => {
  it.each([
    [
      'each of its agents once',
      ['codex', 'claude-code', 'codex'],
      false,
      {},
      ['agent=claude-code', 'agent=codex'],
    ],
    [
      'the planner, if it is an agent',
      ['codex'],
      true,
      { plannerAgent: 'judge' },
      ['agent=codex', 'agent=judge'],
    ],
    ['no planner if it evaluates nothing', ['codex'], false, { plannerAgent: 'judge' }, ['agent=codex']],
    [
      'a sandbox, if one is required',
      ['codex'],
      false,
      { requiresSandbox: true },
      ['agent=codex', 'sandbox=bubblewrap'],
    ],
  ])('is %s', (_case, agents, evaluates, change, expected) => {
    const needs = listNeeds(planOf(agents, evaluates), { ...SIDE, ...change });
    expect(needs).toEqual(['repo=shop', 'digest=abc', ...expected]);
  });
});

describe('what a worker has', () => {
  it.each([
    ['all agents that can be started here', [], {}, ['agent=codex']],
    ['only the agents that are named', ['agent=claude-code'], {}, ['agent=claude-code']],
    ['other labels besides its agents', ['zone=eu'], {}, ['agent=codex', 'zone=eu']],
    [
      'the sandbox of its machine',
      ['agent=codex'],
      { hasSandbox: true },
      ['sandbox=bubblewrap', 'agent=codex'],
    ],
  ])('is %s', (_case, given, change, expected) => {
    const labels = listLabels({ ...SIDE, ...change }, given, ['codex']);
    expect(labels).toEqual(['repo=shop', 'digest=abc', ...expected]);
  });

  it.each([
    ['agent=codex', null],
    ['zone=eu', null],
    ['agent=codx', 'agent "codx" is not configured'],
    ['codex', '"codex" is not a label'],
    ['Zone=eu', '"Zone=eu" is not a label'],
    ['zone=', '"zone=" is not a label'],
    ['digest=abc', "the label digest can't be given"],
    ['sandbox=bubblewrap', "the label sandbox can't be given"],
  ])('accepts or refuses %s', (label, message) => {
    expect(refuseLabel(label, SIDE.agents)?.message ?? null).toBe(message);
  });
});

describe('the settings that workers must share', () => {
  const format = (change: Parameters<typeof mergeConfigs>[0]) =>
    formatSharedSettings({ config: mergeConfigs(change), policies: new Map(), prompts: new Map() });

  it('differ by whatever decides what a run does', () => {
    const plain = format(null);
    expect(format({ limits: { max_visits: 3 } })).not.toBe(plain);
    expect(format({ sandbox: 'required' })).not.toBe(plain);
    expect(format({ environment: ['PATH'] })).not.toBe(plain);
    const policy = { policy_id: 'policy.x', version: 1, description: '' };
    const withPolicy = {
      config: mergeConfigs(null),
      policies: new Map([['policy.x.v1', [policy]]]),
      prompts: new Map(),
    };
    expect(formatSharedSettings(withPolicy as never)).not.toBe(plain);
  });

  it('do not differ by the folders and addresses of one machine, nor by the order of keys', () => {
    const plain = format(null);
    expect(format({ paths: { runs: '/elsewhere' } })).toBe(plain);
    expect(format({ engine: { kind: 'postgres', hub: '/hub.git' } })).toBe(plain);
    expect(format({ retention: { keep_runs: 1 } })).toBe(plain);
    const one = { kind: 'command' as const, command: 'a', env: ['HOME'] };
    const two = { env: ['HOME'], command: 'a', kind: 'command' as const };
    expect(format({ agents: { x: one } })).toBe(format({ agents: { x: two } }));
  });
});
