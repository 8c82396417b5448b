import { describe, expect, it } from 'vitest';
import type { WorkEvent } from '../../../src/contracts/work/work-event.ts';
import type { WorkStatus } from '../../../src/contracts/work/work-item.ts';
import {
  collectCommands,
  explainPlanningStop,
  type Handler,
  handleDependencies,
  handleImplementation,
  handleOrphans,
  handlePlanning,
  handleReadiness,
  handleReview,
} from '../../../src/work/engine/handlers.ts';
import type { WorkLimits } from '../../../src/work/items/limits.ts';
import type { WorkState } from '../../../src/work/items/state.ts';
import {
  accepted,
  checked,
  created,
  ended,
  inReview,
  limits,
  made,
  moved,
  reviewed,
  spec,
  stateOf,
} from './fixtures.ts';

const LOOKED = { type: 'looked' } as const;

/** What a handler wants, in a few words. */
function wishes(
  handler: Handler,
  state: WorkState,
  more: Partial<WorkLimits> = {},
  event: WorkEvent | typeof LOOKED = LOOKED,
) {
  return handler(event, state, limits(more)).map(({ command }) => {
    switch (command.kind) {
      case 'transition':
        return `${command.itemId} to ${command.to}`;
      case 'request_planner_run':
        return `plan ${command.specs.map(({ filePath, blobSHA }) => `${filePath}@${blobSHA}`).join(' ')}`;
      case 'request_implementor_run':
        return `implement ${command.itemId}`;
      case 'request_reviewer_run':
        return `review ${command.itemId}`;
      default:
        return command.kind;
    }
  });
}

const seen = (...specs: ReturnType<typeof spec>[]): WorkEvent => ({ type: 'specs_seen', specs });
const planned = (...specs: ReturnType<typeof spec>[]): WorkEvent => ({
  type: 'specs_planned',
  run_id: 'p',
  specs,
});
const failedPlan = (run: string, ...specs: ReturnType<typeof spec>[]) => [
  accepted(run, 'planner', null, { specs }),
  ended(run, false),
];

describe('planning', () => {
  const a1 = spec('a.md', '1');
  const a2 = spec('a.md', '2');
  const b1 = spec('b.md', '1');
  it.each<[string, WorkEvent[], string[]]>([
    [
      'asks for all approved specs where one was never planned',
      [planned(a1), seen(a1, b1)],
      ['plan a.md@1 b.md@1'],
    ],
    ['asks again where one has changed since', [planned(a1, b1), seen(a2, b1)], ['plan a.md@2 b.md@1']],
    ['asks for nothing where all are planned', [planned(a1), seen(a1)], []],
    [
      'never plans drafts and deprecated ones',
      [seen(spec('d.md', '1', 'draft'), spec('o.md', '1', 'deprecated'))],
      [],
    ],
    ['leaves them out where others are planned', [seen(a1, spec('d.md', '1', 'draft'))], ['plan a.md@1']],
    ['waits for an active planner', [seen(a1), accepted('p', 'planner', null, { specs: [a1] })], []],
    [
      'plans what changed during a planner run',
      [seen(a1), accepted('p', 'planner', null, { specs: [a1] }), seen(a2), planned(a1), ended('p', true)],
      ['plan a.md@2'],
    ],
    [
      'tries again after two failures',
      [seen(a1), ...failedPlan('p', a1), ...failedPlan('q', a1)],
      ['plan a.md@1'],
    ],
    [
      'stops after three',
      [seen(a1), ...failedPlan('p', a1), ...failedPlan('q', a1), ...failedPlan('r', a1)],
      [],
    ],
    [
      'starts afresh when a spec changes',
      [seen(a1), ...failedPlan('p', a1), ...failedPlan('q', a1), ...failedPlan('r', a1), seen(a2)],
      ['plan a.md@2'],
    ],
  ])('%s', (_, events, expected) => {
    expect(wishes(handlePlanning, stateOf(events))).toEqual(expected);
  });

  it('does not ask while a planner is being started', () => {
    expect(wishes(handlePlanning, stateOf(seen(a1)), { startsPlanner: true })).toEqual([]);
  });

  it('reports that it has stopped, and why', () => {
    const state = stateOf(seen(a1), failedPlan('p', a1), failedPlan('q', a1));
    expect(explainPlanningStop(state)).toBeNull();
    const stopped = stateOf(seen(a1), failedPlan('p', a1), failedPlan('q', a1), failedPlan('r', a1));
    expect(explainPlanningStop(stopped)).toBe(
      'planning has stopped: 3 planner runs in a row failed with these specs: it fell over',
    );
  });
});

