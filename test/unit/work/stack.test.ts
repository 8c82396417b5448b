import { describe, expect, it } from 'vitest';
import type { WorkEvent } from '../../../src/contracts/work/work-event.ts';
import { applyReviewerResult } from '../../../src/work/engine/command-steps.ts';
import { findRefusal } from '../../../src/work/engine/guards.ts';
import { collectCommands } from '../../../src/work/engine/handlers.ts';
import { findConflict, findStack, findStaleBlocker } from '../../../src/work/items/stack.ts';
import { explainWaiting } from '../../../src/work/items/waiting.ts';
import { accepted, created, ended, inReview, limits, made, moved, reviewed, stateOf } from './fixtures.ts';

const approved = (id: string, blockedBy: string[] = []): WorkEvent[] => [
  created({ id, status: 'approved', blockedBy }),
  made(id, { pipeline: { status: 'success', url: null, reason: null } }),
];
const merged = (id: string): WorkEvent[] => [
  { type: 'revision_merged', revision_id: `r${id}`, item_id: id, into: 'main', commit: 'c', by: 'ann' },
  moved(id, 'approved', 'closed', 'ann'),
];
const ON_ONE = [{ itemID: '1', headSHA: 'head-1' }];
/** An approved item 2 that was built on item 1. */
const STACKED = [
  ...approved('1'),
  created({ id: '2', status: 'approved', blockedBy: ['1'] }),
  made('2', { stackedOn: ON_ONE }),
];

const known = (state: ReturnType<typeof stateOf>, id: string) => {
  const found = state.items.get(id);
  if (found === undefined) throw new Error(`no item ${id}`);
  return found;
};
const moves = (events: readonly WorkEvent[]) =>
  collectCommands([{ type: 'looked' }], stateOf(events), limits()).flatMap(({ command }) =>
    command.kind === 'transition' ? [`${command.itemId} ${command.to}: ${command.reason}`] : [],
  );

describe('the stack of an item', () => {
  it.each<[string, WorkEvent[], string[]]>([
    ['is empty without blockers', [created({ id: '9' })], []],
    ['has approved blockers', [...approved('1'), created({ id: '9', blockedBy: ['1'] })], ['1']],
    [
      'leaves out merged blockers',
      [...approved('1'), ...merged('1'), created({ id: '9', blockedBy: ['1'] })],
      [],
    ],
    [
      'has blockers of blockers first, whatever their order',
      [...approved('2', ['1']), ...approved('1'), created({ id: '9', blockedBy: ['2', '1'] })],
      ['1', '2'],
    ],
  ])('%s', (_, events, ids) => {
    const state = stateOf(events);
    expect(findStack(state, known(state, '9').item).map(({ itemID }) => itemID)).toEqual(ids);
  });
});

describe('work that is built on a blocker', () => {
  it.each<[string, WorkEvent[], string | null]>([
    ['stays while the blocker does', STACKED, null],
    ['stays when the blocker is merged', [...STACKED, ...merged('1')], null],
    ['is stale when the blocker has a new revision', [...STACKED, made('1', { headSHA: 'new' })], '1'],
    [
      'is stale when the blocker is closed without a merge',
      [...STACKED, moved('1', 'approved', 'closed', 'ann')],
      '1',
    ],
  ])('%s', (_, events, blocker) => {
    const state = stateOf(events);
    expect(findStaleBlocker(state, known(state, '2'))).toBe(blocker);
    expect(moves(events)).toEqual(
      blocker === null ? [] : ['2 pending: stale: item 1 changed after this was built on it'],
    );
  });

  it('is merged after the blocker', () => {
    const merge = {
      key: 'k',
      by: { kind: 'person', name: 'ann' },
      command: { kind: 'merge', itemId: '2' },
    } as const;
    const refusal = findRefusal(stateOf(STACKED), merge, { limits: limits(), checkPlan: () => [] });
    expect(refusal).toMatchObject({
      code: 'blockers_unmerged',
      reason: expect.stringContaining('not merged: 1'),
    });
  });

  it('waits at a conflict until a blocker changes', () => {
    const stack = [...ON_ONE, { itemID: '3', headSHA: 'head-3' }];
    const conflict: WorkEvent = {
      type: 'stack_conflicted',
      item_id: '9',
      items: ['1', '3'],
      files: ['a.ts'],
      stack,
    };
    const events = [
      ...approved('1'),
      ...approved('3'),
      created({ id: '9', status: 'ready', blockedBy: ['1', '3'] }),
      conflict,
    ];
    const state = stateOf(events);
    expect(collectCommands([{ type: 'looked' }], state, limits())).toEqual([]);
    expect(explainWaiting(known(state, '9'), { state, limits: limits() })).toMatchObject({
      code: 'stack_conflict',
      text: expect.stringContaining('items 1 and 3 both changed a.ts'),
      needsUser: true,
    });
    const changed = stateOf(events, made('3', { headSHA: 'new' }));
    expect(findConflict(changed, known(changed, '9'))).toBeNull();
  });
});

