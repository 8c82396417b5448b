import { describe, expect, it } from 'vitest';
import type { WorkEvent } from '../../../src/contracts/work/work-event.ts';
import type { WorkLimits } from '../../../src/work/items/limits.ts';
import { explainWaiting } from '../../../src/work/items/waiting.ts';
import { accepted, created, inReview, limits, moved, reviewed, stateOf } from './fixtures.ts';

const atWork = (id: string, scope?: string[]) => [
  created({ id, status: 'in-progress' }, scope),
  accepted(`run ${id}`, 'implementor', id),
];
const unstartable: WorkEvent = {
  type: 'command_failed',
  key: 'k',
  by: 'engine',
  kind: 'request_implementor_run',
  item_id: '1',
  reason: 'no program',
};

function reasonFor(events: readonly WorkEvent[], id: string, more: Partial<WorkLimits> = {}): string | null {
  const state = stateOf(events);
  const known = state.items.get(id);
  if (known === undefined) throw new Error('no such item');
  return explainWaiting(known, { state, limits: limits(more) })?.text ?? null;
}

describe('the board shows', () => {
  it.each<[string, WorkEvent[], string | null]>([
    [
      'its blockers',
      [
        ...atWork('3'),
        created({ id: '4', status: 'closed' }),
        created({ id: '1', blockedBy: ['3', '4', '9'] }),
      ],
      'blocked by 3 (in-progress), 9 (unknown)',
    ],
    ['nothing while it becomes ready', [created({ id: '1' })], null],
    ['nothing while it can be started', [created({ id: '1', status: 'ready' })], null],
    [
      'the conflicting item',
      [...atWork('5', ['src/']), created({ id: '1', status: 'ready' }, ['src/a.ts'])],
      'waiting for item 5, which is changing src/a.ts',
    ],
    [
      'that there is no free slot',
      [...atWork('2'), ...atWork('3'), created({ id: '1', status: 'ready' })],
      'waiting for a free slot (2 of 2 in use)',
    ],
    [
      'that a refinement waits for an answer',
      [created({ id: '1', status: 'ready', type: 'refinement' })],
      'waiting for an answer: it is a question about a spec',
    ],
    [
      'that its runs could not start',
      [created({ id: '1', status: 'ready' }), unstartable, unstartable, unstartable],
      'needs attention: 3 runs in a row could not start: no program',
    ],
    ['nothing while an agent works on it', atWork('1'), null],
    ['that its checks are running', inReview('1', 'pending'), 'waiting for its checks'],
    ['nothing when a reviewer comes next', inReview('1', 'success'), null],
    [
      'that a review waits for a free slot',
      [...atWork('2'), ...atWork('3'), ...inReview('1', 'success')],
      'waiting for a free slot (2 of 2 in use)',
    ],
    [
      'that it was reviewed',
      [...inReview('1', 'success'), reviewed('1', 'approve')],
      'needs attention: its review already says approve; review it again: conductor work review 1',
    ],
    [
      'that it can be merged',
      [...inReview('1', 'success'), moved('1', 'review', 'approved')],
      'approved; merge it: conductor work merge 1',
    ],
    [
      'why it is blocked',
      [...atWork('1'), moved('1', 'in-progress', 'blocked', 'engine', 'Type: spec-gap')],
      'needs attention: Type: spec-gap; then: conductor work transition 1 pending --reason "…"',
    ],
    [
      'why it needs refinement',
      [
        ...inReview('1', 'success'),
        moved('1', 'review', 'needs-refinement', 'engine', 'changes requested in review: x'),
      ],
      'needs attention: changes requested in review: x; then: conductor work transition 1 pending --reason "…"',
    ],
    ['nothing when it is closed', [created({ id: '1', status: 'closed' })], null],
  ])('%s', (_, events, expected) => {
    expect(reasonFor(events, '1')).toBe(expected);
  });

  it('that its run waits at a gate', () => {
    const waitingRuns = new Map([['run 1', { reason: 'a gate asks: merge?', gate: 'decide' }]]);
    expect(reasonFor(atWork('1'), '1', { waitingRuns })).toBe(
      'a gate asks: merge?; answer it: conductor approve run 1',
    );
  });

  it('explains five hundred items, of which one waits, without delay', () => {
    const events = Array.from({ length: 500 }, (_, index) =>
      created({ id: String(index), status: 'ready' }, [`src/${index}/**/*.ts`, `lib/${index}.ts`]),
    );
    const state = stateOf(atWork('a', ['src/7/x.ts']), atWork('b', ['docs/']), events);
    const reasons = [...state.items.values()].map(
      (known) => explainWaiting(known, { state, limits: limits({ slots: 3 }) })?.text ?? null,
    );
    expect(reasons.filter((reason) => reason !== null)).toEqual([
      'waiting for item a, which is changing src/7/**/*.ts',
    ]);
  });
});
