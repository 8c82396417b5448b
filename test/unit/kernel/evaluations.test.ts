import { describe, expect, it } from 'vitest';
import { agent, evaluate, gate, planOf, rollback, stop, validation } from '../../../testing/plans.ts';
import {
  ended,
  endOfRun,
  evaluated,
  eventsOf,
  finalState,
  passed,
  play,
  type Reply,
  rejected,
  trail,
} from './scripted-run.ts';

describe('the planner’s next_step', () => {
  const plan = planOf([
    evaluate('judge', {
      allowedNextSteps: ['fix', 'other'],
      routes: { success: 'STOP', partial: 'fix' },
    }),
    agent('fix'),
    agent('other'),
  ]);

  it.each([
    ['none', undefined, null],
    ['the same as the route', 'fix', null],
    ['legal and different', 'other', 'other'],
  ] as const)('that is %s leaves the route as it is', (_, nextStep, recorded) => {
    const run = play(plan, [evaluated('partial', nextStep), passed]);
    expect(trail(run)).toEqual(['judge', 'fix']);
    expect(eventsOf(run, 'route_selected')[0]?.payload).toEqual({
      key: 'partial',
      to: 'fix',
      planner_next_step: recorded,
    });
    expect(eventsOf(run, 'decision_recorded')[0]?.payload.next_step).toBe(nextStep ?? null);
  });

  it('that is legal and differs from a route to STOP is recorded, and the run stops', () => {
    const run = play(plan, [evaluated('success', 'other')]);
    expect(finalState(run)).toBe('completed success success');
    expect(eventsOf(run, 'route_selected')[0]?.payload.planner_next_step).toBe('other');
  });

  it.each([
    ['a step that is not listed', 'judge'],
    ['a step that is not there', 'nowhere'],
    ['STOP, where it is not listed', 'STOP'],
  ])('that is %s is a workflow error, and the decision stays on record', (_, nextStep) => {
    const run = play(plan, [evaluated('success', nextStep)]);
    expect(finalState(run)).toBe('failed error workflow_error');
    expect(endOfRun(run).reason).toContain(`"${nextStep}"`);
    expect(eventsOf(run, 'decision_recorded')[0]?.payload.next_step).toBe(nextStep);
    expect(eventsOf(run, 'route_selected')).toEqual([]);
  });
});

describe('the target of a status', () => {
  const steps = [
    agent('agent'),
    validation('validation'),
    gate('gate'),
    rollback('rollback'),
    stop('stop'),
  ] as const;
  const everything = ['agent', 'validation', 'gate', 'rollback', 'judge'];

  it.each([
    ['unsafe', 'rollback', true],
    ['unsafe', 'stop', true],
    ['unsafe', 'STOP', true],
    ['unsafe', 'gate', false],
    ['unsafe', 'agent', false],
    ['unsafe', 'validation', false],
    ['unsafe', 'judge', false],
    ['needs_human', 'gate', true],
    ['needs_human', 'stop', true],
    ['needs_human', 'STOP', true],
    ['needs_human', 'rollback', false],
    ['needs_human', 'agent', false],
    ['needs_human', 'validation', false],
    ['needs_human', 'judge', false],
    ['success', 'agent', true],
    ['partial', 'rollback', true],
    ['blocked', 'gate', true],
  ] as const)('%s may lead to %s: %s', (status, target, legal) => {
    const plan = planOf([
      evaluate('judge', { allowedNextSteps: everything, routes: { [status]: target } }),
      ...steps,
    ]);
    const taken: readonly Reply[] = target === 'gate' ? [rejected] : [ended('error')];
    const run = play(plan, [evaluated(status), ...taken]);
    expect(eventsOf(run, 'route_selected').some(({ step_id }) => step_id === 'judge')).toBe(legal);
    expect(eventsOf(run, 'workflow_error')).toHaveLength(legal ? 0 : 1);
    if (!legal) expect(finalState(run)).toBe('failed error workflow_error');
  });

  it.each([
    ['a listed step', ['fix'], 'fix', true],
    ['a step that is not listed', ['other'], 'fix', false],
    ['STOP, listed or not', ['other'], 'STOP', true],
    ['a declared stop, listed or not', ['other'], 'done', true],
  ] as const)('is legal by allowed_next_steps when it is %s', (_, allowedNextSteps, partial, legal) => {
    const plan = planOf([
      evaluate('judge', { allowedNextSteps, routes: { partial } }),
      agent('fix'),
      agent('other'),
      stop('done'),
    ]);
    const run = play(plan, [evaluated('partial'), passed]);
    expect(eventsOf(run, 'workflow_error')).toHaveLength(legal ? 0 : 1);
    if (!legal) expect(endOfRun(run).reason).toContain('not in allowed_next_steps');
  });
});

