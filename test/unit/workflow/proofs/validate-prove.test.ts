import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Services } from '../../../../src/app/services.ts';
import { type ValidateFormat, validate } from '../../../../src/surfaces/cli/commands/workflow/validate.ts';
import { describeDuration } from '../../../../src/workflow/proofs/proof-text.ts';
import { listeningTerminal } from '../../cli/listening-terminal.ts';
import { agent, patternA, validation, workflow } from '../check.ts';

const LIMITS = 'defaults: { limits: { timeout: 10m, cost_budget_usd: 2.5 } }\n';

const FILES = {
  sound: workflow('work', agent('work', 'check') + validation('check', 'STOP'), LIMITS),
  unvalidated: workflow('check', validation('check', 'work') + agent('work', 'STOP'), LIMITS),
  bare: workflow('work', agent('work', 'STOP'), LIMITS),
  broken: workflow('nowhere', agent('work', 'STOP'), LIMITS),
  pattern: patternA,
  cents: workflow(
    'work',
    agent('work', 'more', '    limits: { cost_budget_usd: 0.1 }\n') +
      agent('more', 'check', '    limits: { cost_budget_usd: 0.2 }\n') +
      validation('check', 'STOP'),
  ),
};

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'conductor-prove-'));
  for (const [name, text] of Object.entries(FILES)) await writeFile(join(folder, `${name}.yaml`), text);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Asked {
  readonly prove?: boolean;
  readonly format?: ValidateFormat;
  readonly agentRuns?: number;
  readonly wallMs?: number;
  readonly costUsd?: number;
}

async function ask(name: keyof typeof FILES, requested: Asked) {
  const { terminal, written: printed } = listeningTerminal();
  const checkContext = {
    defaults: { timeoutMs: 1_800_000, idleTimeoutMs: 300_000, maxVisits: 10 },
    names: null,
    inputs: null,
  };
  const openCheck: Services['openCheck'] = async () => ({
    ok: true,
    value: {
      context: checkContext,
      brokenConfig: null,
      templateReader: () => Promise.reject(new Error('no prompt is checked here')),
      workflowFolders: [],
    },
  });
  const context = {
    terminal,
    services: async () => ({ openCheck }) as Services,
    json: false,
    startDir: folder,
    version: '0.0.0',
    repo: null,
    keepRunning: () => {},
    endWithReader: () => {},
    leaveTerminal: null,
  };
  const { prove = false, format = 'human', agentRuns = null, wallMs = null, costUsd = null } = requested;
  const code = await validate(context, [join(folder, `${name}.yaml`)], format, {
    verbose: false,
    prove,
    caps: { agentRuns, wallMs, costUsd },
  });
  return { code, ...printed };
}

describe('the exit code of validate', () => {
  it.each<[string, keyof typeof FILES, Asked, number]>([
    ['is 0 where the proofs hold', 'sound', { prove: true }, 0],
    ['is 0 where they hold by judgement', 'pattern', { prove: true }, 0],
    ['is 0 for a warning without --prove', 'unvalidated', {}, 0],
    ['is 2 for the same with --prove', 'unvalidated', { prove: true }, 2],
    ['is 1 for a proof that fails with nothing but a warning', 'bare', { prove: true }, 1],
    ['is 0 where that was not asked for', 'bare', { agentRuns: 1 }, 0],
    ['is 2 for an invalid document', 'broken', { prove: true, agentRuns: 0 }, 2],
    ['is 0 at the caps', 'sound', { agentRuns: 1, wallMs: 1_200_000, costUsd: 2.5 }, 0],
    ['is 0 at a cap that a sum of cents comes to', 'cents', { costUsd: 0.3 }, 0],
    ['is 2 above agent runs', 'sound', { agentRuns: 0 }, 2],
    ['is 2 above the wall clock', 'sound', { wallMs: 1_199_999 }, 2],
    ['is 2 above the cost', 'sound', { costUsd: 2.4 }, 2],
    ['is 2 where the cost is unbounded', 'pattern', { costUsd: 1_000_000 }, 2],
    ['is 2 for a cap, whatever the proofs say', 'bare', { prove: true, agentRuns: 0 }, 2],
  ])('%s', async (_, name, requested, expected) => {
    expect((await ask(name, requested)).code).toBe(expected);
  });
});