describe('readiness and dependencies', () => {
  const pair = (blocker: WorkStatus, item: WorkStatus) =>
    stateOf(created({ id: '1', status: blocker }), created({ id: '2', status: item, blockedBy: ['1'] }));
  it.each<[WorkStatus, string[]]>([
    ['closed', ['2 to ready']],
    ['approved', ['2 to ready']],
    ['in-progress', []],
    ['review', []],
    ['blocked', []],
    ['needs-refinement', []],
  ])('with a blocker that is %s ask for %j', (status, expected) => {
    expect(wishes(handleReadiness, pair(status, 'pending')).filter((wish) => wish.startsWith('2'))).toEqual(
      expected,
    );
    expect(wishes(handleDependencies, pair(status, 'pending'))).toEqual(expected);
  });

  it('leave a blocked item to users, whatever blocks it', () => {
    expect(wishes(handleReadiness, pair('closed', 'blocked'))).toEqual([]);
    expect(wishes(handleDependencies, pair('closed', 'blocked'))).toEqual([]);
  });

  it('wait for an unknown blocker', () => {
    expect(wishes(handleReadiness, stateOf(created({ id: '2', blockedBy: ['gone'] })))).toEqual([]);
  });

  it('consider only the item of the event', () => {
    const state = stateOf(
      created({ id: '1' }),
      created({ id: '2' }),
      created({ id: '3', status: 'closed' }),
      created({ id: '4', blockedBy: ['3'] }),
    );
    expect(wishes(handleReadiness, state, {}, created({ id: '2' }))).toEqual(['2 to ready']);
    expect(wishes(handleReadiness, state, {}, moved('1', 'review', 'pending'))).toEqual(['1 to ready']);
    expect(wishes(handleReadiness, state, {}, moved('1', 'pending', 'ready'))).toEqual([]);
    expect(wishes(handleDependencies, state, {}, moved('3', 'approved', 'closed'))).toEqual(['4 to ready']);
    expect(wishes(handleDependencies, state, {}, moved('1', 'approved', 'closed'))).toEqual([]);
    expect(wishes(handleDependencies, state, {}, moved('3', 'pending', 'ready'))).toEqual([]);
  });

  it('give the same request the same key, so that it is executed once', () => {
    const state = pair('closed', 'pending');
    expect(
      collectCommands([LOOKED, moved('1', 'approved', 'closed')], state, limits()).map(({ key }) => key),
    ).toEqual(['transition/2/2/ready']);
    state.doneKeys.add('transition/2/2/ready');
    expect(collectCommands([LOOKED], state, limits())).toEqual([]);
  });
});

