import { describe, expect, it } from 'vitest';
import { KernelBug } from '../../../src/kernel/step-log.ts';
import { agent, gate, planOf } from '../../../testing/plans.ts';
import { approved, eventsOf, finalState, give, goOn, inOrder, start, step } from './scripted-run.ts';

const plan = planOf([gate('approve', { maxVisits: 1 })]);
const script = inOrder([approved]);

describe('an open gate whose files have changed', () => {
  const open = step(start(plan), script);
  const changed = give(open, { kind: 'gate_changed' });

  it('is entered again as a new attempt of the same visit, so that what was shown before stays on record', () => {
    expect(open.effect).toMatchObject({ kind: 'await_gate', attempt: 1 });
    expect(changed.effect).toMatchObject({ kind: 'open_gate', stepId: 'approve', attempt: 2, visit: 1 });
  });

  it('asks again and follows the new answer', () => {
    const done = goOn(changed, script);
    expect(eventsOf(done, 'gate_requested').map(({ payload }) => payload.attempt)).toEqual([1, 2]);
    expect(eventsOf(done, 'gate_approved').map(({ payload }) => payload.attempt)).toEqual([2]);
    expect(finalState(done)).toBe('completed success gate_approved');
  });

  it('may change any number of times without counting as a step that crashes', () => {
    let run = open;
    for (let round = 0; round < 5; round += 1) run = step(give(run, { kind: 'gate_changed' }), script);
    expect(run.effect).toMatchObject({ kind: 'await_gate', attempt: 6 });
    expect(finalState(goOn(run, script))).toBe('completed success gate_approved');
  });

  it('is the only thing that can change', () => {
    expect(() => give(start(planOf([agent('a')])), { kind: 'gate_changed' })).toThrow(KernelBug);
  });
});
