import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EventDraft } from '../../../src/contracts/run/event.ts';
import { replayLog } from '../../../src/kernel/replay.ts';
import { isCarried } from '../../../src/kernel/replay-inputs.ts';
import { agent, evaluate, gate, planOf, validation } from '../../../testing/plans.ts';
import { numberOfRuns } from '../number-of-runs.ts';
import { CUTS, interrupted, randomRun } from './random-runs.ts';
import {
  approved,
  cancel,
  changed,
  crash,
  ended,
  evaluated,
  give,
  goOn,
  goTo,
  inOrder,
  type Played,
  passed,
  play,
  start,
} from './scripted-run.ts';

/** Every run of every plan, interrupted or not. */
function law(numRuns: number, check: (run: Played) => void): void {
  fc.assert(
    fc.property(randomRun(), CUTS, (random, cuts) => check(interrupted(random, cuts))),
    { numRuns },
  );
}

function differenceIn(run: Played, events: readonly EventDraft[] = run.events) {
  return replayLog(run.plan, events).difference;
}

describe('the replay of a recorded log', () => {
  it('succeeds, and accounts for every event', () => {
    law(numberOfRuns(200), (run) => {
      const replay = replayLog(run.plan, run.events);
      expect(replay).toMatchObject({ difference: null, cut: false, state: run.state });
      expect(replay.carried).toBe(run.events.filter(isCarried).length);
      expect(replay.decided + replay.carried).toBe(run.events.length);
    });
  });

  it('succeeds wherever the log is cut, and says if that is within a decision', () => {
    law(numberOfRuns(40), (run) => {
      for (let keep = 0; keep <= run.events.length; keep++) {
        const { difference, cut } = replayLog(run.plan, run.events.slice(0, keep));
        expect({ keep, difference }).toEqual({ keep, difference: null });
        const [before, after] = [run.events[keep - 1], run.events[keep]];
        if (before?.event_type === 'route_selected' && after?.event_type === 'step_started')
          expect(cut).toBe(true);
        if (before?.event_type === 'step_started') expect(cut).toBe(false);
      }
    });
  });

  it('succeeds for a cancelled run wherever it is cut', () => {
    law(numberOfRuns(40), (run) => {
      for (let keep = 1; keep < run.events.length; keep++) {
        const over = goOn(cancel(crash(run, keep)), inOrder([]));
        expect({ keep, difference: differenceIn(over) }).toEqual({ keep, difference: null });
      }
    });
  });

  it('notices an event of another step', () => {
    law(numberOfRuns(60), (run) => {
      for (const [index, event] of run.events.entries()) {
        if (isCarried(event)) continue;
        const events = run.events.with(index, { ...event, step_id: `${event.step_id}x` });
        expect(differenceIn(run, events)?.index).toBeLessThanOrEqual(index);
      }
    });
  });

  it('notices a changed payload of whatever the kernel alone decides', () => {
    let changes = 0;
    law(numberOfRuns(80), (run) => {
      for (const [index, event] of run.events.entries()) {
        const payload = changedPayload(event);
        if (payload === null) continue;
        changes += 1;
        const events = run.events.with(index, { ...event, payload } as EventDraft);
        expect(differenceIn(run, events)?.index).toBe(index);
      }
    });
    expect(changes).toBeGreaterThan(numberOfRuns(200));
  });
});

function changedPayload(event: EventDraft): object | null {
  switch (event.event_type) {
    case 'step_started':
      return { ...event.payload, attempt: event.payload.attempt + 1 };
    case 'route_selected':
      return { ...event.payload, to: `${event.payload.to}x` };
    case 'decision_recorded':
      return { ...event.payload, attempt: event.payload.attempt + 1 };
    case 'refinement_spent':
      return { ...event.payload, spent: event.payload.spent + 1 };
    case 'gate_approved':
      return { ...event.payload, attempt: event.payload.attempt + 1 };
    case 'human_feedback':
      return { ...event.payload, comment: 'something else' };
    case 'workflow_error':
      return { message: 'something else' };
    case 'run_resumed':
      return { ...event.payload, attempt: 99 };
    case 'run_completed':
      return { ...event.payload, lifecycle_state: 'waiting' };
    default:
      return null;
  }
}

