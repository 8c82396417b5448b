import { describe, expect, it } from 'vitest';
import type { RecordedViolation } from '../../../src/kernel/protocol.ts';
import { agent, evaluate, gate, planOf, rollback, stop, validation } from '../../../testing/plans.ts';
import {
  answered,
  approved,
  changed,
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
  violated,
} from './scripted-run.ts';

const someAgent = planOf([agent('a')]);
const someEvaluation = planOf([evaluate('e')]);
const someGate = planOf([gate('g', { routes: { gate_timed_out: 'STOP', error: 'STOP' } })]);
const someRollback = planOf([rollback('r')]);

describe('a run that reaches STOP by', () => {
  it.each([
    ['completed', someAgent, passed, 'completed success'],
    ['error', someAgent, ended('error'), 'failed error'],
    ['killed_timeout', someAgent, ended('killed_timeout'), 'failed error'],
    ['killed_idle', someAgent, ended('killed_idle'), 'failed error'],
    ['killed_policy', someAgent, ended('killed_policy'), 'failed policy'],
    ['success', someEvaluation, evaluated('success'), 'completed success'],
    ['partial', someEvaluation, evaluated('partial'), 'blocked partial'],
    ['blocked', someEvaluation, evaluated('blocked'), 'blocked blocked'],
    ['needs_human', someEvaluation, evaluated('needs_human'), 'blocked needs_human'],
    ['unsafe', someEvaluation, evaluated('unsafe'), 'failed unsafe'],
    ['gate_approved', someGate, approved, 'completed success'],
    ['gate_rejected', someGate, rejected, 'blocked rejected'],
    ['gate_timed_out', someGate, answered('gate_timed_out'), 'blocked timed_out'],
    ['error', someGate, ended('error'), 'failed error'],
    ['completed', someRollback, rolledBack, 'completed success'],
    ['error', someRollback, ended('error'), 'failed error'],
    ['killed_policy', someRollback, ended('killed_policy'), 'failed policy'],
  ] as const)('%s ends on both axes as the table says', (key, plan, reply, axes) => {
    const run = play(plan, [reply]);
    expect(finalState(run)).toBe(`${axes} ${key}`);
    const { lifecycle, outcome, termination, reason } = endOfRun(run);
    expect(eventsOf(run, 'run_completed').map(({ payload }) => payload)).toEqual([
      { lifecycle_state: lifecycle, outcome, termination, reason, head_sha: null },
    ]);
  });

  it('the last of several keys ends by that one alone', () => {
    const plan = planOf([
      agent('a', { routes: { error: 'e' } }),
      evaluate('e', { routes: { blocked: 'g' } }),
      gate('g'),
    ]);
    expect(finalState(play(plan, [ended('error'), evaluated('blocked'), approved]))).toBe(
      'completed success gate_approved',
    );
  });
});

/** agent → validation → gate → agent → STOP, whatever happens on the way. */
const work = planOf([
  agent('a', { routes: { completed: 'v', error: 'v' } }),
  validation('v', { routes: { completed: 'g', error: 'g' } }),
  gate('g', { routes: { gate_approved: 'b', gate_rejected: 'STOP' } }),
  agent('b', { routes: { completed: 'STOP', error: 'STOP' } }),
]);

describe('a good end', () => {
  it.each<[string, readonly Reply[], string]>([
    ['a success when nothing changed', [passed, ended('error'), approved, passed], 'success'],
    ['a success when the change passed validation', [changed, passed, approved, passed], 'success'],
    [
      'unverified when validation failed, approval or not',
      [changed, ended('error'), approved, passed],
      'unverified',
    ],
    ['unverified when a change came after validation', [changed, passed, approved, changed], 'unverified'],
    [
      'unverified when an agent changed files and then failed',
      [ended('killed_timeout', { changed: true }), ended('error'), approved, passed],
      'unverified',
    ],
    [
      'unverified when a failing validation changed files',
      [passed, ended('error', { changed: true }), approved, passed],
      'unverified',
    ],
    [
      'a success when a passing validation wrote its own files',
      [changed, ended('completed', { changed: true }), approved, passed],
      'success',
    ],
  ])('is %s', (_, replies, outcome) => {
    expect(finalState(play(work, replies))).toBe(`completed ${outcome} completed`);
  });

  it('by approval of red tests is unverified', () => {
    const plan = planOf([
      agent('a', { routes: { completed: 'v' } }),
      validation('v', { routes: { error: 'g' } }),
      gate('g'),
    ]);
    expect(finalState(play(plan, [changed, ended('error'), approved]))).toBe(
      'completed unverified gate_approved',
    );
  });

  it('by a success of the planner is unverified where no validation ran', () => {
    const plan = planOf([agent('a', { routes: { completed: 'e' } }), evaluate('e')]);
    expect(finalState(play(plan, [changed, evaluated('success')]))).toBe('completed unverified success');
  });

  it('needs only a passed validation after the last change, not the last validation to pass', () => {
    const plan = planOf([
      agent('a', { routes: { completed: 'v' } }),
      validation('v', { routes: { completed: 'w' } }),
      validation('w', { routes: { error: 'g' } }),
      gate('g'),
    ]);
    expect(finalState(play(plan, [changed, passed, ended('error'), approved]))).toBe(
      'completed success gate_approved',
    );
  });
});