describe('a failed review', () => {
  const failed = (count: number) =>
    Array.from({ length: count }, (_, at) => [
      accepted(`v${at}`, 'reviewer', '1'),
      ended(`v${at}`, false, 'no JSON'),
    ]).flat();
  it.each([
    [0, ['request_reviewer_run'], null],
    [2, ['request_reviewer_run'], null],
    [3, [], 'failed_reviews'],
  ])('is repeated after %i failures by %j', (count, kinds, code) => {
    const state = stateOf(inReview('1', 'success'), failed(count));
    expect(collectCommands([{ type: 'looked' }], state, limits()).map(({ command }) => command.kind)).toEqual(
      kinds,
    );
    expect(known(state, '1').item.status).toBe('review');
    expect(explainWaiting(known(state, '1'), { state, limits: limits() })?.code ?? null).toBe(code);
  });

  it('is forgotten with a new revision, and when a user moves the item back to review', () => {
    const again = stateOf(inReview('1', 'success'), failed(3), made('1', { headSHA: 'new' }));
    expect(known(again, '1').failures).toEqual([]);
    const back = stateOf([created({ id: '1', status: 'review' }), made('1')], failed(3), [
      moved('1', 'review', 'blocked', 'ann'),
      moved('1', 'blocked', 'review', 'ann'),
    ]);
    expect(known(back, '1').failures).toEqual([]);
  });
});

describe('a review that asks for changes', () => {
  it.each([
    [0, 2, 'pending'],
    [1, 2, 'pending'],
    [2, 2, 'needs-refinement'],
    [0, 0, 'needs-refinement'],
    [0, undefined, 'needs-refinement'],
  ])('after %i of %s rounds moves the item to %s', (rounds, maxRounds, status) => {
    const state = stateOf(
      inReview('1', 'success'),
      Array.from({ length: rounds }, () => reviewed('1', 'needs-changes')),
    );
    const change = applyReviewerResult(
      state,
      known(state, '1'),
      {
        kind: 'apply_reviewer_result',
        runId: 'r',
        itemId: '1',
        revisionId: 'r1',
        result: { role: 'reviewer', review: { verdict: 'needs-changes', summary: 's', comments: [] } },
        maxRounds,
      },
      'engine',
    );
    expect(change.writes.at(-1)).toEqual({ kind: 'set_status', id: '1', status });
  });

  it('counts rounds anew when a user moves the item to pending', () => {
    const state = stateOf(
      inReview('1', 'success'),
      reviewed('1', 'needs-changes'),
      moved('1', 'review', 'pending', 'ann'),
    );
    expect(known(state, '1').rounds).toBe(0);
  });
});

describe('an extension of the scope', () => {
  const body = '## Scope\n\n### In Scope\n\n- src/a.ts\n\n### Out of Scope\n\n- tools/\n';
  const item = created({ id: '1' });
  const events = item.type === 'item_created' ? [{ ...item, body }] : [];
  it.each([
    ['README.md', 'person', null],
    ['docs/', 'person', null],
    ['tools/x.mjs', 'person', 'path_out_of_scope'],
    ['tools', 'person', 'path_out_of_scope'],
    ['../x', 'person', 'path_invalid'],
    ['/etc/passwd', 'person', 'path_invalid'],
    ['', 'person', 'path_invalid'],
    ['notes.txt\ntools/', 'person', 'path_invalid'],
    ['README.md', 'engine', 'people_only'],
  ] as const)('to %j by %s: %s', (path, by, code) => {
    const requester =
      by === 'person' ? ({ kind: 'person', name: 'ann' } as const) : ({ kind: 'engine' } as const);
    const command = { kind: 'extend_scope', itemId: '1', path, reason: 'x' } as const;
    const refusal = findRefusal(
      stateOf(events),
      { key: 'k', by: requester, command },
      { limits: limits(), checkPlan: () => [] },
    );
    expect(refusal?.code ?? null).toBe(code);
  });
});
