import { describe, expect, it } from 'vitest';
import { decideRetention, workspaceFolder } from '../../../src/app/retention.ts';
import type { Status } from '../../../src/contracts/run/run-files.ts';
import type { RunListing } from '../../../src/ports/run-store.ts';

const NOW = new Date('2026-03-31T12:00:00Z');

function listing(
  runId: string,
  change: { days?: number; state?: Status['lifecycle_state']; driverPid?: number; unreadable?: true } = {},
): RunListing {
  const { days = 0, state = 'completed', driverPid = null, unreadable } = change;
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
    driverPid,
  };
}

const due = (runs: readonly RunListing[], keepRuns: number, keepDays: number) =>
  decideRetention(runs, { keepRuns, keepDays }, NOW)
    .filter((verdict) => verdict.due)
    .map(({ run }) => run.runId);

describe('the retention', () => {
  const three = [listing('c', { days: 1 }), listing('b', { days: 10 }), listing('a', { days: 40 })];

  it.each([
    ['keeps all that are within both limits', 3, 50, []],
    ['lets go of those that ended too long ago', 3, 30, ['a']],
    ['lets go of those beyond the newest so many', 1, 50, ['b', 'a']],
    ['counts a day as over when it is over', 3, 10, ['b', 'a']],
    ['keeps nothing when it is told to keep no run', 0, 50, ['c', 'b', 'a']],
    ['keeps nothing when it is told to keep no day', 3, 0, ['c', 'b', 'a']],
    ['takes parts of a day', 3, 0.5, ['c', 'b', 'a']],
  ] as const)('%s', (_, keepRuns, keepDays, expected) => {
    expect(due(three, keepRuns, keepDays)).toEqual(expected);
  });

  it.each([
    ['is driven', { driverPid: 7 }, 'it is driven by process 7'],
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
  ])('is %s', (_, worktreePath, folder) => {
    expect(workspaceFolder(worktreePath, 'r1')).toBe(folder);
  });
});
