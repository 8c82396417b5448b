import { describe, expect, it } from 'vitest';
import { type DiskUse, diskUseProblem, diskUseText, measureDiskUse } from '../../../src/app/disk-use.ts';

const folder = (bytes: number, isComplete = true) => ({ bytes, isComplete });
const USE: DiskUse = { records: folder(1e6), workspaces: folder(2e9), caches: folder(0), freeBytes: 100e9 };

describe('the disk use', () => {
  it.each([
    ['all parts', USE, 'records 1.0 MB, workspaces 2.0 GB, caches 0 B; 100 GB free'],
    [
      'an incomplete measurement as a lower limit, and no free space if that is unknown',
      { ...USE, caches: folder(5, false), freeBytes: null },
      'records 1.0 MB, workspaces 2.0 GB, caches at least 5 B',
    ],
  ])('shows %s', (_, use, text) => {
    expect(diskUseText(use)).toBe(text);
  });

  it.each([
    ['is fine', {}, null],
    ['is unknown', { freeBytes: null }, null],
    ['is scarce', { freeBytes: 9e9 }, ['the disk is nearly full', 'conductor worktree prune --all']],
    [
      'is taken by workspaces',
      { workspaces: folder(21e9) },
      ['conductor uses more than 20', 'worktree prune'],
    ],
    ['is taken by records', { records: folder(21e9) }, ['conductor uses more than 20', 'conductor clean']],
    ['is taken by caches', { caches: folder(21e9) }, ['conductor uses more than 20', 'the folder setup']],
  ])('says what to do when the space %s', (_, change, expected) => {
    const problem = diskUseProblem({ ...USE, ...change });
    if (expected === null) expect(problem).toBeNull();
    else
      expect(problem).toEqual({
        message: expect.stringContaining(expected[0] ?? ''),
        help: expect.stringContaining(expected[1] ?? ''),
      });
  });

  it('separates caches from workspaces and gives every measurement the same deadline', async () => {
    const asked: [string, number][] = [];
    const use = await measureDiskUse(
      {
        measure: async (path, deadline) => {
          asked.push([path, deadline]);
          return folder(path.length, path !== '/w/r2');
        },
        listFolder: async () => ['r1', 'setup', 'r2', 'baselines'],
        readFreeBytes: async () => 7,
        now: () => 1_000,
      },
      { runsFolder: '/runs', workspacesFolder: '/w' },
    );
    expect(use).toEqual({
      records: folder(5),
      workspaces: folder(10, false),
      caches: folder(20),
      freeBytes: 7,
    });
    expect(new Set(asked.map(([, deadline]) => deadline))).toEqual(new Set([4_000]));
  });
});
