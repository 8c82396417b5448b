import { describe, expect, it } from 'vitest';
import type { WorkEvent } from '../../../src/contracts/work/work-event.ts';
import { createWorkState, evolve, WorkBug } from '../../../src/work/engine/evolve.ts';
import { copyState } from '../../../src/work/items/state.ts';
import {
  accepted,
  checked,
  created,
  ended,
  entriesOf,
  inReview,
  made,
  moved,
  reviewed,
  spec,
  stateOf,
} from './fixtures.ts';

const started = (key: string): WorkEvent => ({ type: 'command_started', key, by: 'engine', command: {} });
const done = (key: string): WorkEvent => ({ type: 'command_done', key });
const refusedStart = (kind: string, id: string | null): WorkEvent => ({
  type: 'command_failed',
  key: 'k',
  by: 'engine',
  kind,
  item_id: id,
  reason: 'no program',
});

describe('the state of work items', () => {
  it.each<[string, WorkEvent[], string]>([
    [
      'an item that is made twice',
      [created({ id: '1' }), created({ id: '1' })],
      'entry 2 of the journal of work items: item 1 already exists',
    ],
    ['a status of nobody', [moved('1', 'pending', 'ready')], 'there is no item 1'],
    [
      'a status that is not left',
      [created({ id: '1' }), moved('1', 'ready', 'in-progress')],
      'item 1 is pending, not ready',
    ],
    ['a command that starts twice', [started('k'), started('k')], 'command k has already started'],
    [
      'a command that starts after its end',
      [started('k'), done('k'), started('k')],
      'command k is already done',
    ],
    ['an end without a start', [done('k')], 'command k has not started'],
    [
      'a run that is accepted twice',
      [accepted('a', 'planner'), accepted('a', 'planner')],
      'run a was already accepted',
    ],
    ['an end of no run', [ended('a', true)], 'run a is not active'],
    ['checks of no revision', [checked('1', 'success')], 'there is no revision r1'],
    ['a review of no revision', [reviewed('1', 'approve')], 'there is no revision r1'],
  ])('stops at %s, with the entry', (_, events, message) => {
    expect(() => stateOf(events)).toThrow(WorkBug);
    expect(() => stateOf(events)).toThrow(message);
  });

  it('stops at a gap and at an event that it does not know', () => {
    const state = createWorkState();
    const [entry] = entriesOf([created({ id: '1' })]);
    expect(() => evolve(state, { ...entry, seq: 3 } as never)).toThrow(
      'entry 3 of the journal of work items: follows entry 0',
    );
    expect(() => stateOf({ type: 'odd' } as never)).toThrow('unknown event');
  });

  it('keeps commands that have no end yet, with the time of their start', () => {
    const { started: open, doneKeys } = stateOf(started('a'), done('a'), started('b'));
    expect([...open.values()]).toEqual([
      { key: 'b', by: { kind: 'engine' }, at: '2026-01-01T00:00:00.000Z', recorded: {} },
    ]);
    expect([...doneKeys]).toEqual(['a']);
  });

  it('counts the failures of an item in a row, and progress clears those of earlier stages', () => {
    const round = (run: string, ok: boolean) => [
      accepted(run, 'implementor', '1'),
      ended(run, ok, `${run} failed`),
    ];
    const failures = (...events: WorkEvent[]) =>
      stateOf(inReview('1', 'pending'), events)
        .items.get('1')
        ?.failures.map(({ reason }) => reason);
    expect(failures(...round('a', false), ...round('b', false))).toEqual(['a failed', 'b failed']);
    expect(failures(...round('a', false), ...round('b', true))).toEqual([]);
    expect(failures(checked('1', 'failure', 'red'), ...round('b', true))).toEqual(['red']);
    expect(failures(checked('1', 'failure', 'red'), checked('1', 'success'))).toEqual([]);
    expect(
      failures(accepted('r', 'reviewer', '1'), ended('r', false, 'away'), checked('1', 'success')),
    ).toEqual(['away']);
    expect(
      failures(
        accepted('r', 'reviewer', '1'),
        ended('r', false),
        accepted('s', 'reviewer', '1'),
        ended('s', true),
      ),
    ).toEqual([]);
    expect(failures(accepted('a', 'implementor', '1'), ended('a', false, 'stopped', false))).toEqual([]);
    expect(failures(...round('a', false), moved('1', 'review', 'pending', 'ann'))).toEqual([]);
    expect(failures(...round('a', false), moved('1', 'review', 'pending'))).toEqual(['a failed']);
  });

  it('counts planner runs that failed with the same specs', () => {
    const specs = [spec('a.md', '1')];
    const failed = (run: string, given = specs) => [
      accepted(run, 'planner', null, { specs: given }),
      ended(run, false),
    ];
    expect(stateOf(failed('a'), failed('b')).planFailures.reasons).toHaveLength(2);
    expect(stateOf(failed('a'), failed('b', [spec('a.md', '2')])).planFailures.reasons).toHaveLength(1);
    expect(stateOf(failed('a'), { type: 'specs_planned', run_id: 'b', specs }).planFailures.reasons).toEqual(
      [],
    );
    const seen: WorkEvent = { type: 'specs_seen', specs };
    expect(
      stateOf(seen, failed('a'), refusedStart('request_planner_run', null)).planFailures.reasons,
    ).toHaveLength(2);
  });

  it('counts runs that could not be started, until one is accepted', () => {
    const failed = refusedStart('request_implementor_run', '1');
    expect(stateOf(created({ id: '1' }), failed, failed).items.get('1')?.failedStarts).toEqual([
      'no program',
      'no program',
    ]);
    const started = stateOf(created({ id: '1' }), failed, accepted('a', 'implementor', '1'));
    expect(started.items.get('1')?.failedStarts).toEqual([]);
  });

  it('remembers which commit was approved', () => {
    const state = stateOf(
      inReview('1', 'success'),
      moved('1', 'review', 'approved'),
      made('1', { headSHA: 'other' }),
    );
    expect(state.items.get('1')?.approvedSHA).toBe('head-1');
  });

  it('keeps one review for each commit, the last one', () => {
    const state = stateOf(
      inReview('1', 'success'),
      reviewed('1', 'approve', 'x'),
      reviewed('1', 'approve', 'y'),
      reviewed('1', 'needs-changes', 'y'),
    );
    expect(state.reviews.get('r1')?.map(({ headSHA, review }) => [headSHA, review.verdict])).toEqual([
      ['x', 'approve'],
      ['y', 'needs-changes'],
    ]);
    expect(state.revisions.get('r1')?.reviewID).toBe('review-r1');
  });

  it('returns a snapshot that does not change later', () => {
    const state = stateOf(created({ id: '1' }));
    const snapshot = copyState(state);
    evolve(state, { seq: 2, at: '', event: moved('1', 'pending', 'ready') });
    expect(snapshot.items.get('1')?.item.status).toBe('pending');
    expect(state.items.get('1')?.item.status).toBe('ready');
  });

  it('folds a hundred thousand entries', () => {
    const items = Array.from({ length: 500 }, (_, index) => created({ id: String(index) }));
    const rounds = Array.from({ length: 33_000 }, (_, index): WorkEvent[] => {
      const key = String(index);
      const id = String(index % 500);
      const turn = Math.floor(index / 500) % 2 === 0;
      return [started(key), turn ? moved(id, 'pending', 'ready') : moved(id, 'ready', 'pending'), done(key)];
    });
    const entries = entriesOf([items, ...rounds].flat());
    const state = createWorkState();
    for (const entry of entries) evolve(state, entry);
    expect(state.seq).toBe(99_500);
  });
});
