import { describe, expect, it } from 'vitest';
import { MECHANICAL_OUTCOMES, PLANNER_STATUSES } from '../../../src/contracts/vocabulary.ts';
import type { Plan } from '../../../src/kernel/plan.ts';
import { agent, evaluate, gate, planOf, rollback, stop, validation } from '../../../testing/plans.ts';
import {
  answered,
  approved,
  ended,
  endOfRun,
  evaluated,
  eventsOf,
  finalState,
  passed,
  play,
  type Reply,
  rejected,
  rolledBack,
  start,
  step,
  trail,
} from './scripted-run.ts';

/** One declared stop per key, so that the stop shows which key was taken. */
const keys = ['completed', 'error', 'killed_idle', 'killed_timeout', 'killed_policy'] as const;
const stops = keys.map((key) => stop(`on_${key}`));
const routes = {
  completed: 'on_completed',
  error: 'on_error',
  killed_idle: 'on_killed_idle',
  killed_timeout: 'on_killed_timeout',
  killed_policy: 'on_killed_policy',
} as const;

describe('a mechanical step', () => {
  const plans: Record<string, Plan> = {
    RUN_AGENT: planOf([agent('a', { routes }), ...stops]),
    RUN_VALIDATION: planOf([validation('a', { routes }), ...stops]),
    ROLLBACK: planOf([rollback('a', { routes }), ...stops]),
  };
  for (const [opcode, plan] of Object.entries(plans)) {
    it.each(MECHANICAL_OUTCOMES)(
      `of opcode ${opcode} that ends as %s takes the route of that name`,
      (key) => {
        const reply = opcode === 'ROLLBACK' && key === 'completed' ? rolledBack : ended(key);
        const run = play(plan, [reply]);
        expect(trail(run)).toEqual(['a', `on_${key}`]);
        expect(eventsOf(run, 'route_selected').map(({ step_id, payload }) => [step_id, payload])).toEqual([
          ['a', { key, to: `on_${key}`, planner_next_step: null }],
        ]);
      },
    );
  }

  it.each([
    ['completed', 'step_completed'],
    ['error', 'step_failed'],
    ['killed_idle', 'step_failed'],
    ['killed_timeout', 'step_failed'],
    ['killed_policy', 'step_failed'],
  ] as const)('that ends as %s leaves a %s event', (outcome, type) => {
    const run = play(planOf([agent('a')]), [ended(outcome)]);
    const ends = run.events.filter(({ event_type }) => /^step_(completed|failed)$/.test(event_type));
    expect(ends.map(({ event_type, step_id }) => [event_type, step_id])).toEqual([[type, 'a']]);
    expect(ends[0]?.payload).toMatchObject({ outcome, attempt: 1 });
  });
});

describe('an evaluation', () => {
  const plan = planOf([
    evaluate('judge', {
      routes: {
        success: 'on_success',
        partial: 'on_partial',
        blocked: 'on_blocked',
        unsafe: 'on_unsafe',
        needs_human: 'on_needs_human',
      },
    }),
    ...PLANNER_STATUSES.map((status) => stop(`on_${status}`)),
  ]);

  it.each(PLANNER_STATUSES)('of status %s takes the route of that name', (status) => {
    expect(trail(play(plan, [evaluated(status)]))).toEqual(['judge', `on_${status}`]);
  });

  it.each([
    ['success', 'step_completed'],
    ['partial', 'step_completed'],
    ['blocked', 'step_blocked'],
    ['unsafe', 'step_blocked'],
    ['needs_human', 'step_blocked'],
  ] as const)('of status %s is recorded and closed by a %s event', (status, type) => {
    const run = play(plan, [evaluated(status)]);
    const own = run.events.filter(({ step_id }) => step_id === 'judge').map(({ event_type }) => event_type);
    expect(own).toEqual(['step_started', 'decision_recorded', type, 'route_selected']);
  });
});

describe('a gate', () => {
  const plan = planOf([
    gate('ask', {
      timeoutMs: 1_000,
      approvers: ['ann'],
      routes: {
        gate_approved: 'on_gate_approved',
        gate_rejected: 'on_gate_rejected',
        gate_timed_out: 'on_gate_timed_out',
        error: 'on_error',
      },
    }),
    stop('on_gate_approved'),
    stop('on_gate_rejected'),
    stop('on_gate_timed_out'),
    stop('on_error'),
  ]);

  it.each([
    ['gate_approved', approved],
    ['gate_rejected', rejected],
    ['gate_timed_out', answered('gate_timed_out')],
    ['error', ended('error')],
  ] as const)('that ends as %s takes the route of that name', (key, reply) => {
    expect(trail(play(plan, [reply]))).toEqual(['ask', `on_${key}`]);
  });

  it('persists its request and waits before it takes any answer', () => {
    const open = step(start(plan), () => approved);
    expect(eventsOf(open, 'step_waiting')).toHaveLength(1);
    expect(eventsOf(open, 'gate_requested')).toHaveLength(1);
    expect(eventsOf(open, 'gate_requested')[0]?.payload).toMatchObject({
      gate: 'requires_approval',
      attempt: 1,
      reason: 'look at it',
      approvers: ['ann'],
      timeout_ms: 1_000,
    });
    expect(open.effect).toMatchObject({ kind: 'await_gate', stepId: 'ask' });
    expect(open.state.stage.kind).toBe('waiting');
  });

  it.each([
    ['a timeout', answered('gate_timed_out'), 'gate_timed_out'],
    ['an error', ended('error'), 'error'],
  ] as const)('without a route for %s ends in a workflow error', (_, reply, key) => {
    const run = play(planOf([gate('ask')]), [reply]);
    expect(finalState(run)).toBe('failed error workflow_error');
    expect(endOfRun(run).reason).toContain(`no route for ${key}`);
  });

  it.each([
    ['a comment of a person', { by: 'ann', comment: 'fine' }, [{ by: 'ann', comment: 'fine' }]],
    ['an answer without a comment', { by: 'ann' }, []],
    ['a comment that nobody signed', { comment: 'fine' }, []],
    ['a timeout, which nobody gave', {}, []],
  ] as const)('records %s as human feedback or not at all', (_, more, expected) => {
    const run = play(plan, [{ kind: 'answered', answer: 'gate_approved', ...more }]);
    expect(eventsOf(run, 'human_feedback').map(({ payload }) => payload)).toEqual(expected);
  });
});

describe('STOP', () => {
  const replies: readonly Reply[] = [passed];

  it('needs no declaration', () => {
    const run = play(planOf([agent('a')]), replies);
    expect(trail(run)).toEqual(['a']);
    expect(endOfRun(run)).toEqual({
      lifecycle: 'completed',
      outcome: 'success',
      termination: 'completed',
      reason: null,
    });
  });

  it.each(['done', 'STOP'])('declared as %s is entered, closed and gives the reason of the end', (id) => {
    const run = play(planOf([agent('a', { routes: { completed: id } }), stop(id, 'enough')]), replies);
    expect(trail(run)).toEqual(['a', id]);
    expect(eventsOf(run, 'step_completed').map(({ step_id }) => step_id)).toEqual(['a', id]);
    expect(endOfRun(run)).toEqual({
      lifecycle: 'completed',
      outcome: 'success',
      termination: 'completed',
      reason: 'enough',
    });
  });

  it('as the entry ends the run at once', () => {
    const run = play(planOf([stop('only', 'nothing to do')]), []);
    expect(finalState(run)).toBe('completed success completed');
    expect(endOfRun(run).reason).toBe('nothing to do');
  });
});