describe('the revision loop', () => {
  const looping = (maxAttempts: number) =>
    planOf([
      evaluate('judge', {
        routes: { partial: 'fix', blocked: 'fix' },
        revision: { step: 'fix', maxAttempts },
      }),
      agent('fix', { routes: { completed: 'judge', error: 'judge' } }),
    ]);

  it.each([1, 2, 3])('with max_attempts %i refines so often and no more', (max) => {
    const partials = Array.from({ length: max }, () => [evaluated('partial'), passed]).flat();
    const run = play(looping(max), [...partials, evaluated('partial')]);
    expect(eventsOf(run, 'refinement_spent').map(({ step_id, payload }) => [step_id, payload])).toEqual(
      Array.from({ length: max }, (_, index) => ['fix', { evaluate_step: 'judge', spent: index + 1, max }]),
    );
    expect(finalState(run)).toBe('failed error workflow_error');
    expect(endOfRun(run).reason).toContain('refinement');
  });

  it('continues by other statuses when the cap is reached', () => {
    const run = play(looping(1), [evaluated('partial'), passed, evaluated('success')]);
    expect(finalState(run)).toBe('completed success success');
  });

  it('does not count an entry by another status', () => {
    const run = play(looping(1), [
      evaluated('blocked'),
      passed,
      evaluated('partial'),
      ended('error'),
      evaluated('blocked'),
      passed,
      evaluated('success'),
    ]);
    expect(eventsOf(run, 'refinement_spent')).toHaveLength(1);
    expect(finalState(run)).toBe('completed success success');
  });

  it('does not count the first entry of a step that implements and refines', () => {
    const plan = planOf([
      agent('implement', { routes: { completed: 'judge' } }),
      evaluate('judge', {
        routes: { partial: 'implement' },
        revision: { step: 'implement', maxAttempts: 1 },
      }),
    ]);
    const run = play(plan, [passed, evaluated('partial'), passed, evaluated('success')]);
    expect(finalState(run)).toBe('completed success success');
    expect(eventsOf(run, 'refinement_spent')).toHaveLength(1);
  });

  it('counts by the step that refines, whichever evaluation asks', () => {
    const revision = { step: 'fix', maxAttempts: 1 };
    const plan = planOf([
      evaluate('first', { routes: { partial: 'fix' }, revision }),
      agent('fix', { routes: { completed: 'second' } }),
      evaluate('second', { routes: { partial: 'fix' }, revision }),
    ]);
    const run = play(plan, [evaluated('partial'), passed, evaluated('partial')]);
    expect(finalState(run)).toBe('failed error workflow_error');
    expect(trail(run)).toEqual(['first', 'fix', 'second']);
  });

  it('without a revision is bounded by max_visits alone', () => {
    const plan = planOf([
      evaluate('judge', { routes: { partial: 'fix' } }),
      agent('fix', { routes: { completed: 'judge' }, maxVisits: 2 }),
    ]);
    const run = play(plan, [
      evaluated('partial'),
      passed,
      evaluated('partial'),
      passed,
      evaluated('partial'),
    ]);
    expect(eventsOf(run, 'refinement_spent')).toEqual([]);
    expect(endOfRun(run).reason).toContain('max_visits');
  });

  it.each([
    ['partial', true],
    ['success', false],
    ['blocked', false],
  ] as const)('says on a %s decision whether a refinement was asked for', (status, requested) => {
    const run = play(looping(1), [evaluated(status), passed, evaluated('success')]);
    expect(eventsOf(run, 'decision_recorded')[0]?.payload.refinement_requested).toBe(requested);
  });
});

describe('max_visits', () => {
  it('ends the run and names the loop that would be closed', () => {
    const plan = planOf([
      agent('first', { routes: { completed: 'a' } }),
      agent('a', { routes: { completed: 'b' }, maxVisits: 2 }),
      validation('b', { routes: { completed: 'a' } }),
    ]);
    const run = play(plan, [passed, passed, passed, passed, passed]);
    expect(trail(run)).toEqual(['first', 'a', 'b', 'a', 'b']);
    expect(finalState(run)).toBe('failed error workflow_error');
    expect(endOfRun(run).reason).toContain('a -> b -> a');
    expect(endOfRun(run).reason).not.toContain('b -> a -> b');
    expect(endOfRun(run).reason).not.toContain('first');
    expect(eventsOf(run, 'workflow_error')).toHaveLength(1);
  });

  it('names a step that leads to itself', () => {
    const run = play(planOf([agent('a', { routes: { completed: 'a' }, maxVisits: 1 })]), [passed]);
    expect(endOfRun(run).reason).toContain('a -> a');
  });

  it('bounds each step by its own number', () => {
    const plan = planOf([
      agent('a', { routes: { completed: 'b' }, maxVisits: 3 }),
      agent('b', { routes: { completed: 'a' }, maxVisits: 1 }),
    ]);
    expect(trail(play(plan, [passed, passed, passed]))).toEqual(['a', 'b', 'a']);
  });

  it('does not spend a refinement on an entry that it refuses', () => {
    const plan = planOf([
      agent('fix', { routes: { completed: 'judge' }, maxVisits: 1 }),
      evaluate('judge', { routes: { partial: 'fix' }, revision: { step: 'fix', maxAttempts: 1 } }),
    ]);
    const run = play(plan, [passed, evaluated('partial')]);
    expect(endOfRun(run).reason).toContain('max_visits');
    expect(eventsOf(run, 'refinement_spent')).toEqual([]);
  });
});
