import { describe, expect, it } from 'vitest';
import type { PlanValidator } from '../../../src/kernel/plan.ts';
import type { RunnableValidator } from '../../../src/ports/validator.ts';
import { resolveValidator } from '../../../src/runtime/effects/validation/run-validators.ts';

const planned = (fields: Partial<PlanValidator>): PlanValidator => ({
  kind: 'named',
  id: 'tests',
  name: 'tests',
  artifacts: [],
  timeoutMs: null,
  report: null,
  mayProposeGoldens: null,
  retries: 0,
  ...(fields as object),
});

const named: RunnableValidator = {
  kind: 'command',
  id: 'tests',
  command: ['npm', 'test'],
  artifacts: [],
  timeoutMs: null,
  report: 'junit:reports/*.xml',
  retries: null,
};
const project = { validator: (name: string) => (name === 'tests' ? named : null) };

describe('the report of a named validator', () => {
  it.each([
    ['the one of the configuration', {}, 'junit:reports/*.xml'],
    ['the one of the step where it names one', { report: 'tap:stdout' }, 'tap:stdout'],
  ])('is %s', (_, fields, report) => {
    expect(resolveValidator(project, planned(fields))?.report).toBe(report);
  });

  it('is missing if the name is unknown', () => {
    expect(resolveValidator(project, planned({ name: 'lint' }))).toBeNull();
  });
});
