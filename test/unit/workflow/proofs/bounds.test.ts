import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Plan, PlanStep } from '../../../../src/kernel/plan.ts';
import { proveWorkflow } from '../../../../src/workflow/proofs/prove-workflow.ts';
import { agent, evaluate, gate, planOf, validation } from '../../../../testing/plans.ts';
import { type RandomRun, randomRun } from '../../kernel/random-runs.ts';
import {
  evaluated,
  eventsOf,
  goOn,
  type Played,
  passed,
  rolledBack,
  start,
} from '../../kernel/scripted-run.ts';

type Steps = readonly [PlanStep, ...PlanStep[]];

function loopsOf(steps: Steps): string[] {
  return proveWorkflow(planOf(steps)).loops.map((loop) =>
    loop.steps.map(({ stepId, maxVisits }) => `${stepId} ${maxVisits}`).join(', '),
  );
}

/** Work, check, judge, and back to the start or to a step of its own. */
function loop(visits: { work?: number; check?: number; judge?: number }, attempts?: number): Steps {
  return [
    agent('work', { maxVisits: visits.work ?? 10, routes: { completed: 'check' } }),
    validation('check', { maxVisits: visits.check ?? 10, routes: { completed: 'judge', error: 'judge' } }),
    evaluate('judge', {
      maxVisits: visits.judge ?? 10,
      routes: { partial: 'work' },
      revision: attempts === undefined ? null : { step: 'work', maxAttempts: attempts },
    }),
  ];
}

const withFix = (attempts: number | null, fixVisits = 10): Steps => [
  agent('work', { routes: { completed: 'check' } }),
  validation('check', { routes: { completed: 'judge', error: 'judge' } }),
  evaluate('judge', {
    routes: { partial: 'fix', needs_human: 'ask' },
    revision: attempts === null ? null : { step: 'fix', maxAttempts: attempts },
  }),
  agent('fix', { maxVisits: fixVisits, routes: { completed: 'check' } }),
  gate('ask'),
];

describe('how often the steps of a loop are entered', () => {
  it.each<[string, Steps, string[]]>([
    ['a workflow without a loop has none', [agent('a', { routes: { completed: 'b' } }), agent('b')], []],
    ['max_visits of one member bounds all of them', loop({ work: 3 }), ['work 3, check 3, judge 3']],
    ['whichever it is, the steps before it once more', loop({ judge: 2 }), ['work 3, check 3, judge 2']],
    ['a revision cap bounds the loop by one more', loop({}, 1), ['work 2, check 2, judge 2']],
    ['a cap on a step of its own', withFix(2), ['check 3, judge 3, fix 2']],
    ['no cap leaves max_visits', withFix(null), ['check 10, judge 10, fix 10']],
    ['max_visits of the step that fixes', withFix(null, 4), ['check 5, judge 5, fix 4']],
    [
      'a step that leads to itself',
      [agent('a', { maxVisits: 4, routes: { completed: 'STOP', error: 'a' } })],
      ['a 4'],
    ],
    [
      'two ways to a gate that sends back, of which a round takes one',
      [
        agent('work', { maxVisits: 3, routes: { completed: 'judge' } }),
        evaluate('judge', { routes: { success: 'ask', partial: 'fix' } }),
        agent('fix', { routes: { completed: 'ask' } }),
        gate('ask', { routes: { gate_rejected: 'work' } }),
      ],
      ['work 3, judge 3, fix 3, ask 3'],
    ],
    [
      'two loops one after the other',
      [
        agent('a', { maxVisits: 2, routes: { completed: 'b', error: 'a' } }),
        agent('b', { maxVisits: 3, routes: { error: 'b' } }),
      ],
      ['a 2', 'b 3'],
    ],
    [
      'another status that leads to the refining step is not counted as a revision',
      [
        agent('work', { maxVisits: 6, routes: { completed: 'judge' } }),
        evaluate('judge', {
          routes: { partial: 'work', blocked: 'work' },
          revision: { step: 'work', maxAttempts: 1 },
        }),
      ],
      ['work 6, judge 6'],
    ],
    [
      'a long loop against the order of the document',
      [
        agent('s0', { maxVisits: 2, routes: { completed: 's99', error: 'STOP' } }),
        ...Array.from({ length: 99 }, (_, index) =>
          gate(`s${index + 1}`, { routes: { gate_approved: `s${index}` } }),
        ),
      ],
      [['s0 2', ...Array.from({ length: 99 }, (_, index) => `s${index + 1} 2`)].join(', ')],
    ],
  ])('%s', (_, steps, expected) => {
    expect(loopsOf(steps)).toEqual(expected);
  });
});

