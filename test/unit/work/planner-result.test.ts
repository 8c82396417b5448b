import { describe, expect, it } from 'vitest';
import type { PlannedWorkItem, PlannerResult } from '../../../src/contracts/work/work-results.ts';
import type { ExistingItem } from '../../../src/work/results/planned-ids.ts';
import { checkPlannerResult } from '../../../src/work/results/planner-result.ts';
import {
  codesOf,
  plannedItem,
  plannerResult,
  REFINEMENT_BODY,
  REFINEMENT_LABELS,
  TASK_BODY,
  TASK_LABELS,
} from './work-fixtures.ts';

const ITEMS: readonly ExistingItem[] = [
  { id: '1', title: 'One', status: 'ready', type: 'implement', blockedBy: ['2'] },
  { id: '2', title: 'Two', status: 'in-progress', type: 'implement' },
  { id: '3', title: 'Three', status: 'closed', type: 'refinement' },
  { id: 'item-40', status: 'pending' },
];

function check(changes: Partial<PlannerResult>, items: readonly ExistingItem[] | null = ITEMS) {
  return checkPlannerResult(plannerResult(changes), { items });
}

const create = (...items: PlannedWorkItem[]) => ({ create: items });
const update = (workItemID: string, body: string | null = null, labels: string[] | null = null) => ({
  workItemID,
  body,
  labels,
});

