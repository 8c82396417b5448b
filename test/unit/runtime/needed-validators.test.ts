import { describe, expect, it } from 'vitest';
import type { PlanValidator } from '../../../src/kernel/plan.ts';
import { findNeededValidators } from '../../../src/runtime/effects/validation/optional-validators.ts';

const named = (id: string, optional: boolean) => ({ kind: 'named', id, name: id, optional }) as PlanValidator;
const TESTS = named('tests', false);
const LINT = named('lint', true);
const TYPES = named('typecheck', true);

describe('the validators that a run needs before it starts', () => {
  it.each([
    ['the required one, where all can run', [TESTS, LINT], ['tests', 'lint'], ['tests']],
    ['the required one alone, where nothing can run', [TESTS, LINT, TYPES], [], ['tests']],
    ['the required one alone, where only an optional one can run', [TESTS, LINT], ['lint'], ['tests']],
    ['none, where one of the optional ones can run', [LINT, TYPES], ['lint'], []],
    ['all, where they are optional and none can run', [LINT, TYPES], [], ['lint', 'typecheck']],
  ])('are %s', (_, validators, runnable: readonly string[], needed) => {
    const found = findNeededValidators(validators, ({ id }) => runnable.includes(id));
    expect(found.map(({ id }) => id)).toEqual(needed);
  });
});
