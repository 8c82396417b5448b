import { describe, expect, it } from 'vitest';
import type { EventDraft } from '../../../src/contracts/run/event.ts';
import { MAX_RECOVERIES } from '../../../src/kernel/decide.ts';
import { evolve } from '../../../src/kernel/evolve.ts';
import { replayLog } from '../../../src/kernel/replay.ts';
import { compareWithPlan } from '../../../src/kernel/replay-against.ts';
import { KernelBug } from '../../../src/kernel/step-log.ts';
import { agent, planOf, validation } from '../../../testing/plans.ts';
import {
  baseline,
  begin,
  cancel,
  crash,
  endOfRun,
  eventsOf,
  finalState,
  give,
  goOn,
  inOrder,
  note,
  passed,
  play,
  prepare,
  resume,
  setUp,
  start,
  trail,
} from './scripted-run.ts';

const plan = planOf([agent('a', { routes: { completed: 'v' } }), validation('v')]);
const script = inOrder([passed, passed]);
const failing = () => begin(plan, { preparationFailure: 'npm ci exited with 1' });

function typesOf(events: readonly EventDraft[]): readonly string[] {
  return events.map(({ event_type }) => event_type);
}

describe('a run of version 2', () => {
  it('is prepared before its entry step', () => {
    const begun = begin(plan);
    expect(typesOf(begun.events)).toEqual(['run_started']);
    expect(begun.effect).toEqual({ kind: 'prepare' });
    const ready = prepare(begun);
    expect(typesOf(ready.events.slice(-1))).toEqual(['step_started']);
    expect(ready.effect).toMatchObject({ kind: 'run_agent', stepId: 'a', attempt: 1, visit: 1 });
  });

  it('ends without a step when its preparation fails, with the reason', () => {
    const run = goOn(failing(), script);
    expect(typesOf(run.events)).toEqual(['run_started', 'run_completed']);
    expect(endOfRun(run)).toEqual({
      lifecycle: 'failed',
      outcome: 'error',
      termination: 'error',
      reason: 'npm ci exited with 1',
    });
  });

  it('can be cancelled while it is prepared', () => {
    expect(finalState(goOn(cancel(begin(plan)), script))).toBe('failed cancelled cancelled');
  });

  it('whose entry step is not in the workflow ends in a workflow error after its preparation', () => {
    const run = play(planOf([agent('a')], { entryStep: 'gone' }), []);
    expect(finalState(run)).toBe('failed error workflow_error');
    expect(eventsOf(run, 'baseline_recorded')).toHaveLength(1);
  });
});

describe('a run of version 1', () => {
  it('enters its entry step at once', () => {
    const begun = begin(plan, { schemaVersion: 1 });
    expect(typesOf(begun.events)).toEqual(['run_started', 'step_started']);
    expect(begun.effect).toMatchObject({ kind: 'run_agent', stepId: 'a' });
  });
});

describe('a preparation that was interrupted', () => {
  it('is asked for again, however often, and spends no recovery of the entry step', () => {
    let run = begin(plan);
    for (let count = 0; count < 2 * MAX_RECOVERIES; count++) run = resume(crash(run));
    expect(run.effect).toEqual({ kind: 'prepare' });
    expect(eventsOf(run, 'run_resumed').map(({ step_id, payload }) => [step_id, payload.attempt])).toEqual(
      Array.from({ length: 2 * MAX_RECOVERIES }, () => [null, null]),
    );
    let entered = prepare(run);
    for (let count = 0; count < MAX_RECOVERIES; count++) entered = resume(crash(entered));
    expect(trail(entered)).toEqual(['a', 'a*', 'a*', 'a*']);
    expect(finalState(goOn(entered, script))).toBe('completed success completed');
  });

  it.each([
    ['after the setup', 2, ['setup_completed', 'run_resumed', 'baseline_recorded']],
    ['after the baseline', 3, ['setup_completed', 'baseline_recorded', 'run_resumed']],
  ])('%s continues from the record', (_, keep, expected) => {
    const whole = goOn(start(plan), script);
    const again = goOn(resume(crash(whole, keep)), script);
    const first = again.events.findIndex(({ event_type }) => event_type === 'step_started');
    expect(typesOf(again.events.slice(1, first))).toEqual(expected);
    expect(finalState(again)).toBe(finalState(whole));
  });

  it('is over with the first step_started: the entry step is resumed', () => {
    const entered = resume(crash(start(plan)));
    expect(entered.effect).toMatchObject({ kind: 'run_agent', attempt: 2 });
  });

  it('that failed and died before the end was on record is tried again', () => {
    const failed = prepare(failing());
    expect(failed.effect).toMatchObject({ kind: 'finish' });
    const again = resume(crash(failed));
    expect(again.effect).toEqual({ kind: 'prepare' });
    expect(finalState(goOn({ ...again, preparationFailure: null }, script))).toBe(
      'completed success completed',
    );
  });
});