describe('a planner result', () => {
  it.each<[string, Partial<PlannerResult>, string[]]>([
    ['that does nothing', {}, []],
    [
      'with a task and a refinement',
      create(plannedItem('a'), plannedItem('b', { body: REFINEMENT_BODY, labels: REFINEMENT_LABELS })),
      [],
    ],
    ['with a blocker that exists', create(plannedItem('a', { blockedBy: ['1', 'item-40'] })), []],
    ['with a blocker that is closed', create(plannedItem('a', { blockedBy: ['3'] })), []],
    ['with a blocker that comes later', create(plannedItem('a', { blockedBy: ['b'] }), plannedItem('b')), []],
    [
      'with a blocker that it closes',
      { ...create(plannedItem('a', { blockedBy: ['1'] })), close: ['1'] },
      [],
    ],
    ['with one tempID twice', create(plannedItem('a'), plannedItem('a')), ['WR102']],
    [
      'with one tempID three times',
      create(plannedItem('a'), plannedItem('a'), plannedItem('a')),
      ['WR102', 'WR102'],
    ],
    ['with the id of an item as tempID', create(plannedItem('1')), ['WR103']],
    ['with an unknown blocker', create(plannedItem('a', { blockedBy: ['c'] })), ['WR104']],
    ['with an unknown blocker twice', create(plannedItem('a', { blockedBy: ['c', 'c'] })), ['WR104']],
    ['with an item that blocks itself', create(plannedItem('a', { blockedBy: ['a'] })), ['WR105']],
    [
      'with two that block each other',
      create(plannedItem('a', { blockedBy: ['b'] }), plannedItem('b', { blockedBy: ['a'] })),
      ['WR106'],
    ],
    ['that closes', { close: ['1', '2'] }, []],
    ['that closes what is unknown', { close: ['9'] }, ['WR107']],
    ['that closes what it makes', { ...create(plannedItem('a')), close: ['a'] }, ['WR107']],
    ['that closes what is closed', { close: ['3'] }, ['WR108']],
    ['that closes twice', { close: ['1', '1'] }, ['WR109']],
    ['that updates nothing of an item', { update: [update('1')] }, []],
    ['that updates what is unknown', { update: [update('9')] }, ['WR110']],
    ['that updates what it makes', { ...create(plannedItem('a')), update: [update('a')] }, ['WR110']],
    ['that updates what is closed', { update: [update('3')] }, ['WR111']],
    ['that updates twice', { update: [update('1'), update('1')] }, ['WR112']],
    ['that closes and updates one item', { close: ['1'], update: [update('1')] }, ['WR113']],
    ['that closes and updates an unknown item', { close: ['9'], update: [update('9')] }, ['WR107', 'WR113']],
    ['that updates a body', { update: [update('1', TASK_BODY)] }, []],
    [
      'that updates a body badly',
      { update: [update('1', TASK_BODY.replace('## Context', '## More'))] },
      ['WR403'],
    ],
    ['that gives a task the body of a refinement', { update: [update('1', REFINEMENT_BODY)] }, ['WR402']],
    [
      'that makes a refinement of a task',
      { update: [update('1', REFINEMENT_BODY, ['task:refinement', 'priority:high'])] },
      [],
    ],
    [
      'that makes one and keeps the body',
      { update: [update('1', null, ['task:refinement', 'priority:high'])] },
      ['WR114'],
    ],
    [
      'that updates labels without a status',
      {
        update: [
          update(
            '1',
            null,
            TASK_LABELS.filter((label) => !label.startsWith('status')),
          ),
        ],
      },
      [],
    ],
    [
      'that updates labels with the status as it is',
      { update: [update('1', null, ['task:implement', 'status:ready', 'priority:low', 'complexity:high'])] },
      [],
    ],
    ['that updates labels with those of the template', { update: [update('1', null, TASK_LABELS)] }, []],
    [
      'that updates labels with another status',
      { update: [update('1', null, ['task:implement', 'status:review', 'priority:low', 'complexity:high'])] },
      ['WR511'],
    ],
    [
      'that updates labels and leaves some out',
      { update: [update('1', null, ['priority:low'])] },
      ['WR501', 'WR504'],
    ],
    ['that updates to no labels', { update: [update('1', null, [])] }, ['WR501', 'WR503', 'WR504']],
  ])('%s has these problems', (_, changes, codes) => {
    expect(codesOf(check(changes))).toEqual(codes);
  });

  it('may use any id if the existing items are unknown', () => {
    const changes = {
      ...create(plannedItem('a', { blockedBy: ['x'] })),
      close: ['y'],
      update: [update('z')],
    };
    expect(check(changes, null)).toEqual({ ok: true, result: plannerResult(changes) });
    expect(codesOf(check(changes, []))).toEqual(['WR104', 'WR107', 'WR110']);
  });

  it('prints the cycle with titles', () => {
    const round = create(
      plannedItem('a', { blockedBy: ['b'] }),
      plannedItem('b', { blockedBy: ['1', 'c'] }),
      plannedItem('c', { blockedBy: ['a'] }),
    );
    expect(check(round)).toMatchObject({
      problems: [
        {
          path: 'create.0.blockedBy',
          code: 'WR106',
          message: 'dependency cycle: a (Item a) → b (Item b) → c (Item c) → a (Item a)',
        },
      ],
    });
  });

  it('calls an item that blocks itself a cycle, too', () => {
    expect(check(create(plannedItem('a', { blockedBy: ['a'] })))).toMatchObject({
      problems: [{ code: 'WR105', message: 'dependency cycle: "a" is blocked by itself' }],
    });
  });

  it('finds cycles that lead through existing items', () => {
    const items: readonly ExistingItem[] = [
      { id: '1', title: 'One', blockedBy: ['2'] },
      { id: '2', title: 'Two', blockedBy: ['1'] },
    ];
    expect(check(create(plannedItem('a', { blockedBy: ['1'] })), items)).toMatchObject({
      problems: [
        { code: 'WR106', message: expect.stringContaining('dependency cycle: 1 (One) → 2 (Two) → 1 (One)') },
      ],
    });
  });

  it('reports two cycles separately', () => {
    const pair = (one: string, other: string) => [
      plannedItem(one, { blockedBy: [other] }),
      plannedItem(other, { blockedBy: [one] }),
    ];
    expect(codesOf(check(create(...pair('a', 'b'), ...pair('c', 'd'))))).toEqual(['WR106', 'WR106']);
  });

  it.each([
    [
      'a blocker',
      create(plannedItem('parse'), plannedItem('b', { blockedBy: ['prase'] })),
      'did you mean "parse"?',
    ],
    ['an item to close', { close: ['item-41'] }, 'did you mean "item-40"?'],
    ['an item to update', { update: [update('itm-40')] }, 'did you mean "item-40"?'],
    [
      'a label',
      create(
        plannedItem('a', { labels: ['task:implement', 'status:pending', 'priority:hihg', 'complexity:low'] }),
      ),
      'did you mean priority:high?',
    ],
  ])('says what was most likely meant by %s', (_, changes, hint) => {
    expect(check(changes)).toMatchObject({ problems: [{ message: expect.stringContaining(hint) }] });
  });

  it('quotes the line of the body', () => {
    const body = TASK_BODY.replace('Give the client a retry.', '');
    expect(check(create(plannedItem('a'), plannedItem('b', { body })))).toEqual({
      ok: false,
      problems: [
        {
          path: 'create.1.body',
          code: 'WR406',
          message: 'the body of "b": line 1, "## Objective": the section "Objective" is empty',
        },
      ],
    });
  });

  it('gets all problems at once, even after an invalid part', () => {
    const broken = {
      role: 'reviewer',
      create: [{ tempID: 'a', title: 'A' }, plannedItem('b', { blockedBy: ['a', 'b'] }), plannedItem('b')],
      close: ['9', 3],
      update: 'none',
    };
    expect(codesOf(checkPlannerResult(broken, { items: ITEMS })).sort()).toEqual(
      ['WR001', 'WR001', 'WR001', 'WR001', 'WR001', 'WR101', 'WR102', 'WR105', 'WR107'].sort(),
    );
  });

  it('has only keys that are known', () => {
    for (const key of ['extra', 'x-extra'])
      expect(codesOf(checkPlannerResult({ ...plannerResult(), [key]: 1 }, { items: [] }))).toEqual(['WR001']);
  });

  it('may create a chain of 500 items, quickly', () => {
    const chain = Array.from({ length: 500 }, (_, index) =>
      plannedItem(`t${index}`, { blockedBy: index === 0 ? [] : [`t${index - 1}`] }),
    );
    expect(codesOf(check({ create: chain }))).toEqual([]);
    const closed = chain.map((item, index) => (index === 0 ? { ...item, blockedBy: ['t499'] } : item));
    expect(codesOf(check({ create: closed }))).toEqual(['WR106']);
  });

  it('may create items that are blocked by all earlier ones, and finds the one cycle', () => {
    const ids = Array.from({ length: 300 }, (_, index) => `t${index}`);
    const dense = ids.map((id, index) => plannedItem(id, { blockedBy: ids.slice(0, index) }));
    expect(codesOf(check({ create: dense }))).toEqual([]);
    const knot = dense.map((item, index) => (index === 0 ? { ...item, blockedBy: ['t299'] } : item));
    expect(codesOf(check({ create: knot }))).toEqual(['WR106']);
  });
});
