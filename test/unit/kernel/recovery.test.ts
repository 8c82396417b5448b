import { describe, expect, it } from 'vitest';
import { MAX_RECOVERIES } from '../../../src/kernel/decide.ts';
import type { Plan } from '../../../src/kernel/plan.ts';
import { agent, evaluate, gate, planOf, rollback, stop, validation } from '../../../testing/plans.ts';
import {
  approved,
  changed,
  commitOf,
  crash,
  ended,
  endOfRun,
  evaluated,
  eventsOf,
  finalState,
  fold,
  goOn,
  goTo,
  inOrder,
  type Played,
  passed,
  play,
  type Reply,
  rejected,
  resume,
  rolledBack,
  runnerStarted,
  start,
  step,
  trail,
  treeOf,
} from './scripted-run.ts';

/** Interrupts what is under way so many times in a row. */
function interrupt(from: Played, times: number): Played {
  let run = from;
  for (let count = 0; count < times; count++) run = resume(crash(run));
  return run;
}

describe('a step that was interrupted', () => {
  it.each<[string, Plan, readonly Reply[]]>([
    ['an agent', planOf([agent('s')]), [passed]],
    ['a validation', planOf([validation('s')]), [passed]],
    ['an evaluation', planOf([evaluate('s')]), [evaluated('success')]],
    ['a gate that is not open yet', planOf([gate('s')]), [approved]],
    ['a rollback', planOf([rollback('s')]), [rolledBack]],
  ])('is entered again as a new attempt of the same visit: %s', (_, plan, replies) => {
    const run = interrupt(start(plan), 2);
    expect(eventsOf(run, 'step_started').map(({ payload }) => payload)).toMatchObject([
      { attempt: 1, visit: 1, recovery: false },
      { attempt: 2, visit: 1, recovery: true },
      { attempt: 3, visit: 1, recovery: true },
    ]);
    expect(eventsOf(run, 'run_resumed').map(({ step_id, payload }) => [step_id, payload])).toEqual([
      ['s', { reason: 'the process died', attempt: 2 }],
      ['s', { reason: 'the process died', attempt: 3 }],
    ]);
    expect(run.effect).toMatchObject({ stepId: 's', attempt: 3, visit: 1 });
    expect(finalState(goOn(run, inOrder(replies)))).toMatch(/^completed success /);
  });

  it('may be interrupted three times in a row, and ends as an error the fourth time', () => {
    const plan = planOf([agent('s', { routes: { error: 'after' } }), stop('after')]);
    const thrice = interrupt(start(plan), MAX_RECOVERIES);
    expect(MAX_RECOVERIES).toBe(3);
    expect(trail(thrice)).toEqual(['s', 's*', 's*', 's*']);
    const given = goOn(interrupt(thrice, 1), inOrder([]));
    expect(trail(given)).toEqual(['s', 's*', 's*', 's*', 'after']);
    expect(eventsOf(given, 'step_failed').map(({ payload }) => payload.outcome)).toEqual(['error']);
    expect(finalState(given)).toBe('failed error error');
  });

  it.each<[string, Plan, string]>([
    ['a validation takes its error route', planOf([validation('s')]), 'failed error error'],
    ['a rollback takes its error route', planOf([rollback('s')]), 'failed error error'],
    [
      'a gate takes its error route',
      planOf([gate('s', { routes: { error: 'STOP' } })]),
      'failed error error',
    ],
    ['a gate without one fails the run', planOf([gate('s')]), 'failed error workflow_error'],
    [
      'an evaluation, which can’t have one, fails the run',
      planOf([evaluate('s')]),
      'failed error workflow_error',
    ],
  ])('too often: %s', (_, plan, expected) => {
    expect(finalState(goOn(interrupt(start(plan), MAX_RECOVERIES + 1), inOrder([])))).toBe(expected);
  });

  it('has three attempts again at its next visit', () => {
    const plan = planOf([agent('s', { routes: { completed: 's' }, maxVisits: 2 })]);
    const first = interrupt(start(plan), MAX_RECOVERIES);
    const second = interrupt(step(first, inOrder([passed])), MAX_RECOVERIES);
    expect(second.effect).toMatchObject({ kind: 'run_agent', visit: 2, attempt: 8 });
    expect(goOn(second, inOrder([passed, passed])).state.visits).toEqual({ s: 2 });
  });

  it('has three attempts of its own, however often the step before it was interrupted', () => {
    const plan = planOf([evaluate('e', { routes: { needs_human: 'g' } }), gate('g')]);
    const script = inOrder([evaluated('needs_human'), approved]);
    const gateEntered = step(interrupt(start(plan), MAX_RECOVERIES), script);
    const run = goOn(interrupt(gateEntered, MAX_RECOVERIES), script);
    expect(trail(run)).toEqual(['e', 'e*', 'e*', 'e*', 'g', 'g*', 'g*', 'g*']);
    expect(finalState(run)).toBe('completed success gate_approved');
  });

  it('spends no visit', () => {
    const plan = planOf([agent('s', { routes: { completed: 's' }, maxVisits: 2 })]);
    const run = goOn(interrupt(start(plan), 3), inOrder([passed, passed]));
    expect(trail(run)).toEqual(['s', 's*', 's*', 's*', 's']);
    expect(endOfRun(run).reason).toContain('max_visits');
  });

  it('spends no refinement', () => {
    const plan = planOf([
      evaluate('e', { routes: { partial: 'fix' }, revision: { step: 'fix', maxAttempts: 2 } }),
      agent('fix', { routes: { completed: 'e' } }),
    ]);
    const script = inOrder([
      evaluated('partial'),
      passed,
      evaluated('partial'),
      passed,
      evaluated('success'),
    ]);
    const run = goOn(interrupt(goTo(start(plan), script, 'fix'), 3), script);
    expect(eventsOf(run, 'refinement_spent').map(({ payload }) => payload.spent)).toEqual([1, 2]);
    expect(finalState(run)).toBe('completed success success');
  });

  it('is put back to the snapshot that was taken before it began, and to none where none was', () => {
    const plan = planOf([agent('a', { routes: { completed: 'b' } }), agent('b')]);
    const entered = goTo(start(plan), inOrder([changed]), 'b');
    expect(entered.effect).toMatchObject({ kind: 'run_agent', restoreTo: null });
    expect(interrupt(entered, 1).effect).toMatchObject({ restoreTo: null });
    const begun = runnerStarted('b', 1, treeOf(entered.events));
    const dying = { ...entered, events: [...entered.events, begun] };
    expect(interrupt(dying, 1).effect).toMatchObject({ restoreTo: commitOf('tree of a#1') });
    expect(interrupt(dying, 3).effect).toMatchObject({ restoreTo: commitOf('tree of a#1'), attempt: 4 });
  });

  it('leaves pre_step where it was: before the first attempt', () => {
    const plan = planOf([
      agent('a', { routes: { completed: 'b' } }),
      agent('b', { routes: { completed: 'r' } }),
      rollback('r', { target: 'pre_step' }),
    ]);
    const script = inOrder([changed, changed, rolledBack]);
    const run = goTo(interrupt(goTo(start(plan), script, 'b'), 2), script, 'r');
    expect(run.effect).toMatchObject({ kind: 'roll_back', commit: commitOf('tree of a#1') });
  });
});