describe('a bad end keeps its outcome whether files were verified or not', () => {
  it.each([
    ['error', 'failed error error'],
    ['killed_policy', 'failed policy killed_policy'],
  ] as const)('by %s', (outcome, expected) => {
    expect(finalState(play(someAgent, [ended(outcome, { changed: true })]))).toBe(expected);
  });
});

/** agent → evaluation → gate → agent → STOP. */
const judgedWork = planOf([
  agent('a', { routes: { completed: 'e', error: 'e' } }),
  evaluate('e', { routes: { success: 'g', unsafe: 'r' } }),
  gate('g', { routes: { gate_approved: 'b' } }),
  agent('b'),
  rollback('r'),
]);

describe('a policy violation', () => {
  it.each<[string, readonly Reply[], string]>([
    [
      'that was evaluated may be excused',
      [violated, evaluated('success'), approved, passed],
      'completed success completed',
    ],
    [
      'that was evaluated as unsafe ends unsafe',
      [violated, evaluated('unsafe'), rolledBack],
      'failed unsafe unsafe',
    ],
    [
      'after the last evaluation fails the run',
      [passed, evaluated('success'), approved, violated],
      'failed policy completed',
    ],
    [
      'after a forgiven one fails the run again',
      [violated, evaluated('success'), approved, violated],
      'failed policy completed',
    ],
    [
      'that was evaluated leaves a bad end as it is',
      [violated, evaluated('partial')],
      'blocked partial partial',
    ],
  ])('%s', (_, replies, expected) => {
    expect(finalState(play(judgedWork, replies))).toBe(expected);
  });

  it.each<[string, readonly Reply[], string]>([
    ['completed', [violated], 'failed policy completed'],
    ['error', [{ ...violated, outcome: 'error' } as Reply], 'failed error error'],
    ['killed_idle', [{ ...violated, outcome: 'killed_idle' } as Reply], 'failed error killed_idle'],
  ])('that was not evaluated, with an end by %s', (_, replies, expected) => {
    expect(finalState(play(someAgent, replies))).toBe(expected);
  });

  it('that was not evaluated is not undone by an approval, a validation or a rollback', () => {
    const plan = planOf([
      agent('a', { routes: { completed: 'v' } }),
      validation('v', { routes: { completed: 'r' } }),
      rollback('r', { routes: { completed: 'g' } }),
      gate('g'),
    ]);
    const run = play(plan, [violated, passed, rolledBack, approved]);
    expect(finalState(run)).toBe('failed policy gate_approved');
  });

  it('that was not evaluated fails a run at a declared stop too, and the end says why', () => {
    const plan = planOf([agent('a', { routes: { completed: 'done' } }), stop('done')]);
    const run = play(plan, [violated]);
    expect(finalState(run)).toBe('failed policy completed');
    expect(endOfRun(run).reason).toContain('violation');
  });

  it('is on record before the end of its step, and leaves the outcome of the step as it was', () => {
    const two: readonly RecordedViolation[] = [
      { class: 'forbidden_path', subject: '.env', message: 'wrote .env' },
      { class: 'protected_branch_violation', subject: 'main', message: 'main moved' },
    ];
    const run = play(judgedWork, [ended('completed', { violations: two }), evaluated('blocked')]);
    expect(eventsOf(run, 'policy_violation').map(({ step_id, payload }) => [step_id, payload])).toEqual(
      two.map((violation) => ['a', violation]),
    );
    const types = run.events.map(({ event_type }) => event_type);
    expect(types.indexOf('step_completed')).toBeGreaterThan(types.lastIndexOf('policy_violation'));
    expect(eventsOf(run, 'route_selected')[0]?.payload.key).toBe('completed');
  });
});