describe('implementation', () => {
  const ready = (id: string, priority: 'high' | 'medium' | 'low' = 'medium', scope?: string[]) =>
    created({ id, status: 'ready', priority }, scope);
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
    reason: 'no',
  };
  it.each<[string, WorkEvent[], string[]]>([
    [
      'takes the most pressing first, then the oldest',
      [ready('1', 'low'), ready('2'), ready('3', 'high'), ready('4')],
      ['implement 3', 'implement 2'],
    ],
    ['takes no more than there are places', [...atWork('1'), ready('2'), ready('3')], ['implement 2']],
    ['takes none where all places are taken', [...atWork('1'), ...atWork('2'), ready('3')], []],
    [
      'leaves what is in the way of work that goes on',
      [...atWork('1', ['src/']), ready('2', 'high', ['src/a.ts']), ready('3', 'low', ['lib/a.ts'])],
      ['implement 3'],
    ],
    [
      'leaves what is in the way of what it takes',
      [ready('1', 'high', ['a.ts']), ready('2', 'medium', ['a.test.ts']), ready('3', 'low')],
      ['implement 1', 'implement 3'],
    ],
    ['gives no agent a question', [created({ id: '1', status: 'ready', type: 'refinement' })], []],
    ['leaves a place to a review', [...inReview('1', 'success'), ready('2'), ready('3')], ['implement 2']],
    ['leaves what could not be started three times', [ready('1'), unstartable, unstartable, unstartable], []],
    ['tries what could not be started twice', [ready('1'), unstartable, unstartable], ['implement 1']],
    ['never takes what is not ready', [created({ id: '1' }), created({ id: '2', status: 'blocked' })], []],
  ])('%s', (_, events, expected) => {
    expect(wishes(handleImplementation, stateOf(events))).toEqual(expected);
  });

  it('gives the slot of a run that waits at a gate to another run', () => {
    const state = stateOf(atWork('1'), atWork('2'), ready('3'), ready('4'));
    const waitingRuns = new Map([['run 1', { reason: 'a gate asks' }]]);
    expect(wishes(handleImplementation, state, { waitingRuns })).toEqual(['implement 3']);
  });

  it('counts a run that is being started as active', () => {
    const state = stateOf(ready('1', 'high', ['a.ts']), ready('2', 'high', ['a.ts']), ready('3'), ready('4'));
    expect(wishes(handleImplementation, state, { starting: new Map([['1', 'implementor']]) })).toEqual([
      'implement 3',
    ]);
  });
});

describe('review', () => {
  it.each<[string, WorkEvent[], string[]]>([
    ['is asked for when the checks succeed', inReview('1', 'success'), ['review 1']],
    ['waits for the checks', inReview('1', 'pending'), []],
    [
      'is not asked for twice',
      [...inReview('1', 'success'), accepted('r', 'reviewer', '1', { revision: 'r1' })],
      [],
    ],
    [
      'is not asked for again for a commit that has a verdict',
      [...inReview('1', 'success'), reviewed('1', 'needs-changes')],
      [],
    ],
    [
      'is asked for again for another commit',
      [
        ...inReview('1', 'success'),
        reviewed('1', 'needs-changes'),
        made('1', { headSHA: 'new' }),
        checked('1', 'success'),
      ],
      ['review 1'],
    ],
    [
      'is for items in review alone',
      [created({ id: '1', status: 'pending' }), made('1'), checked('1', 'success')],
      [],
    ],
    ['sends an item round whose checks fail', inReview('1', 'failure'), ['1 to pending']],
    [
      'leaves it to people after three failures',
      [
        ...inReview('1', 'failure'),
        checked('1', 'pending'),
        checked('1', 'failure', 'a'),
        checked('1', 'pending'),
        checked('1', 'failure', 'b'),
      ],
      ['1 to needs-refinement'],
    ],
    [
      'takes as many as there are places',
      [...inReview('1', 'success'), ...inReview('2', 'success'), ...inReview('3', 'success')],
      ['review 1', 'review 2'],
    ],
  ])('%s', (_, events, expected) => {
    expect(wishes(handleReview, stateOf(events))).toEqual(expected);
  });

  it('reports the reasons of three failures', () => {
    const state = stateOf(
      inReview('1', 'failure'),
      checked('1', 'pending'),
      checked('1', 'failure', 'a'),
      checked('1', 'pending'),
      checked('1', 'failure', 'b'),
    );
    expect(handleReview(LOOKED, state, limits())[0]?.command).toMatchObject({
      reason: 'it failed 3 times in a row: red; a; b',
    });
  });
});

describe('orphans', () => {
  it.each<[string, WorkEvent[], string[]]>([
    ['go to pending', [created({ id: '1', status: 'in-progress' })], ['1 to pending']],
    [
      'are none where somebody works',
      [created({ id: '1', status: 'in-progress' }), accepted('a', 'implementor', '1')],
      [],
    ],
    [
      'are none in other statuses',
      [created({ id: '1', status: 'ready' }), created({ id: '2', status: 'blocked' })],
      [],
    ],
  ])('%s', (_, events, expected) => {
    expect(wishes(handleOrphans, stateOf(events))).toEqual(expected);
  });
});
