import { describe, expect, it } from 'vitest';
import type { WorkStatus } from '../../../../src/contracts/work/work-item.ts';
import { planLabelSteps, readLabelEdits, readStatus } from '../../../../src/work/forge/issue-labels.ts';

describe('the steps from the labels of an issue to those of its item', () => {
  it.each([
    [['a'], ['a'], [], []],
    [['status:ready'], ['status:pending'], ['status:ready'], ['status:pending']],
    [['bug'], ['Bug'], [], []],
    [[], ['status:review', 'x'], [], ['status:review', 'x']],
    [['a', 'b'], ['b', 'c'], ['a'], ['c']],
  ])('from %j and %j are to add %j and to remove %j', (wanted, seen, add, remove) => {
    expect(planLabelSteps(wanted, seen)).toEqual({ add, remove });
  });
});

describe('the status that an issue asks for', () => {
  const same = { kind: 'same' };
  const asks = (to: WorkStatus, label: string | null) => ({ kind: 'asks', to, label });
  const unclear = { kind: 'unclear' };
  it.each([
    ['ready', ['status:ready'], 'open', same],
    ['ready', ['Status:Ready', 'bug'], 'open', same],
    ['ready', ['status:ready', 'status:closed'], 'open', same],
    ['ready', ['status:blocked'], 'open', asks('blocked', 'status:blocked')],
    ['ready', ['status:ready', 'status:blocked'], 'open', asks('blocked', 'status:blocked')],
    ['ready', ['status:review', 'status:blocked'], 'open', unclear],
    ['ready', ['status:ready', 'status:review', 'status:blocked'], 'open', unclear],
    ['ready', [], 'open', unclear],
    ['ready', ['status:ready'], 'closed', asks('closed', null)],
    ['ready', ['status:blocked'], 'closed', asks('closed', null)],
    ['closed', [], 'closed', same],
    ['closed', ['status:ready'], 'closed', same],
    ['closed', [], 'open', asks('pending', null)],
    ['closed', ['status:ready'], 'open', asks('ready', 'status:ready')],
  ] as const)('of an item that is %s, with %j and %s', (status, labels, state, expected) => {
    expect(readStatus(status, labels, state)).toMatchObject(expected);
  });
});

describe('the fields that labels change', () => {
  const item = { type: 'implement', priority: 'medium', complexity: 'low' } as const;
  const own = ['task:implement', 'priority:medium', 'complexity:low'];
  it.each([
    ['nothing', own, {}],
    ['nothing, whatever the case', own.map((label) => label.toUpperCase()), {}],
    ['nothing by a status', [...own, 'status:review'], {}],
    ['nothing by labels that are gone', [], {}],
    ['the priority, by a second label', [...own, 'priority:high'], { priority: 'high' }],
    ['nothing by two new priorities', [...own, 'priority:high', 'priority:low'], {}],
    [
      'the type, and then there is no complexity',
      ['task:refinement'],
      { type: 'refinement', complexity: null },
    ],
    ['the complexity', ['complexity:high'], { complexity: 'high' }],
    ['other labels', [...own, 'bug'], { otherLabels: ['bug'] }],
  ] as const)('are %s', (_, seen, fields) => {
    expect(readLabelEdits(item, own, seen)).toEqual(fields);
  });

  it('keep an other label that a forge can’t have, and drop one that was removed', () => {
    const known = [...own, '  ', 'bug', 'old'];
    expect(readLabelEdits(item, known, [...own, 'bug'])).toEqual({ otherLabels: ['bug', '  '] });
    const long = 'x'.repeat(80);
    expect(readLabelEdits(item, [...own, long], [...own, 'x'.repeat(50)])).toEqual({});
  });
});
