import { describe, expect, it } from 'vitest';
import { agent, check, validation, workflow } from './check.ts';

describe('the plan', () => {
  it('applies the policy of the workflow first and that of the step second', () => {
    const steps = agent('a', 'b', '    policy: policy.own.v1\n') + agent('b', 'STOP');
    const { plan } = check(workflow('a', steps, 'defaults: { policy: policy.shared.v2 }\n'));
    expect(plan?.stepsById.a).toMatchObject({ policies: ['policy.shared.v2', 'policy.own.v1'] });
    expect(plan?.stepsById.b).toMatchObject({ policies: ['policy.shared.v2'] });
  });

  it('distinguishes inline prompts from references', () => {
    const { plan } = check(
      workflow('a', agent('a', 'b') + agent('b', 'STOP').replace('do the work', 'task.b.v1')),
    );
    expect(plan?.stepsById.a).toMatchObject({ prompt: { kind: 'inline', text: 'do the work' } });
    expect(plan?.stepsById.b).toMatchObject({ prompt: { kind: 'reference', ref: 'task.b.v1' } });
  });

  it('makes strings and builtins named validators, and fills in what a script leaves out', () => {
    const run =
      '[tests, { id: lint, kind: builtin, timeout: 5m, retries: 2 }, { id: s, kind: script, entrypoint: ./s }]';
    const rest = { artifacts: [], report: null, mayProposeGoldens: null };
    expect(check(workflow('a', validation('a', 'STOP', run))).plan?.stepsById.a).toMatchObject({
      parallel: false,
      validators: [
        { kind: 'named', id: 'tests', name: 'tests', timeoutMs: null, retries: null, ...rest },
        { kind: 'named', id: 'lint', name: 'lint', timeoutMs: 300_000, retries: 2, ...rest },
        {
          kind: 'script',
          id: 's',
          entrypoint: './s',
          args: [],
          cwd: null,
          timeoutMs: null,
          retries: null,
          ...rest,
        },
      ],
    });
  });

  it('has no step with an undeclared id', () => {
    const { plan } = check(workflow('a', agent('a', 'STOP')));
    expect(plan?.stepsById.constructor).toBeUndefined();
  });
});