const PLAN = planOf([
  agent('implement', { routes: { completed: 'check' } }),
  validation('check', { routes: { completed: 'judge', error: 'judge' } }),
  evaluate('judge', { routes: { success: 'approve', partial: 'implement' } }),
  gate('approve', { timeoutMs: 1_000, approvers: ['ann'] }),
]);
const RUN = play(PLAN, [
  changed,
  ended('error'),
  evaluated('partial'),
  changed,
  passed,
  evaluated('success'),
  approved,
]);

function indexOf(type: EventDraft['event_type'], nth = 0): number {
  return [...RUN.events.keys()].filter((index) => RUN.events[index]?.event_type === type)[nth] ?? -1;
}

describe('a difference', () => {
  it('names what the kernel makes instead of a changed outcome, at the route it leads to', () => {
    const index = indexOf('decision_recorded');
    const recorded = RUN.events[index];
    const events = RUN.events.with(index, {
      ...recorded,
      payload: { ...recorded?.payload, status: 'blocked' },
    } as EventDraft);
    expect(differenceIn(RUN, events)).toMatchObject({
      index: index + 1,
      expected: { event_type: 'step_blocked', step_id: 'judge' },
      recorded: { event_type: 'step_completed', step_id: 'judge' },
    });
  });

  it('names what is due where part of a decision is missing', () => {
    const index = indexOf('route_selected');
    expect(differenceIn(RUN, RUN.events.toSpliced(index, 1))).toMatchObject({
      index,
      expected: { event_type: 'route_selected', step_id: 'implement' },
      recorded: { event_type: 'step_started', step_id: 'check' },
    });
  });

  it('names an event after the end, for which nothing was due', () => {
    const late = RUN.events[indexOf('runner_started')];
    if (late === undefined) throw new Error('no runner was started');
    expect(differenceIn(RUN, [...RUN.events, late])).toEqual({
      index: RUN.events.length,
      expected: null,
      recorded: late,
    });
  });

  it('names evidence within a decision', () => {
    const index = indexOf('route_selected');
    const note: EventDraft = { event_type: 'status_updated', step_id: null, payload: { note: 'hm' } };
    expect(differenceIn(RUN, RUN.events.toSpliced(index, 0, note))).toMatchObject({
      index,
      expected: { event_type: 'route_selected' },
      recorded: note,
    });
  });

  it('is found where the plan is another one', () => {
    const { plan: _, ...played } = RUN;
    const other = planOf([agent('implement'), ...PLAN.steps.slice(1)]);
    expect(differenceIn({ ...played, plan: other })).toMatchObject({
      expected: { event_type: 'route_selected', payload: { to: 'STOP' } },
      recorded: { event_type: 'route_selected', payload: { to: 'check' } },
    });
  });
});

describe('what the log does not contain', () => {
  const open = goTo(start(planOf([gate('approve')])), inOrder([approved]), 'approve');
  const waiting = give(open, { kind: 'gate_opened', reason: 'look', tree: 'base', requestSha256: 'r' });

  it('is found out: files that changed under an open gate', () => {
    const again = give(waiting, { kind: 'gate_changed' });
    const asked = give(again, { kind: 'gate_opened', reason: 'look', tree: 'new', requestSha256: 's' });
    const over = goOn(asked, inOrder([approved]));
    expect(differenceIn(over)).toBeNull();
  });

  it('is found out: files that had changed when the run ended', () => {
    const plan = planOf([validation('check')]);
    const checked = goTo(start(plan), inOrder([passed]), 'check');
    const done = give(checked, {
      kind: 'step_ended',
      outcome: 'completed',
      changed: false,
      tree: 'base',
      validators: [],
      usage: null,
      reason: null,
      violations: [],
    });
    const over = give(done, { kind: 'finished', tree: 'another', headSha: 'abc' });
    expect(over.events.at(-1)).toMatchObject({ payload: { outcome: 'unverified', head_sha: 'abc' } });
    expect(differenceIn(over)).toBeNull();
  });
});
