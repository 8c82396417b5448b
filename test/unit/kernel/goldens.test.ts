import { describe, expect, it } from 'vitest';
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
  violated,
} from './scripted-run.ts';

const proposing = (key = 'harness', outcome: 'completed' | 'error' = 'completed') =>
  ended(outcome, { proposals: { [key]: 2 } });
const quiet = (key = 'harness') => ended('completed', { proposals: { [key]: 0 } });
const reportless = (key = 'harness') => ended('completed', { proposals: { [key]: null } });

const REFUSED = 'failed error workflow_error';

describe('goldens that a report proposes', () => {
  it('are announced with their validators and their number', () => {
    const run = play(planOf([validation('v', { routes: { completed: 'STOP', error: 'STOP' } })]), [
      ended('error', { proposals: { harness: 2, tests: null, lint: 0, other: 1 } }),
    ]);
    expect(eventsOf(run, 'golden_gate_pending').map(({ step_id, payload }) => [step_id, payload])).toEqual([
      ['v', { validators: ['harness', 'other'], proposals: 3 }],
    ]);
  });

  it('are not announced when no report proposes any', () => {
    const run = play(planOf([validation('v')]), [ended('completed', { proposals: { a: 0, b: null } })]);
    expect(eventsOf(run, 'golden_gate_pending')).toEqual([]);
  });

  it('refuse a good end, and the error names whose they are', () => {
    const run = play(planOf([validation('v')]), [proposing('harness')]);
    expect(finalState(run)).toBe(REFUSED);
    expect(endOfRun(run).reason).toContain('harness');
    expect(eventsOf(run, 'route_selected')).toEqual([]);
  });

  it('refuse a success however the validation that proposed them ended', () => {
    const plan = planOf([
      validation('v', { routes: { error: 'judge' } }),
      evaluate('judge', { routes: { success: 'STOP' } }),
    ]);
    expect(finalState(play(plan, [proposing('harness', 'error'), evaluated('success')]))).toBe(REFUSED);
  });
});

describe('with goldens pending, an end', () => {
  const plan = planOf([
    validation('v', { routes: { completed: 'judge' } }),
    evaluate('judge', {
      routes: { success: 'STOP', partial: 'done', needs_human: 'ask', unsafe: 'undo' },
    }),
    gate('ask', { routes: { gate_timed_out: 'STOP', error: 'STOP' } }),
    rollback('undo'),
    stop('done'),
  ]);

  it.each<[string, readonly Reply[], string]>([
    ['by success', [evaluated('success')], REFUSED],
    ['by partial', [evaluated('partial')], 'blocked partial partial'],
    ['by blocked', [evaluated('blocked')], 'blocked blocked blocked'],
    ['by unsafe over a rollback', [evaluated('unsafe'), rolledBack], 'failed unsafe unsafe'],
    ['by the error of a rollback', [evaluated('unsafe'), ended('error')], 'failed error error'],
    ['by a rejection', [evaluated('needs_human'), rejected], 'blocked rejected gate_rejected'],
    [
      'by a timeout of the gate',
      [evaluated('needs_human'), answered('gate_timed_out')],
      'blocked timed_out gate_timed_out',
    ],
    ['by an error of the gate', [evaluated('needs_human'), ended('error')], 'failed error error'],
    ['by an approval', [evaluated('needs_human'), approved], 'completed success gate_approved'],
  ])('%s is %s', (_, replies, expected) => {
    expect(finalState(play(plan, [proposing(), ...replies]))).toBe(expected);
  });

  it.each(['done', 'STOP'])('at a declared stop called %s is refused like a bare one', (id) => {
    const declared = planOf([validation('v', { routes: { completed: id } }), stop(id)]);
    expect(finalState(play(declared, [proposing()]))).toBe(REFUSED);
  });

  it('behind a rollback is refused when what led into the rollback was good', () => {
    const laundering = planOf([
      validation('v', { routes: { completed: 'judge' } }),
      evaluate('judge', { routes: { success: 'undo' } }),
      rollback('undo', { routes: { completed: 'again' } }),
      rollback('again'),
    ]);
    const run = play(laundering, [proposing(), evaluated('success'), rolledBack, rolledBack]);
    expect(finalState(run)).toBe(REFUSED);
  });

  it('fails for a violation that was not evaluated, which no gate could have excused', () => {
    const both = planOf([validation('v', { routes: { completed: 'a' } }), agent('a')]);
    expect(finalState(play(both, [proposing(), violated]))).toBe('failed policy completed');
  });
});

describe('pending goldens', () => {
  const chain = planOf([
    validation('v1', { routes: { completed: 'ask' } }),
    gate('ask', { routes: { gate_approved: 'v2', gate_rejected: 'v2', gate_timed_out: 'v2' } }),
    validation('v2', { routes: { completed: 'judge', error: 'judge' } }),
    evaluate('judge'),
  ]);

  it.each<[string, readonly [Reply, Reply, Reply], string]>([
    ['are accepted by an approval', [proposing(), approved, passed], 'completed success success'],
    ['outlast a rejection', [proposing(), rejected, passed], REFUSED],
    ['outlast a timeout', [proposing(), answered('gate_timed_out'), passed], REFUSED],
    [
      'are withdrawn by a later report of the same validator',
      [proposing(), rejected, quiet()],
      'completed success success',
    ],
    ['outlast a report of another validator', [proposing(), rejected, quiet('tests')], REFUSED],
    ['outlast a run of the same validator without a report', [proposing(), rejected, reportless()], REFUSED],
    [
      'are withdrawn by a report even of a failed validation',
      [proposing(), rejected, ended('error', { proposals: { harness: 0 } })],
      'completed success success',
    ],
    [
      'come back when they are proposed again after the approval',
      [proposing(), approved, proposing()],
      REFUSED,
    ],
    [
      'are those of every validator, and one withdrawing is not enough',
      [ended('completed', { proposals: { harness: 1, tests: 1 } }), rejected, quiet()],
      REFUSED,
    ],
    [
      'are all accepted by one approval',
      [ended('completed', { proposals: { harness: 1, tests: 1 } }), approved, passed],
      'completed success success',
    ],
    ['are not accepted in advance', [passed, approved, proposing()], REFUSED],
  ])('%s', (_, replies, expected) => {
    expect(finalState(play(chain, [...replies, evaluated('success')]))).toBe(expected);
  });

  it('outlast a rollback to the state before the run', () => {
    const plan = planOf([
      validation('v', { routes: { completed: 'undo' } }),
      rollback('undo', { routes: { completed: 'a' } }),
      agent('a'),
    ]);
    expect(finalState(play(plan, [proposing(), rolledBack, passed]))).toBe(REFUSED);
  });

  it('survive a rejection followed by another gate’s timeout, and go with a third one’s approval', () => {
    const plan = planOf([
      validation('v', { routes: { completed: 'g1' } }),
      gate('g1', { routes: { gate_rejected: 'g2' } }),
      gate('g2', { routes: { gate_timed_out: 'g3' } }),
      gate('g3', { routes: { gate_approved: 'a' } }),
      agent('a'),
    ]);
    const replies = [proposing(), rejected, answered('gate_timed_out')];
    expect(play(plan, [...replies, approved, passed]).state.pendingGoldens).toEqual([]);
    expect(finalState(play(plan, [...replies, approved, passed]))).toBe('completed success completed');
    expect(play(plan, [...replies, rejected]).state.pendingGoldens).toEqual(['harness']);
  });
});