describe('an input that a preparation can’t have caused', () => {
  it.each([
    ['a preparation of a run whose first step is under way', start(plan), { kind: 'prepared' }],
    ['a failed preparation of such a run', start(plan), { kind: 'preparation_failed', reason: '' }],
    [
      'an end of a run that is being prepared, without a reason',
      begin(plan),
      { kind: 'finished', tree: null, headSha: null },
    ],
    [
      'the end of a preparation while a step is under way',
      start(plan),
      { kind: 'finished', tree: null, headSha: null, preparationFailure: 'no' },
    ],
  ] as const)('is refused as a bug: %s', (_, run, input) => {
    expect(() => give(run, input)).toThrow(KernelBug);
  });
});

describe('the replay of a preparation', () => {
  it('reproduces one that failed, and notices another end', () => {
    const run = goOn(failing(), script);
    expect(replayLog(plan, run.events)).toMatchObject({ difference: null, cut: false });
    const forged = run.events.map((event) =>
      event.event_type === 'run_completed'
        ? { ...event, payload: { ...event.payload, outcome: 'success' as const } }
        : event,
    );
    expect(replayLog(plan, forged).difference?.index).toBe(1);
  });

  it('takes setup and baseline along as evidence', () => {
    const run = goOn(start(plan), script);
    expect(replayLog(plan, run.events)).toMatchObject({ difference: null, carried: 4 });
  });

  it('in another workflow has no difference where the record never got to a step', () => {
    expect(compareWithPlan(plan, goOn(failing(), script).events).difference).toBeNull();
  });
});

describe('what follows the end of a run', () => {
  const over = goOn(start(plan), script);
  const sent: EventDraft = {
    event_type: 'notification_sent',
    step_id: null,
    payload: { target: 'desktop', for_seq: over.events.length - 1, ok: true, message: null },
  };
  const published: EventDraft = {
    event_type: 'run_published',
    step_id: null,
    payload: { url: 'https://example.org/1', branch: 'conductor/run', remote: 'origin' },
  };
  const notice: EventDraft = {
    event_type: 'notice_recorded',
    step_id: null,
    payload: { kind: 'workspace', subject: 'x', old: null, new: null, message: 'm', salvage_ref: null },
  };

  it.each<[string, EventDraft]>([
    ['a notification', sent],
    ['a publication', published],
    ['a cancel', { event_type: 'run_cancelled', step_id: null, payload: { by: 'ann', reason: null } }],
    ['a step', { event_type: 'workflow_error', step_id: 'a', payload: { message: 'late' } }],
  ])('leaves its state as it was: %s', (_, event) => {
    expect(evolve(over.state, event)).toBe(over.state);
  });

  it('replays where it is a notification or a publication', () => {
    const log = [...over.events, sent, published, sent];
    expect(replayLog(plan, log)).toMatchObject({ difference: null, cut: false, state: over.state });
  });

  it.each([
    ['a notice', notice],
    ['a setup', setUp],
    ['a baseline', baseline],
  ])('is a difference where it is %s', (_, late) => {
    expect(replayLog(plan, [...over.events, sent, late]).difference).toEqual({
      index: over.events.length + 1,
      expected: null,
      recorded: late,
    });
  });

  it('may be sent and published before the end too', () => {
    const waiting = note(note(start(plan), sent), published);
    expect(replayLog(plan, goOn(waiting, script).events).difference).toBeNull();
  });
});
