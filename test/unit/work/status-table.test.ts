import { describe, expect, it } from 'vitest';
import { WORK_STATUSES, type WorkStatus } from '../../../src/contracts/work/work-item.ts';
import { checkTransition, isTerminal, type Mover } from '../../../src/work/items/status-table.ts';

const WRITTEN_OUT: Readonly<Record<Mover, readonly string[]>> = {
  engine: [
    'pending→ready',
    'ready→in-progress',
    'in-progress→review',
    'in-progress→blocked',
    'in-progress→needs-refinement',
    'in-progress→pending',
    'review→approved',
    'review→needs-refinement',
    'review→pending',
    'approved→pending',
  ],
  planner: [
    'pending→closed',
    'ready→closed',
    'in-progress→closed',
    'review→closed',
    'needs-refinement→closed',
    'blocked→closed',
  ],
  person: [
    'pending→ready',
    'ready→in-progress',
    'in-progress→review',
    'in-progress→blocked',
    'in-progress→needs-refinement',
    'in-progress→pending',
    'review→approved',
    'review→needs-refinement',
    'review→pending',
    'needs-refinement→pending',
    'blocked→pending',
    'blocked→review',
    'approved→closed',
    'pending→closed',
    'ready→closed',
    'in-progress→closed',
    'review→closed',
    'needs-refinement→closed',
    'blocked→closed',
  ],
};

describe('the table of statuses', () => {
  it.each(Object.entries(WRITTEN_OUT))('lets %s make these transitions and no other', (mover, allowed) => {
    const legal = WORK_STATUSES.flatMap((from) =>
      WORK_STATUSES.filter((to) => checkTransition(from, to, mover as Mover).ok).map((to) => `${from}→${to}`),
    );
    expect(legal.toSorted()).toEqual([...allowed].toSorted());
  });

  it.each<[WorkStatus, WorkStatus, Mover, string, string]>([
    [
      'pending',
      'review',
      'person',
      'illegal_transition',
      "it can't move from pending to review; from pending it can move to ready or closed",
    ],
    [
      'review',
      'blocked',
      'engine',
      'illegal_transition',
      "it can't move from review to blocked; from review it can move to approved, needs-refinement or pending",
    ],
    [
      'closed',
      'pending',
      'person',
      'illegal_transition',
      "it can't move from closed to pending; from closed no move is possible",
    ],
    ['closed', 'closed', 'person', 'same_status', 'it is already closed; no move is possible'],
    ['blocked', 'pending', 'engine', 'people_only', 'only a user can move it from blocked to pending'],
    ['approved', 'closed', 'planner', 'people_only', 'only a user can move it from approved to closed'],
  ])('refuses %s to %s by %s and names what is legal', (from, to, mover, code, reason) => {
    expect(checkTransition(from, to, mover)).toMatchObject({ ok: false, code, reason });
  });

  it('counts closed and approved as done for dependents', () => {
    expect(WORK_STATUSES.filter(isTerminal)).toEqual(['approved', 'closed']);
  });
});
