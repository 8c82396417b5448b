import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configDocumentSchema } from '../../../src/contracts/config/config.ts';
import { CONFIG_DEFAULTS } from '../../../src/contracts/config/config-defaults.ts';
import { findUnknownAgents, insertRoleAgents } from '../../../src/runtime/work/role-workflow.ts';
import { checkWorkflow } from '../../../src/workflow/check-workflow.ts';

const AGENTS = { planner: 'thinker', implementor: 'a: "b" #c', reviewer: 'critic' };
const builtIn = (name: string) =>
  readFile(join(import.meta.dirname, '../../../workflows', `${name}.yaml`), 'utf8');

describe('the agents of roles', () => {
  it.each([
    ['work.plan', ['thinker']],
    ['work.implement', ['\'a: "b" #c\'', 'critic', '\'a: "b" #c\'']],
    ['work.review', ['critic']],
  ])('stand in %s', async (name, agents) => {
    const text = insertRoleAgents(await builtIn(name), AGENTS);
    expect(text.match(/(?<=^ {4}agent: ).+$/gm)).toEqual(agents);
  });

  it.each(['work.plan', 'work.implement', 'work.review'])('change nothing else of %s', async (name) => {
    const text = await builtIn(name);
    const without = (yaml: string) => yaml.replace(/^ {4}agent: .+$/gm, '');
    expect(without(insertRoleAgents(text, AGENTS))).toBe(without(text));
    const same = { planner: 'claude-code', implementor: 'claude-code', reviewer: 'codex' };
    expect(insertRoleAgents(text, same)).toBe(text);
  });

  it('are reported by their keys if they are not configured', () => {
    expect(findUnknownAgents(AGENTS, new Set(['critic']))).toEqual([
      { key: 'work.agents.planner', name: 'thinker' },
      { key: 'work.agents.implementor', name: 'a: "b" #c' },
    ]);
  });
});

describe('the limits of a configuration', () => {
  it.each(['work.plan', 'work.implement', 'work.review'])('hold for every step of %s', async (name) => {
    const bytes = new TextEncoder().encode(await builtIn(name));
    const defaults = { timeoutMs: 7000, idleTimeoutMs: 3000, maxVisits: 4 };
    const { plan } = checkWorkflow({ name, bytes }, { defaults, names: null, inputs: null });
    const timed = plan?.steps.filter((step) => 'idleTimeoutMs' in step) ?? [];
    expect(timed.length).toBeGreaterThan(0);
    for (const step of timed) expect(step).toMatchObject(defaults);
  });
});

describe('the key `work` of a configuration', () => {
  it.each([
    ['nothing', {}, true],
    ['all of it', CONFIG_DEFAULTS.work, true],
    ['one agent', { agents: { reviewer: 'gemini' } }, true],
    ['a role that nobody has', { agents: { tester: 'x' } }, false],
    ['no jobs', { jobs: 0 }, false],
    ['a blank name', { agents: { planner: ' ' } }, false],
  ])('takes %s: %s', (_, value, fits) => {
    expect(configDocumentSchema.safeParse({ work: value }).success).toBe(fits);
  });
});
