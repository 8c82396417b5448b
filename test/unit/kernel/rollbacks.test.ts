import { describe, expect, it } from 'vitest';
import { agent, evaluate, gate, planOf, rollback, validation } from '../../../testing/plans.ts';
import {
  approved,
  changed,
  commitOf,
  crash,
  ended,
  evaluated,
  eventsOf,
  finalState,
  give,
  goTo,
  inOrder,
  passed,
  play,
  type Reply,
  rejected,
  resume,
  rolledBack,
  start,
} from './scripted-run.ts';

describe('a rollback before STOP', () => {
  const behind = planOf([
    agent('a', { routes: { completed: 'e', error: 'r1', killed_policy: 'r1' } }),
    evaluate('e', {
      routes: { success: 'r1', partial: 'r1', blocked: 'r1', unsafe: 'r1', needs_human: 'g' },
    }),
    gate('g', { routes: { gate_approved: 'r1', gate_rejected: 'r1' } }),
    rollback('r1', { routes: { completed: 'r2', error: 'r2' } }),
    rollback('r2'),
  ]);

  it.each<[string, readonly Reply[], string]>([
    ['unsafe', [passed, evaluated('unsafe')], 'failed unsafe unsafe'],
    ['partial', [passed, evaluated('partial')], 'blocked partial partial'],
    ['blocked', [passed, evaluated('blocked')], 'blocked blocked blocked'],
    ['success', [passed, evaluated('success')], 'completed success success'],
    ['a rejection', [passed, evaluated('needs_human'), rejected], 'blocked rejected gate_rejected'],
    ['an approval', [passed, evaluated('needs_human'), approved], 'completed success gate_approved'],
    ['error', [ended('error')], 'failed error error'],
    ['killed_policy', [ended('killed_policy')], 'failed policy killed_policy'],
  ])('ends as what led into it, over a chain of two: %s', (_, replies, expected) => {
    expect(finalState(play(behind, [...replies, rolledBack, rolledBack]))).toBe(expected);
  });

  it('that fails ends as its own error', () => {
    const replies = [passed, evaluated('unsafe'), rolledBack, ended('error')];
    expect(finalState(play(behind, replies))).toBe('failed error error');
  });

  it('that fails before another one that works still ends as the error', () => {
    const replies = [passed, evaluated('unsafe'), ended('error'), rolledBack];
    expect(finalState(play(behind, replies))).toBe('failed error error');
  });

  it('that was killed ends as killed', () => {
    const replies = [passed, evaluated('partial'), rolledBack, ended('killed_timeout')];
    expect(finalState(play(behind, replies))).toBe('failed error killed_timeout');
  });

  it('hides nothing once another step has ended after it', () => {
    const plan = planOf([
      evaluate('e', { routes: { unsafe: 'r' } }),
      rollback('r', { routes: { completed: 'a' } }),
      agent('a'),
    ]);
    expect(finalState(play(plan, [evaluated('unsafe'), rolledBack, passed]))).toBe(
      'completed success completed',
    );
    expect(finalState(play(plan, [evaluated('unsafe'), rolledBack, ended('error')]))).toBe(
      'failed error error',
    );
  });

  it('as the entry ends as completed', () => {
    expect(finalState(play(planOf([rollback('r')]), [rolledBack]))).toBe('completed success completed');
  });

  it('leaves its provenance before its end', () => {
    const run = play(planOf([agent('a', { routes: { completed: 'r' } }), rollback('r')]), [
      changed,
      rolledBack,
    ]);
    const own = run.events.filter(({ step_id }) => step_id === 'r').map(({ event_type }) => event_type);
    expect(own).toEqual(['step_started', 'rollback_completed', 'step_completed', 'route_selected']);
    expect(eventsOf(run, 'rollback_completed')[0]?.payload).toMatchObject({
      target: 'pre_run',
      commit: commitOf('base'),
      tree_before: 'tree of a#1',
      tree_after: 'base',
    });
  });
});

