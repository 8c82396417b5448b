import { describe, expect, it } from 'vitest';
import { createSpaceWaiter } from '../../../../src/runtime/work/space-waiter.ts';

const NEVER = new AbortController().signal;
const FULL = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });

/** A disk that is full for a number of looks, and a clock that notes how long it was asked to sleep. */
function prepare({ fullLooks = 0, canWait = () => true }) {
  let looks = 0;
  const pauses: number[] = [];
  const reports: string[] = [];
  const waiter = createSpaceWaiter({
    disk: { findFullFolder: async () => (looks++ < fullLooks ? '/runs' : null) },
    clock: {
      now: () => new Date(0),
      sleep: async (ms) => {
        pauses.push(ms / 1000);
      },
    },
    canWait,
    report: (problem) => reports.push(problem),
  });
  return { waiter, pauses, reports };
}

describe('work that writes', () => {
  it('waits longer each time while the disk is full, and says so until the pauses stay the same', async () => {
    const { waiter, pauses, reports } = prepare({ fullLooks: 8 });
    expect(await waiter.perform(async () => 'done', NEVER)).toBe('done');
    expect(pauses).toEqual([1, 2, 4, 8, 16, 30, 30, 30]);
    expect(reports).toEqual([
      ...[1, 2, 4, 8, 16].map((s) => `the disk of /runs is full; trying again in ${s} s`),
      'the disk of /runs is full; trying again every 30 s',
      'the disk has space again',
    ]);
  });

  it('is repeated if it fails for want of space, and the next problem starts with a short pause', async () => {
    const { waiter, pauses } = prepare({});
    let failures = 2;
    const work = async () => {
      if (failures-- > 0) throw new Error('not saved', { cause: FULL });
      return 'done';
    };
    expect(await waiter.perform(work, NEVER)).toBe('done');
    failures = 1;
    await waiter.perform(work, NEVER);
    expect(pauses).toEqual([1, 2, 1]);
  });

  it.each([
    ['another failure', new Error('broken'), () => true],
    ['a full disk when nothing may wait', FULL, () => false],
  ])('fails with %s', async (_, error, canWait) => {
    const { waiter, pauses } = prepare({ canWait });
    await expect(waiter.perform(() => Promise.reject(error), NEVER)).rejects.toBe(error);
    expect(pauses).toEqual([]);
  });

  it('fails instead of waiting once it is stopped', async () => {
    const { waiter } = prepare({});
    await expect(waiter.perform(() => Promise.reject(FULL), AbortSignal.abort())).rejects.toBe(FULL);
  });
});
