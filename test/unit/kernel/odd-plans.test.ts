import { describe, expect, it } from 'vitest';
import { KernelBug } from '../../../src/kernel/step-log.ts';
import { agent, evaluate, gate, planOf, rollback, stop, validation } from '../../../testing/plans.ts';
import {
  approved,
  endOfRun,
  evaluated,
  eventsOf,
  finalState,
  give,
  inOrder,
  passed,
  play,
  start,
  startInput,
  step,
  trail,
} from './scripted-run.ts';

describe('a step whose id is a name that every object has', () => {
  const ids = ['constructor', 'toString'];

  it.each(ids)('%s is counted like any other', (id) => {
    const run = play(planOf([agent(id, { routes: { completed: id, error: 'STOP' }, maxVisits: 2 })]), [
      passed,
      passed,
    ]);
    expect(eventsOf(run, 'step_started').map(({ payload }) => [payload.visit, payload.attempt])).toEqual([
      [1, 1],
      [2, 2],
    ]);
    expect(finalState(run)).toBe('failed error workflow_error');
  });

  it.each(ids)('%s has a refinement cap like any other', (id) => {
    const plan = planOf([
      evaluate('judge', { routes: { partial: id }, revision: { step: id, maxAttempts: 1 } }),
      agent(id, { routes: { completed: 'judge' } }),
    ]);
    const run = play(plan, [evaluated('partial'), passed, evaluated('partial')]);
    expect(eventsOf(run, 'refinement_spent').map(({ payload }) => payload.spent)).toEqual([1]);
    expect(finalState(run)).toBe('failed error workflow_error');
  });

  it.each(ids)('%s is not found in a plan that does not declare it', (id) => {
    const run = play(planOf([agent('a', { routes: { completed: id } })]), [passed]);
    expect(trail(run)).toEqual(['a']);
    expect(finalState(run)).toBe('failed error workflow_error');
  });
});

describe('a plan that no checker would let through', () => {
  it.each([
    ['a route to a step that is not there', planOf([agent('a', { routes: { completed: 'gone' } })])],
    ['an entry that is not there', planOf([agent('a')], { entryStep: 'gone' })],
  ])('with %s ends in a workflow error', (_, plan) => {
    const run = play(plan, [passed]);
    expect(finalState(run)).toBe('failed error workflow_error');
    expect(endOfRun(run).reason).toContain('"gone"');
    expect(eventsOf(run, 'workflow_error')).toHaveLength(1);
  });
});

describe('an input that the running step can’t have caused', () => {
  const ended = {
    kind: 'step_ended',
    outcome: 'completed',
    changed: false,
    tree: 't',
    validators: [],
    usage: null,
    reason: null,
    violations: [],
  } as const;
  const judgement = {
    kind: 'evaluated',
    decision: {
      status: 'success',
      nextStep: null,
      riskFlags: [],
      blockerCodes: [],
      reason: null,
      planner: 'rules',
    },
  } as const;
  const rolledBack = {
    kind: 'rolled_back',
    rollback: { target: 'pre_run', commit: 'c', tree_before: 't', tree_after: 'b', salvage_ref: 's' },
  } as const;
  const opened = { kind: 'gate_opened', reason: '', tree: 't', requestSha256: 'r' } as const;
  const answer = {
    kind: 'gate_answered',
    answer: 'gate_approved',
    by: null,
    comment: null,
    answeredAt: '',
  } as const;

  it.each([
    ['a judgement of an agent', agent('a'), judgement],
    ['a judgement of a validation', validation('a'), judgement],
    ['a rollback by an agent', agent('a'), rolledBack],
    ['a rollback by an evaluation', evaluate('a'), rolledBack],
    ['a gate opened by an agent', agent('a'), opened],
    ['an answer to a gate that is not open yet', gate('a'), answer],
    ['an answer to an agent', agent('a'), answer],
    ['an end of the run while an agent works', agent('a'), { kind: 'finished', tree: null, headSha: null }],
    ['a mechanical end of a declared stop', stop('a'), ended],
  ] as const)('is refused as a bug: %s', (_, under, input) => {
    expect(() => give(start(planOf([under])), input)).toThrow(KernelBug);
  });

  it('is refused as a bug: a second answer', () => {
    const plan = planOf([gate('a', { routes: { gate_approved: 'b' } }), rollback('b')]);
    const script = inOrder([approved]);
    const answeredOnce = step(step(start(plan), script), script);
    expect(answeredOnce.effect).toMatchObject({ kind: 'roll_back' });
    expect(() => give(answeredOnce, answer)).toThrow(KernelBug);
  });

  it('is refused as a bug: a start of a run that has started', () => {
    const run = start(planOf([agent('a')]));
    expect(() => give(run, startInput(run.plan))).toThrow(KernelBug);
  });
});