describe('the worst case', () => {
  const worst = (steps: Steps, fields?: Parameters<typeof planOf>[1]) =>
    proveWorkflow(planOf(steps, fields)).worstCase;

  it('counts the agents and evaluations of every entry', () => {
    expect(worst(withFix(1))).toMatchObject({ agentRuns: 2, plannerCalls: 2 });
    expect(worst(loop({ work: 3 }))).toMatchObject({ agentRuns: 3, plannerCalls: 3 });
  });

  it('takes the heavier of two branches, not both', () => {
    const steps: Steps = [
      gate('ask', { routes: { gate_approved: 'a', gate_rejected: 'b' } }),
      agent('a', { routes: { completed: 'a2' } }),
      agent('a2'),
      agent('b'),
    ];
    expect(worst(steps).agentRuns).toBe(2);
  });

  it('adds the limits of all entries and the timeouts of gates', () => {
    const steps: Steps = [
      agent('a', { timeoutMs: 100, maxVisits: 2, routes: { completed: 'g', error: 'a' } }),
      gate('g', { timeoutMs: 1_000, routes: { gate_timed_out: 'STOP' } }),
    ];
    expect(worst(steps)).toMatchObject({ wallMs: 1_200, workMs: 200, openGates: [] });
  });

  it('is unbounded where a gate waits without a timeout, and says which', () => {
    const steps: Steps = [agent('a', { timeoutMs: 100, routes: { completed: 'g' } }), gate('g')];
    expect(worst(steps)).toMatchObject({ wallMs: null, workMs: 100, openGates: ['g'] });
  });

  it.each([
    ['side by side, the longest counts', true, 700],
    ['one after the other, their own limits and that of the step', false, 1_250],
  ])('of validators: %s', (_, parallel, expected) => {
    const [validator] = validation('v').validators;
    if (validator === undefined) throw new Error('no validator');
    const validators = [
      validator,
      { ...validator, id: 'slow', timeoutMs: 700 },
      { ...validator, id: 'quick', timeoutMs: 50 },
    ];
    expect(worst([validation('v', { validators, parallel, timeoutMs: 500 })]).workMs).toBe(expected);
  });

  it.each([
    ['that fit into the time of the step', 2, false, 700 + 50 + 100],
    ['that end with the time of the step', 100, false, 700 + 50 + 500],
    ['side by side, that fit', 2, true, 700],
    ['side by side, of a quick validator alone', 100, true, 700],
  ])('of further tries: %s', (_, retries, parallel, expected) => {
    const [validator] = validation('v').validators;
    if (validator === undefined) throw new Error('no validator');
    const validators = [
      { ...validator, id: 'slow', timeoutMs: 700 },
      { ...validator, id: 'quick', timeoutMs: 50, retries },
    ];
    expect(worst([validation('v', { validators, parallel, timeoutMs: 500 })]).workMs).toBe(expected);
  });

  it('of further tries side by side ends with the step', () => {
    const [validator] = validation('v').validators;
    if (validator === undefined) throw new Error('no validator');
    const validators = [{ ...validator, id: 'quick', timeoutMs: 50, retries: 100 }];
    expect(worst([validation('v', { validators, parallel: true, timeoutMs: 500 })]).workMs).toBe(500);
  });

  it.each([
    ['no budget is no bound', null, [null, null], null],
    ['the budget of the run', 9, [null, null], 9],
    ['the budgets of all agents', null, [2, 3], 5],
    ['not of some', null, [2, null], null],
    ['the smaller of the two', 4, [2, 3], 4],
  ] as const)('of cost: %s', (_, ofRun, [first, second], expected) => {
    const budgets = (costUsd: number | null) => ({ tokens: costUsd, costUsd });
    const steps: Steps = [
      agent('a', { budgets: budgets(first), routes: { completed: 'b', error: 'a' } }),
      agent('b', { budgets: budgets(second) }),
    ];
    expect(worst(steps, { budgets: budgets(ofRun) })).toMatchObject({ costUsd: expected, tokens: expected });
  });
});

