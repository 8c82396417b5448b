import { describe, expect, it } from 'vitest';
import type { PlanStep, PlanValidator } from '../../../../src/kernel/plan.ts';
import { describePath } from '../../../../src/workflow/proofs/proof-text.ts';
import { proveWorkflow } from '../../../../src/workflow/proofs/prove-workflow.ts';
import { agent, evaluate, gate, planOf, rollback, stop, validation } from '../../../../testing/plans.ts';

type Steps = readonly [PlanStep, ...PlanStep[]];

function pathsOf(proof: 'validated' | 'goldens', steps: Steps): readonly (string | null)[] {
  const { holds, broken, evaluated } = proveWorkflow(planOf(steps))[proof];
  expect(holds).toBe(broken === null);
  return [broken, evaluated].map((path) => (path === null ? null : describePath(path)));
}

const work = agent('work', { routes: { completed: 'check' } });

describe('a passed validation follows the last agent', () => {
  it.each<[string, Steps, readonly [string | null, string | null]]>([
    ['when it is the only way to the end', [work, validation('check')], [null, null]],
    ['not when there is none', [agent('work')], ['work (completed) -> STOP', null]],
    ['when there is no agent at all', [gate('ask')], [null, null]],
    [
      'not when another agent comes after it',
      [work, validation('check', { routes: { completed: 'polish' } }), agent('polish')],
      ['work (completed) -> check (completed) -> polish (completed) -> STOP', null],
    ],
    [
      'not when it failed and a person is asked without a judgement',
      [work, validation('check', { routes: { error: 'ask' } }), gate('ask')],
      ['work (completed) -> check (error) -> ask (gate_approved) -> STOP', null],
    ],
    [
      'by judgement when an EVALUATE saw it fail',
      [
        work,
        validation('check', { routes: { completed: 'judge', error: 'judge' } }),
        evaluate('judge', { routes: { success: 'ask', needs_human: 'ask' } }),
        gate('ask'),
      ],
      [null, 'work (completed) -> check (error) -> judge (success) -> ask (gate_approved) -> STOP'],
    ],
    [
      'not when only an EVALUATE without a validation lies there',
      [agent('work', { routes: { completed: 'judge' } }), evaluate('judge')],
      ['work (completed) -> judge (success) -> STOP', null],
    ],
    [
      'not when a failed agent is waved through',
      [agent('work', { routes: { completed: 'check', error: 'ask' } }), validation('check'), gate('ask')],
      ['work (error) -> ask (gate_approved) -> STOP', null],
    ],
    [
      'also behind a rollback to the start, which leaves nothing to validate',
      [agent('work', { routes: { completed: 'undo' } }), rollback('undo')],
      [null, null],
    ],
    [
      'also behind a rollback of the only agent',
      [agent('work', { routes: { completed: 'undo' } }), rollback('undo', { target: 'pre_step' })],
      [null, null],
    ],
    [
      'not behind a rollback to a state that was not validated either',
      [
        agent('work', { routes: { completed: 'more' } }),
        agent('more', { routes: { completed: 'undo' } }),
        rollback('undo', { target: 'pre_step' }),
      ],
      ['work (completed) -> more (completed) -> undo (completed) -> STOP', null],
    ],
    [
      'where a rollback ends as what led into it, which was no success',
      [
        agent('work', { routes: { completed: 'check', error: 'undo' } }),
        validation('check'),
        rollback('undo', { target: 'pre_step' }),
      ],
      [null, null],
    ],
  ])('%s', (_, steps, expected) => {
    expect(pathsOf('validated', steps)).toEqual(expected);
  });

  it('says which declared STOP the path ends at', () => {
    expect(pathsOf('validated', [agent('work', { routes: { completed: 'done' } }), stop('done')])[0]).toBe(
      'work (completed) -> done',
    );
  });

  it('returns the shortest of several paths', () => {
    const steps: Steps = [
      agent('work', { routes: { completed: 'long', error: 'short' } }),
      gate('long', { routes: { gate_approved: 'short' } }),
      gate('short'),
    ];
    expect(pathsOf('validated', steps)[0]).toBe('work (error) -> short (gate_approved) -> STOP');
  });

  it('is decided at once for a workflow with too many paths to enumerate', () => {
    const steps = Array.from({ length: 3_000 }, (_, index) =>
      gate(`g${index}`, { routes: { gate_approved: `g${index + 1}`, gate_rejected: `g${index + 1}` } }),
    );
    const [first, ...rest] = [
      agent('work', { routes: { completed: 'g0' } }),
      ...steps,
      validation('g3000'),
    ] as const;
    expect(proveWorkflow(planOf([first, ...rest])).validated.holds).toBe(true);
  });
});

