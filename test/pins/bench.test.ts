import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { median } from '../../bench/measure.mjs';
import { compareWithLimits, firstThatHolds, formatRatios, formatTable } from '../../bench/report.mjs';
import { createWorkflow, STEPS_PER_STAGE } from '../../bench/workflow-file.mjs';
import { checkWorkflow } from '../../src/workflow/check-workflow.ts';
import { checkPrompt } from '../../src/workflow/document/prompt-document.ts';
import type { CheckContext, KnownPrompt } from '../../src/workflow/rule.ts';

const PROMPTS = join(import.meta.dirname, '..', '..', 'prompts');

/** Names are resolved as in a repository without configuration, so that a wrong one would be found. */
async function checkContext(): Promise<CheckContext> {
  const prompts = new Map<string, KnownPrompt>();
  for (const name of await readdir(PROMPTS)) {
    const { prompt } = checkPrompt({ name, bytes: await readFile(join(PROMPTS, name)) });
    if (prompt !== null) prompts.set(prompt.ref, prompt);
  }
  const none = new Set<string>();
  return {
    defaults: { timeoutMs: 1_800_000, idleTimeoutMs: 300_000, maxVisits: 10 },
    names: { agents: none, validators: none, policies: none, prompts, entrypoints: none },
    inputs: null,
  };
}

describe('the workflow of the bench', () => {
  it.each([1, 2, 10])('has nothing to complain about with %i stages', async (stages) => {
    const bytes = new TextEncoder().encode(createWorkflow(stages));
    const { diagnostics, plan } = checkWorkflow({ name: 'bench.yaml', bytes }, await checkContext());
    expect(diagnostics).toEqual([]);
    expect(plan?.steps).toHaveLength(stages * STEPS_PER_STAGE);
  });

  it('uses every opcode that can route', async () => {
    const bytes = new TextEncoder().encode(createWorkflow(10));
    const { plan } = checkWorkflow({ name: 'bench.yaml', bytes }, await checkContext());
    const opcodes = new Set(plan?.steps.map((step) => step.opcode));
    expect([...opcodes].sort()).toEqual(['EVALUATE', 'GATE', 'ROLLBACK', 'RUN_AGENT', 'RUN_VALIDATION']);
  });
});

describe('the verdict of the bench', () => {
  const commands = [
    { name: 'base', limit: null },
    { name: 'quick', limit: 1.6 },
    { name: 'slow', limit: 3 },
  ];

  it.each([
    ['holds at the limit', [10, 16, 30], [false, false, false]],
    ['breaks above it', [10, 17, 31], [false, true, true]],
    ['goes by the ratio, not by the time', [1000, 1600, 3000], [false, false, false]],
  ] as const)('%s', (_, medians, broken) => {
    expect(compareWithLimits(commands, medians).map((row) => row.broken)).toEqual(broken);
  });

  it.each([
    ['the first try that is within the limit', [false], 1, false],
    ['the next one where it does not', [true, false], 2, false],
    ['the last of three where none does', [true, true, true, false], 3, true],
  ] as const)('is that of %s', async (_, broken, tries, verdict) => {
    let tried = 0;
    const [row] = await firstThatHolds(() => {
      tried += 1;
      return [{ broken: broken[tried - 1] ?? true }];
    });
    expect([tried, row?.broken]).toEqual([tries, verdict]);
  });

  it('is in the table beside ratio and limit', () => {
    expect(formatTable(compareWithLimits(commands, [10, 12, 31])).split('\n')).toEqual([
      'command  median ms  ratio   limit',
      'base          10.0   1.00',
      'quick         12.0   1.20  <= 1.6      ok',
      'slow          31.0   3.10    <= 3  BROKEN',
    ]);
  });

  it('omits times and limits for ratios that are only reported', () => {
    expect(formatRatios(compareWithLimits(commands, [10, 12, 31]))).toBe('quick 1.20, slow 3.10');
  });

  it.each([
    [[3, 1, 2], 2],
    [[4, 1, 3, 2], 2.5],
    [[100, 1, 1], 1],
  ])('takes %j to have the median %d', (values, expected) => {
    expect(median(values)).toBe(expected);
  });
});
