import { describe, expect, it } from 'vitest';
import { completeRetention, decideRetention, workspaceFolder } from '../../../src/app/runs/retention.ts';
import type { Status } from '../../../src/contracts/run/run-files.ts';
import type { RunListing } from '../../../src/ports/run-store.ts';

const NOW = new Date('2026-03-31T12:00:00Z');

function listing(
  runId: string,
  change: { days?: number; state?: Status['lifecycle_state']; driver?: number; unreadable?: true } = {},
): RunListing {
  const { days = 0, state = 'completed', driver = null, unreadable } = change;
  const ended = state !== 'running' && state !== 'waiting';
  const status = {
    run_id: runId,
    lifecycle_state: state,
    outcome: ended ? 'success' : null,
    updated_at: new Date(NOW.getTime() - days * 86_400_000).toISOString(),
  };
  return {
    runId,
    path: `/runs/${runId}`,
    status: unreadable === true ? null : (status as Status),
    driver: driver === null ? null : { worker: null, pid: driver, host: '', leaseUntil: null },
  };
}

const due = (runs: readonly RunListing[], keepRuns: number, keepDays: number) =>
  decideRetention(runs, { keepRuns, keepDays }, NOW)
    .filter((verdict) => verdict.due)
    .map(({ run }) => run.runId);

describe('the retention', () => {
  const three = [listing('c', { days: 1 }), listing('b', { days: 10 }), listing('a', { days: 40 })];

  it.each([
    ['keeps all that both limits keep', 3, 50, []],
    ['keeps a run that only the number of runs keeps', 3, 30, []],
    ['keeps a run that only its age keeps', 1, 50, []],
    ['removes a run that neither keeps', 1, 30, ['a']],
    ['counts a day as over when it is over', 1, 10, ['b', 'a']],
    ['keeps the newest with keep_runs 1 and keep_days 0', 1, 0, ['b', 'a']],
    ['goes by age with keep_runs 0', 0, 30, ['a']],
    ['goes by number with keep_days 0', 2, 0, ['a']],
    ['keeps nothing with keep_runs 0 and keep_days 0', 0, 0, ['c', 'b', 'a']],
    ['takes parts of a day', 0, 0.5, ['c', 'b', 'a']],
  ] as const)('%s', (_, keepRuns, keepDays, expected) => {
    expect(due(three, keepRuns, keepDays)).toEqual(expected);
  });

  it('never removes the run that has just ended', () => {
    const decided = decideRetention(three, { keepRuns: 0, keepDays: 0 }, NOW, 'b');
    expect(decided.map(({ due, reason }) => (due ? 'due' : reason))).toEqual([
      'due',
      'it has just ended',
      'due',
    ]);
  });

  it.each([
    ['the configuration without any', null, null, { keepRuns: 200, keepDays: 30 }],
    ['the number alone', 1, null, { keepRuns: 1, keepDays: 0 }],
    ['the days alone', null, 7, { keepRuns: 0, keepDays: 7 }],
    ['both', 1, 0, { keepRuns: 1, keepDays: 0 }],
  ])('takes %s', (_, keepRuns, keepDays, expected) => {
    expect(completeRetention({ keepRuns, keepDays }, { keepRuns: 200, keepDays: 30 })).toEqual(expected);
  });

  it.each([
    ['is driven', { driver: 7 }, 'it is driven by process 7'],
    ['waits', { state: 'waiting' }, 'it is waiting for approval'],
    ['was interrupted', { state: 'running' }, 'it has not ended'],
    ["can't be read", { unreadable: true }, "its status can't be read"],
  ] as const)('never lets go of a run that %s, and does not count it', (_, change, reason) => {
    const runs = [listing('b', { days: 99, ...change }), listing('a')];
    expect(due(runs, 1, 30)).toEqual([]);
    expect(decideRetention(runs, { keepRuns: 0, keepDays: 0 }, NOW)).toMatchObject([
      { due: false, reason },
      { due: true },
    ]);
  });
});

describe('what a run has on disk besides its record', () => {
  it.each([
    ['the folder around both checkouts', '/state/shop-1/r1/work', '/state/shop-1/r1'],
    ['the linked worktree of an earlier version', '/repo/.tnh/worktrees/r1', '/repo/.tnh/worktrees/r1'],
  ])('is %s', (_, checkoutPath, folder) => {
    expect(workspaceFolder(checkoutPath, 'r1')).toBe(folder);
  });
});
