import { describe, expect, it } from 'vitest';
import { agent, evaluate, gate, planOf, rollback, stop, validation } from '../../../testing/plans.ts';
import {
  approved,
  cancel,
  changed,
  crash,
  ended,
  endOfRun,
  evaluated,
  eventsOf,
  finalState,
  give,
  goOn,
  goTo,
  inOrder,
  passed,
  play,
  resume,
  rolledBack,
  start,
  step,
} from './scripted-run.ts';

const plan = planOf([
  agent('a', { routes: { completed: 'v' } }),
  validation('v', { routes: { completed: 'e' } }),
  evaluate('e', { routes: { needs_human: 'g' } }),
  gate('g', { routes: { gate_approved: 'r' } }),
  rollback('r', { routes: { completed: 'done' } }),
  stop('done', 'all done'),
]);
const script = inOrder([changed, passed, evaluated('needs_human'), approved, rolledBack]);
const whole = goOn(start(plan), script);

describe('a cancel', () => {
  it('ends the run as cancelled after whatever event it comes', () => {
    expect(finalState(whole)).toBe('completed success gate_approved');
    for (let keep = 1; keep < whole.events.length; keep++) {
      const run = goOn(cancel(crash(whole, keep)), script);
      expect(`${keep} ${finalState(run)}`).toBe(`${keep} failed cancelled cancelled`);
      const after = run.events.slice(keep).map(({ event_type }) => event_type);
      expect(after).toEqual(['run_cancelled', 'run_completed']);
    }
  });

  it.each(['a', 'v', 'e', 'g', 'r'])('while step %s is running requests only the end', (stepId) => {
    const run = cancel(goTo(start(plan), script, stepId));
    expect(run.effect).toMatchObject({
      kind: 'finish',
      end: { lifecycle: 'failed', outcome: 'cancelled', termination: 'cancelled' },
    });
  });

  it('of an open gate ends the run, and the gate takes no answer any more', () => {
    const open = step(goTo(start(plan), script, 'g'), script);
    expect(open.effect).toMatchObject({ kind: 'await_gate' });
    const run = goOn(cancel(open), script);
    expect(finalState(run)).toBe('failed cancelled cancelled');
    expect(eventsOf(run, 'gate_approved')).toEqual([]);
  });

  it('says by whom where no reason was given, and the reason where one was', () => {
    const by = goOn(cancel(start(plan)), script);
    expect(endOfRun(by).reason).toContain('ann');
    const reasoned = give(start(plan), { kind: 'cancel', by: 'ann', reason: 'wrong branch' });
    expect(endOfRun(goOn(reasoned, script)).reason).toBe('wrong branch');
  });

  it('that comes twice counts once', () => {
    const run = goOn(cancel(cancel(start(plan))), script);
    expect(eventsOf(run, 'run_cancelled')).toHaveLength(1);
    expect(finalState(run)).toBe('failed cancelled cancelled');
  });

  it('outlives a crash before the end is on record', () => {
    const cancelled = cancel(start(plan));
    const run = goOn(resume(crash(cancelled)), script);
    expect(finalState(run)).toBe('failed cancelled cancelled');
  });

  it('of a run that has ended changes nothing', () => {
    const late = cancel(whole);
    expect(late.events).toEqual(whole.events);
    expect(late.effect).toBeNull();
  });

  it('does not cover up a workflow error or a budget', () => {
    const looping = planOf([agent('x', { routes: { completed: 'x' }, maxVisits: 1 })]);
    const failing = step(start(looping), inOrder([passed]));
    expect(finalState(goOn(cancel(failing), script))).toBe('failed error workflow_error');
    const dear = planOf([agent('x')], { budgets: { tokens: 1, costUsd: null } });
    const broke = step(start(dear), inOrder([ended('completed', { usage: { input_tokens: 2 } })]));
    expect(finalState(goOn(cancel(broke), script))).toBe('failed budget budget');
  });
});

describe('a run without a cancel', () => {
  it('has no event of one', () => {
    expect(eventsOf(play(planOf([agent('a')]), [passed]), 'run_cancelled')).toEqual([]);
  });
});