describe('the kernel', () => {
  it.each<[string, Steps]>([
    ['a loop that the agent bounds', loop({ work: 3 })],
    ['a loop that the judge bounds', loop({ judge: 2 })],
    ['a loop with a revision cap', loop({}, 2)],
    ['a fix with a cap', withFix(3)],
    ['a fix without one', withFix(null)],
  ])('can be driven to the bound of %s', (_, steps) => {
    const plan = planOf(steps);
    const run = goOn(start(plan), ({ stepId }) => (stepId === 'judge' ? evaluated('partial') : passed));
    const { agentRuns, plannerCalls } = proveWorkflow(plan).worstCase;
    expect([entered(run, 'RUN_AGENT'), entered(run, 'EVALUATE')]).toEqual([agentRuns, plannerCalls]);
  });

  it('is never driven past a bound', () => {
    let looped = 0;
    fc.assert(
      fc.property(randomRun(), (drawn) => {
        const plan = withTimeouts(drawn.plan);
        const run = goOn(
          start(plan),
          ({ stepId, visit }) => drawn.replies[stepId]?.[visit - 1] ?? rolledBack,
        );
        const { loops, worstCase } = proveWorkflow(plan);
        expect(entered(run, 'RUN_AGENT')).toBeLessThanOrEqual(worstCase.agentRuns);
        expect(entered(run, 'EVALUATE')).toBeLessThanOrEqual(worstCase.plannerCalls);
        expect(timeOf(plan, run)).toBeLessThanOrEqual(worstCase.workMs);
        const bounds = new Map(
          loops.flatMap(({ steps }) => steps.map(({ stepId, maxVisits }) => [stepId, maxVisits])),
        );
        for (const [stepId, visits] of Object.entries(run.state.visits)) {
          if (visits > 1) looped += 1;
          expect(visits, stepId).toBeLessThanOrEqual(bounds.get(stepId) ?? 1);
        }
      }),
      { numRuns: 1_000 },
    );
    expect(looped).toBeGreaterThan(50);
  });
});

/** What has to be done again after an interruption or a wait comes on top of any bound. */
function entries(run: Played) {
  return eventsOf(run, 'step_started').filter(({ payload }) => !payload.recovery);
}

function entered(run: Played, opcode: PlanStep['opcode']): number {
  return entries(run).filter(({ payload }) => payload.opcode === opcode).length;
}

/** The time of a run in which everything takes as long as it may. */
function timeOf(plan: Plan, run: Played): number {
  return entries(run).reduce((total, { step_id }) => {
    const step = plan.stepsById[step_id ?? ''];
    const limited = step !== undefined && 'idleTimeoutMs' in step;
    return total + (limited ? step.timeoutMs : 0);
  }, 0);
}

/** Drawn gates can time out, so that they must be able to. */
function withTimeouts(plan: RandomRun['plan']): Plan {
  const steps = plan.steps.map((step) => (step.opcode === 'GATE' ? { ...step, timeoutMs: 1 } : step));
  const [first, ...rest] = steps;
  if (first === undefined) throw new Error('a plan needs a step');
  return planOf([first, ...rest], { budgets: plan.budgets });
}
