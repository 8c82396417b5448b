import { describe, expect, it } from 'vitest';
import { checkLabels } from '../../../src/work/items/check-labels.ts';
import { formatLabels, LABELS, readLabelFields } from '../../../src/work/items/labels.ts';
import { REFINEMENT_LABELS, TASK_LABELS } from './work-fixtures.ts';

const codes = (...args: Parameters<typeof checkLabels>) => checkLabels(...args).map(({ code }) => code);

describe('the labels', () => {
  it('are these, each described, each with a color of its own in its category', () => {
    expect(LABELS.map(({ name }) => name)).toEqual([
      'task:implement',
      'task:refinement',
      'status:pending',
      'status:ready',
      'status:in-progress',
      'status:review',
      'status:approved',
      'status:needs-refinement',
      'status:blocked',
      'priority:high',
      'priority:medium',
      'priority:low',
      'complexity:trivial',
      'complexity:low',
      'complexity:medium',
      'complexity:high',
    ]);
    expect(LABELS.filter(({ description }) => description.length < 5 || description.length > 100)).toEqual(
      [],
    );
    expect(LABELS.filter(({ color }) => !/^[0-9a-f]{6}$/.test(color))).toEqual([]);
    expect(new Set(LABELS.map(({ color }) => color)).size).toBe(LABELS.length);
  });

  it('are parsed into fields, and formatted from them', () => {
    const labels = [...TASK_LABELS, 'area:client', 'good first issue'];
    const fields = readLabelFields(labels);
    expect(fields).toEqual({
      type: 'implement',
      status: 'pending',
      priority: 'high',
      complexity: 'low',
      other: ['area:client', 'good first issue'],
    });
    expect(formatLabels(fields)).toEqual(labels);
    expect(formatLabels({ ...fields, status: 'closed', other: [] })).toEqual([
      'task:implement',
      'priority:high',
      'complexity:low',
    ]);
    expect(formatLabels(readLabelFields([]))).toEqual([]);
  });

  it.each([
    ['of a task', TASK_LABELS, []],
    ['of a refinement', REFINEMENT_LABELS, []],
    ['of a refinement that is not urgent', ['task:refinement', 'status:pending', 'priority:medium'], []],
    ['besides the categories', [...TASK_LABELS, 'area:client', 'bug'], []],
    ['none', [], ['WR501', 'WR502', 'WR503']],
    ['without a type', TASK_LABELS.slice(1), ['WR501']],
    ['without a status', TASK_LABELS.filter((label) => label !== 'status:pending'), ['WR502']],
    ['without a priority', TASK_LABELS.filter((label) => label !== 'priority:high'), ['WR503']],
    ['without a complexity', TASK_LABELS.slice(0, 3), ['WR504']],
    ['with two priorities', [...TASK_LABELS, 'priority:low'], ['WR505']],
    [
      'with three complexities',
      [...TASK_LABELS, 'complexity:high', 'complexity:trivial'],
      ['WR505', 'WR505'],
    ],
    ['with two types', [...TASK_LABELS, 'task:refinement'], ['WR505']],
    ['with one twice', [...TASK_LABELS, 'priority:high'], ['WR506']],
    [
      'with an unknown priority',
      ['task:implement', 'status:pending', 'priority:urgent', 'complexity:low'],
      ['WR507'],
    ],
    ['in another case', ['task:implement', 'status:pending', 'Priority:High', 'complexity:low'], ['WR507']],
    [
      'with a status that no label has',
      ['task:implement', 'status:closed', 'priority:high', 'complexity:low'],
      ['WR507'],
    ],
    [
      'of a new item that is ready',
      ['task:implement', 'status:ready', 'priority:high', 'complexity:low'],
      ['WR508'],
    ],
    ['of a refinement with low priority', ['task:refinement', 'status:pending', 'priority:low'], ['WR509']],
    ['of a refinement with a complexity', [...REFINEMENT_LABELS, 'complexity:low'], ['WR510']],
  ])('are checked: %s', (_, labels, expected) => {
    expect(codes(labels)).toEqual(expected);
  });

  it.each([
    ['ready', 'status:ready', []],
    ['ready', 'status:pending', []],
    ['ready', 'status:approved', ['WR511']],
    [null, 'status:review', []],
    ['closed', 'status:ready', ['WR511']],
  ] as const)('of an item that is %s may be %s', (status, label, expected) => {
    const labels = ['task:implement', label, 'priority:high', 'complexity:low'];
    expect(codes(labels, { kind: 'existing', status })).toEqual(expected);
  });

  it('of an existing item need no status, and use the given type', () => {
    expect(codes(['priority:high'], { kind: 'existing', status: 'ready' }, 'implement')).toEqual([
      'WR501',
      'WR504',
    ]);
    expect(codes(['priority:low'], { kind: 'existing', status: 'ready' }, 'refinement')).toEqual([
      'WR501',
      'WR509',
    ]);
  });
});
