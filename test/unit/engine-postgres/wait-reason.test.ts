import { describe, expect, it } from 'vitest';
import { explainWait } from '../../../src/adapters/engine-postgres/wait-reason.ts';
import type { WaitReason } from '../../../src/ports/engine-admin.ts';

const worker = { labels: ['agent=a', 'repo=r'], slots: 2, driving: 0, isAlive: true };
const due = {
  needs: ['agent=a'],
  due_at: new Date('2030-01-01T00:00:00Z'),
  is_due: true,
  is_driven: false,
  is_abandoned: false,
  driver_worker: null,
  driver_host: null,
  driver_pid: null,
};

describe('a queued run waits', () => {
  it.each<
    [
      string,
      Partial<typeof due> & { readonly driver_worker?: string },
      readonly (typeof worker)[],
      WaitReason,
    ]
  >([
    ['for the next look of a worker', {}, [worker], { kind: 'due' }],
    ['for the next look, after its driver died', { is_abandoned: true }, [worker], { kind: 'abandoned' }],
    ['for its time', { is_due: false }, [worker], { kind: 'until', time: '2030-01-01T00:00:00.000Z' }],
    ['for a message', { is_due: false, due_at: null as never }, [worker], { kind: 'message' }],
    ['for a worker, because there is none', {}, [], { kind: 'no_worker', missing: ['agent=a'] }],
    [
      'for a worker, because none that lives has its labels',
      { needs: ['agent=b', 'repo=r'] },
      [worker, { ...worker, labels: [] }, { ...worker, labels: ['agent=b', 'repo=r'], isAlive: false }],
      { kind: 'no_worker', missing: ['agent=b'] },
    ],
    [
      'for a slot',
      {},
      [
        { ...worker, driving: 2 },
        { ...worker, labels: [] },
      ],
      { kind: 'no_slot' },
    ],
    [
      'for nothing while it is driven',
      { is_driven: true, driver_worker: 'w1' as never, driver_host: 'h' as never, driver_pid: 12 as never },
      [],
      { kind: 'driven', worker: 'w1', host: 'h', pid: 12 },
    ],
  ])('%s', (_, row, workers, reason) => {
    expect(explainWait({ ...due, ...row }, workers)).toEqual(reason);
  });
});
