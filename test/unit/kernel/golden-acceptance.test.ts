import { describe, expect, it } from 'vitest';
import { decide } from '../../../src/kernel/decide.ts';
import { replayLog } from '../../../src/kernel/replay.ts';
import { compareWithPlan } from '../../../src/kernel/replay-against.ts';
import { agent, evaluate, gate, planOf, rollback, validation } from '../../../testing/plans.ts';
import {
  answered,
  approved,
  changed,
  crash,
  ended,
  eventsOf,
  finalState,
  give,
  goOn,
  goTo,
  inOrder,
  type Played,
  passed,
  play,
  rejected,
  resume,
  runnerStarted,
  start,
  trail,
} from './scripted-run.ts';

const proposing = ended('completed', { proposals: { harness: 1 } });
const plan = planOf([
  agent('work', { routes: { completed: 'check' } }),
  validation('check', { routes: { completed: 'ask' } }),
  gate('ask', { routes: { gate_timed_out: 'STOP', error: 'undo' } }),
  rollback('undo'),
]);
const script = inOrder([changed, proposing, approved]);

/** The gate is approved, and nothing is in the files yet. */
function accepting(): Played {
  let run = goTo(start(plan), script, 'ask');
  run = give(run, { kind: 'gate_opened', reason: 'look', tree: 'tree of work#1', requestSha256: 'r' });
  return give(run, {
    kind: 'gate_answered',
    answer: 'gate_approved',
    by: 'ann',
    comment: null,
    answeredAt: '2026-01-01T00:00:00Z',
  });
}

describe('an approval with goldens pending', () => {
  it('is on record before they are put into the files', () => {
    const run = accepting();
    expect(run.effect).toMatchObject({ kind: 'accept_goldens', stepId: 'ask', attempt: 1, restoreTo: null });
    expect(run.events.at(-1)?.event_type).toBe('gate_approved');
  });

  it('is a success, because what it accepts is no change that needs a validation', () => {
    const run = play(plan, [changed, proposing, approved]);
    expect(finalState(run)).toBe('completed success gate_approved');
    expect(eventsOf(run, 'step_completed').at(-1)).toMatchObject({
      step_id: 'ask',
      payload: { changed: true, tree: 'tree of work#1+goldens' },
    });
    expect(run.state.tree).toBe('tree of work#1+goldens');
  });

  it('does not verify what nothing had verified before', () => {
    const red = planOf([
      agent('work', { routes: { completed: 'check' } }),
      validation('check', { routes: { error: 'ask' } }),
      gate('ask'),
    ]);
    const failing = ended('error', { proposals: { harness: 1 } });
    expect(finalState(play(red, [changed, failing, approved]))).toBe('completed unverified gate_approved');
  });

  it('does not cover changes between the approval and the files', () => {
    const touched = { ...accepting() };
    const begun = runnerStarted('ask', 1, 'touched by a person');
    const events = [...touched.events, begun];
    const state = crash({ ...touched, events }).state;
    const done = give(
      { ...touched, events, state },
      {
        kind: 'goldens_accepted',
        changed: true,
        tree: 'touched, with goldens',
      },
    );
    expect(finalState(goOn(done, script))).toBe('completed unverified gate_approved');
  });

  it("passes the approver's comment on before it continues", () => {
    const remark = inOrder([
      changed,
      proposing,
      { kind: 'answered', answer: 'gate_approved', by: 'ann', comment: 'fine' },
    ]);
    const run = goOn(start(plan), remark);
    const types = run.events.map(({ event_type }) => event_type);
    expect(types.slice(types.indexOf('gate_approved'), types.indexOf('run_completed'))).toEqual([
      'gate_approved',
      'human_feedback',
      'runner_started',
      'step_completed',
      'route_selected',
    ]);
  });
});

