import { describe, expect, it } from 'vitest';
import type { ValidatorResult } from '../../../src/ports/validator.ts';
import { collectProposals, runTries } from '../../../src/runtime/effects/validation/validator-tries.ts';

function resultOf(
  outcome: ValidatorResult['outcome'],
  change: Partial<ValidatorResult> = {},
): ValidatorResult {
  return {
    id: 'v',
    outcome,
    exitCode: null,
    durationMs: 1,
    stdoutPath: '/out.txt',
    stderrPath: null,
    artifacts: [],
    missingArtifacts: [],
    requiredArtifacts: [],
    harnessReport: null,
    reason: null,
    ...change,
  };
}

const reported = (proposals: number) => ({ harnessReport: { path: '/r.json', value: {}, proposals } });

describe('a validator', () => {
  it.each<[string, number, readonly ValidatorResult['outcome'][], number]>([
    ['that passes is run once', 3, ['completed'], 1],
    ['without retries is run once', 0, ['error', 'completed'], 1],
    ['that fails is run until it passes', 3, ['error', 'error', 'completed', 'error'], 3],
    ['that fails always is run as often as it may be', 2, ['error', 'error', 'error', 'completed'], 3],
    ['that was cancelled is not run again', 3, ['error', 'cancelled', 'completed'], 2],
    ['that took too long is not run again', 3, ['killed_timeout', 'completed'], 1],
    ['that fell silent is not run again', 3, ['error', 'killed_idle', 'completed'], 2],
    ['that was refused is not run again', 3, ['killed_policy', 'completed'], 1],
  ])('%s', async (_name, retries, outcomes, tries) => {
    const counts: number[] = [];
    const run = async (count: number) => {
      counts.push(count);
      return resultOf(outcomes[count - 1] ?? 'completed');
    };
    const tried = await runTries(retries, run, () => true);
    expect(counts).toEqual(Array.from({ length: tries }, (_each, index) => index + 1));
    expect([...tried.failed, tried.last].map(({ outcome }) => outcome)).toEqual(outcomes.slice(0, tries));
  });

  it('that could not be started is not run again', async () => {
    const tried = await runTries(
      3,
      async () => resultOf('error', { stdoutPath: null }),
      () => true,
    );
    expect(tried.failed).toEqual([]);
  });

  it('is not run again when the time of the step is over', async () => {
    let left = 2;
    const tried = await runTries(
      9,
      async () => resultOf('error'),
      () => --left > 0,
    );
    expect(tried.failed).toHaveLength(1);
  });

  it.each([
    ['of the last report', [resultOf('error', reported(2))], resultOf('completed', reported(0)), 0],
    [
      'of a try before, where the last left no report',
      [resultOf('error', reported(2))],
      resultOf('completed'),
      2,
    ],
    ['of nobody', [], resultOf('completed'), null],
  ])('has the proposals %s', (_name, failed, last, proposals) => {
    expect(collectProposals({ last, failed })).toBe(proposals);
  });
});
