import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EventDraft } from '../../../src/contracts/run/event.ts';
import type { Plan, PlanStep } from '../../../src/kernel/plan.ts';
import { compareWithPlan } from '../../../src/kernel/replay-against.ts';
import { agent, evaluate, gate, planOf, stop, validation } from '../../../testing/plans.ts';
import { numberOfRuns } from '../number-of-runs.ts';
import { CUTS, interrupted, randomRun } from './random-runs.ts';
import {
  approved,
  cancel,
  changed,
  ended,
  evaluated,
  eventsOf,
  goOn,
  goTo,
  inOrder,
  passed,
  play,
  start,
} from './scripted-run.ts';

function withRoute(plan: Plan, stepId: string, key: string, target: string): Plan {
  const [first, ...rest] = plan.steps.map((step) =>
    step.id === stepId && 'routes' in step
      ? ({ ...step, routes: { ...step.routes, [key]: target } } as PlanStep)
      : step,
  );
  if (first === undefined) throw new Error('a plan needs a step');
  return planOf([first, ...rest, stop('elsewhere')], plan);
}

describe('a recorded run against a workflow', () => {
  it('takes the same path through the one it ran with, however often it was interrupted', () => {
    fc.assert(
      fc.property(randomRun(), CUTS, (random, cuts) => {
        const run = interrupted(random, cuts);
        const { difference, common, recorded, edited } = compareWithPlan(run.plan, run.events);
        expect(difference).toBeNull();
        expect(common).toHaveLength(recorded.steps.length);
        expect(edited).toEqual(recorded);
      }),
      { numRuns: numberOfRuns(200) },
    );
  });

  it('takes the same path up to the end of an unfinished record', () => {
    fc.assert(
      fc.property(randomRun(), CUTS, (random, cuts) => {
        const run = interrupted(random, cuts);
        for (let keep = 1; keep <= run.events.length; keep++) {
          const { difference } = compareWithPlan(run.plan, run.events.slice(0, keep));
          expect({ keep, difference }).toEqual({ keep, difference: null });
        }
      }),
      { numRuns: numberOfRuns(40) },
    );
  });

  it('parts from one with another route at the first step that took it', () => {
    let seen = 0;
    fc.assert(
      fc.property(randomRun(), CUTS, (random, cuts) => {
        const run = interrupted(random, cuts);
        for (const { step_id, payload } of eventsOf(run, 'route_selected')) {
          const step = run.plan.steps.find(({ id }) => id === step_id);
          // An evaluation checks where its routes lead before it takes them.
          if (step_id === null || step?.opcode === 'EVALUATE') continue;
          const edited = withRoute(run.plan, step_id, payload.key, 'elsewhere');
          const { difference } = compareWithPlan(edited, run.events);
          if (difference?.kind !== 'route') throw new Error(`the difference is ${difference?.kind}`);
          expect(difference.step.stepId).toBe(step_id);
          expect(difference.step.key).toBe(payload.key);
          expect(difference.recorded).not.toEqual(difference.edited);
          seen += 1;
        }
      }),
      { numRuns: numberOfRuns(80) },
    );
    expect(seen).toBeGreaterThan(numberOfRuns(50));
  });
});

const STEPS = {
  implement: agent('implement', { routes: { completed: 'check' } }),
  check: validation('check', { routes: { completed: 'judge', error: 'judge' } }),
  judge: evaluate('judge', { routes: { success: 'approve', partial: 'implement' } }),
  approve: gate('approve'),
};

function planWith(change: Partial<Record<keyof typeof STEPS, PlanStep>>, fields: Partial<Plan> = {}): Plan {
  const { implement, check, judge, approve } = { ...STEPS, ...change };
  return planOf([implement, check, judge, approve, stop('late', 'too late')], fields);
}

const USED = ended('completed', { changed: true, usage: { input_tokens: 10 } });
const RUN = play(planWith({}), [
  USED,
  ended('error'),
  evaluated('partial'),
  USED,
  passed,
  evaluated('success'),
  approved,
]);

function against(plan: Plan, events: readonly EventDraft[] = RUN.events) {
  const { difference, common } = compareWithPlan(plan, events);
  return { difference, common: common.map(({ stepId, visit }) => `${stepId}#${visit}`) };
}

describe('the first difference', () => {
  it('is a route, with the step, its visit, the key and both targets', () => {
    const plan = planWith({
      judge: evaluate('judge', { routes: { success: 'late', partial: 'implement' } }),
    });
    expect(against(plan)).toMatchObject({
      common: ['implement#1', 'check#1', 'judge#1', 'implement#2', 'check#2'],
      difference: {
        kind: 'route',
        step: { stepId: 'judge', visit: 2, key: 'success' },
        recorded: { kind: 'to', target: 'approve' },
        edited: { kind: 'to', target: 'late' },
      },
    });
  });

  it('is a visit too many for the edited workflow', () => {
    const plan = planWith({ check: { ...STEPS.check, maxVisits: 1 } });
    expect(against(plan).difference).toMatchObject({
      kind: 'route',
      step: { stepId: 'implement', visit: 2 },
      recorded: { kind: 'to', target: 'check' },
      edited: { kind: 'workflow_error', message: expect.stringContaining('max_visits') },
    });
  });

  it('is a budget that the edited workflow has not', () => {
    expect(against(planWith({}, { budgets: { tokens: 15, costUsd: null } })).difference).toMatchObject({
      step: { stepId: 'implement', visit: 2, key: 'completed' },
      edited: { kind: 'budget' },
    });
  });

  it('is another entry step', () => {
    expect(against(planWith({}, { entryStep: 'check' }))).toEqual({
      common: [],
      difference: { kind: 'entry_step', recorded: 'implement', edited: 'check' },
    });
  });

  it('is a step that does something else', () => {
    expect(against(planWith({ check: agent('check') }))).toMatchObject({
      common: ['implement#1'],
      difference: { kind: 'opcode', step: { stepId: 'check' }, recorded: 'RUN_VALIDATION' },
    });
  });

  it('is empty if only parts outside the path have changed', () => {
    const plan = planWith({
      implement: agent('implement', { maxVisits: 2, routes: { completed: 'check', error: 'late' } }),
    });
    expect(against(plan).difference).toBeNull();
  });
});

describe('a record of a run that was stopped', () => {
  it('is the same up to the gate where it waits', () => {
    const waiting = goTo(start(planWith({})), inOrder([changed, passed, evaluated('success')]), 'approve');
    expect(against(planWith({}), waiting.events)).toEqual({
      common: ['implement#1', 'check#1', 'judge#1', 'approve#1'],
      difference: null,
    });
  });

  it('is the same up to the step in which it was cancelled', () => {
    const running = goTo(start(planWith({})), inOrder([changed]), 'check');
    const over = goOn(cancel(running), inOrder([]));
    expect(over.state.stage.kind).toBe('ended');
    expect(against(planWith({}), over.events)).toEqual({
      common: ['implement#1', 'check#1'],
      difference: null,
    });
  });
});