describe('no goldens are put anywhere', () => {
  it.each([
    ['by a rejection', rejected],
    ['by a gate that timed out', answered('gate_timed_out')],
  ])('%s', (_, reply) => {
    const run = play(plan, [changed, proposing, reply]);
    expect(eventsOf(run, 'step_completed').at(-1)?.payload).toMatchObject({ changed: false, tree: null });
    expect(run.state.pendingGoldens).toEqual(['harness']);
  });

  it('by an approval without any pending', () => {
    const run = play(plan, [changed, passed, approved]);
    expect(eventsOf(run, 'step_completed').at(-1)?.payload).toMatchObject({ changed: false, tree: null });
  });
});

describe('a run that is killed between the approval and the files', () => {
  it('accepts them once when it is resumed, whichever event was the last', () => {
    const whole = goOn(start(plan), script);
    const approvedAt = whole.events.findIndex(({ event_type }) => event_type === 'gate_approved');
    for (let keep = approvedAt + 1; keep < whole.events.length; keep += 1) {
      const again = goOn(resume(crash(whole, keep)), script);
      expect(finalState(again), `cut after ${keep}`).toBe('completed success gate_approved');
      expect(eventsOf(again, 'gate_approved')).toHaveLength(1);
      expect(again.state.tree).toBe('tree of work#1+goldens');
    }
  });

  it('comes back to the snapshot that was taken before them', () => {
    const begun = runnerStarted('ask', 1, 'tree of work#1');
    const died = accepting();
    const again = resume(crash({ ...died, events: [...died.events, begun] }));
    expect(again.effect).toMatchObject({ kind: 'accept_goldens', restoreTo: 'commit of tree of work#1' });
  });
});

describe("goldens that can't be put into the files", () => {
  const failed = { kind: 'step_ended', outcome: 'error', changed: true, tree: null } as const;
  const input = { ...failed, validators: [], usage: null, reason: 'git said no', violations: [] };

  it('are an error of the gate, and stay pending', () => {
    const run = give(accepting(), input);
    expect(trail(run).at(-1)).toBe('undo');
    expect(run.state.pendingGoldens).toEqual(['harness']);
    expect(eventsOf(run, 'route_selected').at(-1)?.payload.key).toBe('error');
  });

  it('are part of a replay too', () => {
    const run = goOn(give(accepting(), input), inOrder([changed, proposing, approved, passed]));
    expect(replayLog(plan, run.events).difference).toBeNull();
    expect(compareWithPlan(plan, run.events).difference).toBeNull();
  });
});

describe('a replay', () => {
  it('decides an acceptance again', () => {
    const run = play(plan, [changed, proposing, approved]);
    expect(replayLog(plan, run.events)).toMatchObject({ difference: null, cut: false });
    expect(compareWithPlan(plan, run.events).difference).toBeNull();
  });

  it('keeps the files that came of it in mind where a later gate shows them', () => {
    const twice = planOf([
      agent('work', { routes: { completed: 'check' } }),
      validation('check', { routes: { completed: 'ask' } }),
      gate('ask', { routes: { gate_approved: 'again' } }),
      gate('again'),
    ]);
    const run = play(twice, [changed, proposing, approved, approved]);
    expect(finalState(run)).toBe('completed success gate_approved');
    expect(compareWithPlan(twice, run.events).difference).toBeNull();
  });

  it('takes a record in which an approval put nothing anywhere', () => {
    const run = accepting();
    const closed = decide(plan, run.state, { kind: 'goldens_accepted', changed: false, tree: null });
    const events = [...run.events, ...closed.events];
    expect(replayLog(plan, events)).toMatchObject({ difference: null, cut: false });
  });

  it('leads a record that ends at the approval through another workflow', () => {
    const other = planOf([
      agent('work', { routes: { completed: 'check' } }),
      validation('check', { routes: { completed: 'ask' } }),
      gate('ask', { routes: { gate_approved: 'judge' } }),
      evaluate('judge'),
    ]);
    expect(compareWithPlan(other, accepting().events).edited.steps.at(-1)).toMatchObject({ stepId: 'judge' });
  });
});