describe('the target of a rollback', () => {
  const plan = (target: 'pre_run' | 'pre_step') =>
    planOf([
      agent('a', { routes: { completed: 'b' } }),
      agent('b', { routes: { completed: 'v' } }),
      validation('v', { routes: { completed: 'r', error: 'r' } }),
      rollback('r', { target }),
    ]);

  it.each([
    ['pre_run', null],
    ['pre_step', commitOf('tree of a#1')],
  ] as const)('%s is the state before the run, or before the most recent agent', (target, commit) => {
    const script = inOrder([changed, changed, ended('error', { changed: true })]);
    expect(goTo(start(plan(target)), script, 'r').effect).toEqual({
      kind: 'roll_back',
      stepId: 'r',
      opcode: 'ROLLBACK',
      attempt: 1,
      visit: 1,
      target,
      commit,
    });
  });

  it('pre_step without an agent before it is the state before the run', () => {
    const bare = planOf([validation('v', { routes: { error: 'r' } }), rollback('r', { target: 'pre_step' })]);
    const run = goTo(start(bare), inOrder([ended('error', { changed: true })]), 'r');
    expect(run.effect).toMatchObject({ kind: 'roll_back', target: 'pre_step', commit: null });
  });
});

/** two agents, each with a validation, then a rollback, a second one, and a last validation */
const journey = (target: 'pre_run' | 'pre_step') =>
  planOf([
    agent('a', { routes: { completed: 'v' } }),
    validation('v', { routes: { completed: 'b', error: 'b' } }),
    agent('b', { routes: { completed: 'w' } }),
    validation('w', { routes: { completed: 'r', error: 'r' } }),
    rollback('r', { target, routes: { completed: 'g', error: 'g' } }),
    gate('g'),
  ]);

describe('after a rollback the files are', () => {
  const red = ended('error');
  const redAndChanged = ended('error', { changed: true });

  it.each<[string, 'pre_run' | 'pre_step', readonly Reply[], string]>([
    ['as good as the base, at pre_run', 'pre_run', [changed, red, changed, red, rolledBack], 'success'],
    [
      'verified, back at a state that had passed',
      'pre_step',
      [changed, passed, changed, red, rolledBack],
      'success',
    ],
    [
      'unverified, back at a state that had not passed',
      'pre_step',
      [changed, red, changed, red, rolledBack],
      'unverified',
    ],
    [
      'unverified, back at a state that had not passed, whatever passed after it',
      'pre_step',
      [changed, red, changed, passed, rolledBack],
      'unverified',
    ],
    [
      'as good as the base, back before the only change',
      'pre_step',
      [passed, red, changed, red, rolledBack],
      'success',
    ],
    [
      'verified, when a validation’s litter is gone too',
      'pre_step',
      [changed, passed, changed, redAndChanged, rolledBack],
      'success',
    ],
    [
      'as verified as before, when nothing had to be put back',
      'pre_step',
      [changed, red, passed, passed, rolledBack],
      'success',
    ],
    [
      'unverified, when the rollback failed half-way',
      'pre_step',
      [changed, passed, passed, passed, redAndChanged],
      'unverified',
    ],
    [
      'as before, when the rollback failed and changed nothing',
      'pre_step',
      [changed, passed, passed, red, red],
      'success',
    ],
  ])('%s', (_, target, replies, outcome) => {
    expect(finalState(play(journey(target), [...replies, approved]))).toBe(
      `completed ${outcome} gate_approved`,
    );
  });

  it('as doubtful as the restored state, when the record names another commit than was requested', () => {
    const at = goTo(start(journey('pre_step')), inOrder([changed, red, changed, red]), 'r');
    const back = give(at, {
      kind: 'rolled_back',
      rollback: {
        target: 'pre_step',
        commit: 'another name for the same files',
        tree_before: 'tree of b#1',
        tree_after: 'tree of a#1',
        salvage_ref: 's',
      },
    });
    expect(back.state.unverified).toBe(true);
  });

  it('as verified as the restored state, when a killed attempt had written them already', () => {
    const at = goTo(start(journey('pre_step')), inOrder([changed, passed, changed, red]), 'r');
    const back = give(resume(crash(at)), {
      kind: 'rolled_back',
      rollback: {
        target: 'pre_step',
        commit: commitOf('tree of a#1'),
        tree_before: 'tree of a#1',
        tree_after: 'tree of a#1',
        salvage_ref: 'refs/conductor/salvage/run/r',
      },
    });
    expect(back.state.unverified).toBe(false);
  });
});