describe('what validate prints', () => {
  it('has a line per proof, and the path that violates it', async () => {
    expect((await ask('bare', { prove: true })).out).toContain(
      `bare.yaml: valid, 1 step, 1 warning (--verbose shows more)
  ✗ a run can succeed without a passed validation after the last agent: work (completed) -> STOP
  ✓ no goldens can be proposed
    worst case: 1 agent run, 0 planner calls, 10m of wall clock, unbounded tokens, 2.5 USD
`,
    );
  });

  it('says by how much a worst case is above', async () => {
    const { out } = await ask('sound', { agentRuns: 0, wallMs: 60_000, costUsd: 2.4 });
    expect(out.split('\n').filter((line) => line.includes('✗'))).toEqual([
      '  ✗ agent runs can reach 1, 1 above the 0 allowed',
      '  ✗ the wall clock can reach 20m, 19m above the 1m allowed',
      '  ✗ the cost can reach 2.5 USD, 0.1 USD above the 2.4 USD allowed',
    ]);
  });

  it('says why a worst case is unbounded', async () => {
    const { out } = await ask('pattern', { wallMs: 3_600_000, costUsd: 1 });
    expect(out).toContain('the wall clock is unbounded, above the 1h allowed: no timeout at `golden_gate`');
    expect(out).toContain('the cost is unbounded, above the 1 USD allowed: no budget limits it');
  });

  it('is nothing more than before where no proof was asked for', async () => {
    expect((await ask('sound', {})).out).toMatch(/^✓ \S+sound\.yaml: valid, 2 steps\n$/);
  });

  it.each(['sarif', 'github'] as const)('goes to standard error beside %s', async (format) => {
    const { err } = await ask('bare', { prove: true, format, agentRuns: 0 });
    expect(err.split('\n').map((line) => line.replace(/^.*bare\.yaml: /, ''))).toEqual([
      'a run can succeed without a passed validation after the last agent: work (completed) -> STOP',
      'agent runs can reach 1, 1 above the 0 allowed',
      '',
    ]);
  });
});

describe('the JSON of validate', () => {
  it('has the proofs in the document of the file', async () => {
    const { out } = await ask('bare', { prove: true, format: 'json', agentRuns: 0 });
    expect(JSON.parse(out)).toMatchObject({
      schema_version: 1,
      ok: false,
      files: [
        {
          ok: false,
          proofs: {
            holds: false,
            validated: {
              holds: false,
              path: [{ step_id: 'work', key: 'completed' }],
              end: 'STOP',
              judged: null,
            },
            goldens: { holds: true, path: null, proposing: [] },
            loops: [],
            worst_case: { agent_runs: 1, planner_calls: 0, wall_ms: 600_000, tokens: null, cost_usd: 2.5 },
            exceeded: [{ what: 'agent_runs', cap: 0, worst_case: 1 }],
          },
        },
      ],
    });
  });

  it('has null if errors leave nothing to prove, and no such key without a request', async () => {
    const proofsOf = (out: string) => JSON.parse(out).files[0];
    expect(proofsOf((await ask('broken', { prove: true, format: 'json' })).out).proofs).toBeNull();
    expect(proofsOf((await ask('sound', { format: 'json' })).out)).not.toHaveProperty('proofs');
  });
});

describe('durations in proofs', () => {
  it.each([
    [0, '0s'],
    [1, '1ms'],
    [90_000, '1m 30s'],
    [259_200_000, '3d'],
    [93_784_005, '1d 2h 3m 4s 5ms'],
  ])('%i ms is %s', (ms, expected) => {
    expect(describeDuration(ms)).toBe(expected);
  });
});