const harness: PlanValidator = {
  kind: 'script',
  id: 'harness',
  entrypoint: './h',
  args: [],
  cwd: null,
  artifacts: ['out/harness_report.json'],
  timeoutMs: null,
  report: null,
  mayProposeGoldens: null,
  retries: 0,
};

describe('an approved gate follows proposed goldens', () => {
  const proposing = (completed: string, change: Partial<PlanValidator> = {}) =>
    validation('compare', {
      validators: [{ ...harness, ...change } as PlanValidator],
      routes: { completed },
    });

  it.each<[string, Steps, readonly [string | null, string | null]]>([
    ['not when the validation ends the run', [proposing('STOP')], ['compare (completed) -> STOP', null]],
    ['when a gate follows', [proposing('ask'), gate('ask')], [null, null]],
    [
      'when a rejection leads to another gate',
      [proposing('ask'), gate('ask', { routes: { gate_rejected: 'more' } }), gate('more')],
      [null, null],
    ],
    [
      'not when a rejection leads to a success',
      [proposing('ask'), gate('ask', { routes: { gate_rejected: 'work' } }), agent('work')],
      ['compare (completed) -> ask (gate_rejected) -> work (completed) -> STOP', null],
    ],
    [
      'by judgement when an EVALUATE saw none',
      [proposing('judge'), evaluate('judge', { routes: { needs_human: 'ask' } }), gate('ask')],
      [null, 'compare (completed) -> judge (success) -> STOP'],
    ],
    [
      'where the validator says that it proposes none',
      [proposing('STOP', { mayProposeGoldens: false })],
      [null, null],
    ],
    [
      'not where the validator says that it may',
      [proposing('STOP', { artifacts: [], mayProposeGoldens: true })],
      ['compare (completed) -> STOP', null],
    ],
  ])('%s', (_, steps, expected) => {
    expect(pathsOf('goldens', steps)).toEqual(expected);
  });

  it('names the steps that can propose, if a run can come to them', () => {
    const { goldens } = proveWorkflow(planOf([gate('ask'), proposing('STOP')]));
    expect([goldens.holds, goldens.proposing]).toEqual([true, []]);
    expect(proveWorkflow(planOf([proposing('ask'), gate('ask')])).goldens.proposing).toEqual(['compare']);
  });
});

describe('statuses and routes', () => {
  it('a status other than success that ends the run at once is named', () => {
    const steps: Steps = [
      evaluate('judge', { routes: { partial: 'work', needs_human: 'ask', blocked: 'halt' } }),
      agent('work'),
      gate('ask'),
      stop('halt'),
    ];
    expect(proveWorkflow(planOf(steps)).endingStatuses).toEqual([
      { stepId: 'judge', status: 'blocked' },
      { stepId: 'judge', status: 'unsafe' },
    ]);
  });

  it('a gate without a timeout is never left by gate_timed_out, and nothing is reached by it', () => {
    const prove = (timeoutMs: number | null) =>
      proveWorkflow(planOf([gate('ask', { timeoutMs, routes: { gate_timed_out: 'work' } }), agent('work')]));
    expect(prove(null)).toMatchObject({
      deadRoutes: [{ stepId: 'ask', key: 'gate_timed_out' }],
      worstCase: { agentRuns: 0 },
    });
    expect(prove(5)).toMatchObject({ deadRoutes: [], worstCase: { agentRuns: 1 } });
  });
});