describe('an abandoned step', () => {
  const plan = planOf([
    agent('a', { routes: { completed: 'v' } }),
    validation('v', { routes: { completed: 's' } }),
    agent('s', { routes: { error: 'g' } }),
    gate('g'),
  ]);

  it('leaves unchecked files, so the run is not a success', () => {
    const script = inOrder([changed, passed, passed, approved]);
    const begun = goTo(start(plan), script, 's');
    const dying = { ...begun, events: [...begun.events, runnerStarted('s', 1, treeOf(begun.events))] };
    const run = goOn(interrupt(dying, MAX_RECOVERIES + 1), script);
    expect(finalState(run)).toBe('completed unverified gate_approved');
  });

  it('and never began has left nothing', () => {
    const script = inOrder([changed, passed, passed, approved]);
    const run = goOn(interrupt(goTo(start(plan), script, 's'), MAX_RECOVERIES + 1), script);
    expect(finalState(run)).toBe('completed success gate_approved');
  });
});

describe('a resume that interrupts nothing', () => {
  it('of an open gate is no event, and the gate keeps waiting', () => {
    const open = step(start(planOf([gate('g')])), () => approved);
    const again = interrupt(open, MAX_RECOVERIES + 2);
    expect(again.events).toEqual(open.events);
    expect(again.effect).toMatchObject({ kind: 'await_gate', stepId: 'g', attempt: 1 });
    expect(finalState(goOn(again, inOrder([rejected])))).toBe('blocked rejected gate_rejected');
  });

  it('of an answered gate does not ask again', () => {
    const done = play(planOf([gate('g')]), [
      { kind: 'answered', answer: 'gate_approved', by: 'ann', comment: 'ok' },
    ]);
    const at = done.events.findIndex(({ event_type }) => event_type === 'gate_approved') + 1;
    const again = goOn(resume(crash(done, at)), inOrder([rejected]));
    expect(finalState(again)).toBe('completed success gate_approved');
    expect(eventsOf(again, 'gate_requested')).toHaveLength(1);
    expect(eventsOf(again, 'human_feedback')).toHaveLength(1);
  });

  it('of a finished evaluation does not ask the planner again', () => {
    const done = play(planOf([evaluate('e')]), [evaluated('blocked')]);
    const at = done.events.findIndex(({ event_type }) => event_type === 'decision_recorded') + 1;
    const again = goOn(resume(crash(done, at)), inOrder([evaluated('success')]));
    expect(finalState(again)).toBe('blocked blocked blocked');
    expect(eventsOf(again, 'decision_recorded')).toHaveLength(1);
  });

  it.each(['bare', 'declared'])(
    'between the route to a %s STOP and the end ends as that route says',
    (kind) => {
      const routes = { error: kind === 'bare' ? 'STOP' : 'done' };
      const done = play(planOf([agent('a', { routes }), stop('done', 'gave up')]), [ended('error')]);
      const at = done.events.findIndex(({ event_type }) => event_type === 'route_selected') + 1;
      for (let keep = at; keep <= done.events.length; keep++) {
        const again = goOn(resume(crash(done, keep)), inOrder([]));
        expect(endOfRun(again)).toEqual(endOfRun(done));
        expect(eventsOf(again, 'run_completed')).toHaveLength(1);
      }
    },
  );

  it('of a run that has not started does nothing', () => {
    const none = resume(crash(start(planOf([agent('a')])), 0));
    expect(none).toMatchObject({ events: [], effect: null, state: fold([]) });
  });

  it('of a run that has ended does nothing', () => {
    const done = play(planOf([agent('a')]), [passed]);
    expect(resume(crash(done))).toMatchObject({ events: done.events, effect: null });
  });
});

describe('no record is lost to a crash', () => {
  const plan = planOf([
    validation('v', { routes: { completed: 'g' } }),
    gate('g', { routes: { gate_approved: 'r' } }),
    rollback('r'),
  ]);
  const script = inOrder([
    ended('completed', {
      proposals: { harness: 1 },
      violations: [{ class: 'forbidden_path', subject: '.env', message: 'wrote .env' }],
    }),
    { kind: 'answered', answer: 'gate_approved', by: 'ann', comment: 'ok' },
    rolledBack,
  ]);
  const whole = goOn(start(plan), script);

  it.each([
    'policy_violation',
    'golden_gate_pending',
    'gate_requested',
    'step_waiting',
    'gate_approved',
    'human_feedback',
    'rollback_completed',
    'run_completed',
  ] as const)('after whichever event: %s', (type) => {
    expect(eventsOf(whole, type)).toHaveLength(1);
    const losing = whole.events
      .map((_, index) => index + 1)
      .filter((keep) => eventsOf(goOn(resume(crash(whole, keep)), script), type).length === 0);
    expect(losing).toEqual([]);
  });
});
