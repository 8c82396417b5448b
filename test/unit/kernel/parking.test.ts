import { describe, expect, it } from 'vitest';
import { MAX_RECOVERIES } from '../../../src/kernel/decide.ts';
import { replayLog } from '../../../src/kernel/replay.ts';
import { KernelBug } from '../../../src/kernel/step-log.ts';
import { agent, planOf, validation } from '../../../testing/plans.ts';
import {
  cancel,
  changed,
  crash,
  ended,
  eventsOf,
  finalState,
  give,
  goOn,
  inOrder,
  type Played,
  parked,
  passed,
  resume,
  start,
  step,
  trail,
} from './scripted-run.ts';

const plan = planOf([agent('write', { maxVisits: 1, routes: { completed: 'check' } }), validation('check')]);
const script = inOrder([ended('completed', { changed: true, parks: 1 }), passed]);

describe('a step whose agent can work at a later time only', () => {
  const waiting = step(start(plan), script);

  it('waits for that time and says why, without a gate', () => {
    expect(waiting.effect).toMatchObject({
      kind: 'await_time',
      stepId: 'write',
      until: '2026-01-01T00:00:00.000Z',
    });
    expect(eventsOf(waiting, 'step_waiting').map(({ payload }) => payload)).toEqual([
      { gate: null, attempt: 1, until: '2026-01-01T00:00:00.000Z', reason: 'the quota is spent' },
    ]);
    expect(eventsOf(waiting, 'gate_requested')).toEqual([]);
  });

  it('is entered again then, as an attempt of the same visit that starts from the same files', () => {
    const again = give(waiting, { kind: 'wait_over' });
    expect(again.effect).toMatchObject({
      kind: 'run_agent',
      stepId: 'write',
      attempt: 2,
      visit: 1,
      restoreTo: 'commit of base',
    });
  });

  it('continues as if it had not been parked', () => {
    const done = goOn(waiting, script);
    expect(trail(done)).toEqual(['write', 'write*', 'check']);
    expect(finalState(done)).toBe('completed success completed');
    expect(replayLog(plan, done.events)).toMatchObject({ difference: null, cut: false });
  });

  it('is resumed without an event, and still waits', () => {
    const resumed = resume(crash(waiting));
    expect(resumed.events).toEqual(waiting.events);
    expect(resumed.effect).toMatchObject({ kind: 'await_time' });
  });

  it('may wait any number of times without counting as a step that crashes', () => {
    const often = inOrder([ended('completed', { parks: MAX_RECOVERIES + 3 }), passed]);
    expect(finalState(goOn(start(plan), often))).toBe('completed success completed');
  });

  it('forgets how often it died before it came to wait', () => {
    const die = (run: Played) => resume(crash(run));
    let run = start(plan);
    for (let deaths = 0; deaths < MAX_RECOVERIES; deaths += 1) run = die(run);
    run = give(give(run, parked), { kind: 'wait_over' });
    for (let deaths = 0; deaths < MAX_RECOVERIES; deaths += 1) run = die(run);
    expect(run.effect).toMatchObject({ kind: 'run_agent' });
    expect(finalState(goOn(run, inOrder([changed, passed])))).toBe('completed success completed');
  });

  it('can be cancelled', () => {
    expect(finalState(goOn(cancel(waiting), script))).toBe('failed cancelled cancelled');
  });

  it('is a running step of an agent', () => {
    const checking = step(start(plan), inOrder([changed]));
    expect(() => give(checking, parked)).toThrow(KernelBug);
    expect(() => give(waiting, parked)).toThrow(KernelBug);
    expect(() => give(checking, { kind: 'wait_over' })).toThrow(KernelBug);
  });
});
