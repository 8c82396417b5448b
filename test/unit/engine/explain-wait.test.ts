import { describe, expect, it } from 'vitest';
import { explainWait } from '../../../src/app/engine/explain-wait.ts';
import type { KnownWorker, QueuedRun } from '../../../src/ports/engine.ts';

const NOW = new Date('2026-05-04T10:00:00.000Z');
const LATER = '2026-05-04T11:00:00.000Z';
const RUN: QueuedRun = {
  runId: 'r1',
  needs: ['repo=shop', 'digest=0123456789abcdef', 'agent=codex'],
  dueAt: '2026-05-04T09:00:00.000Z',
  driver: null,
};

function worker(name: string, labels: readonly string[], change: Partial<KnownWorker> = {}): KnownWorker {
  return { name, labels, slots: 1, problems: [], pid: 7, host: 'h', ...change };
}

const ABLE = worker('a', RUN.needs);

describe('the reason why a queued run waits', () => {
  it.each<readonly [string, Partial<QueuedRun>, readonly KnownWorker[], string, string]>([
    [
      'driven',
      { driver: { worker: 'a', pid: 7, host: 'h', leaseUntil: null } },
      [ABLE],
      'driven',
      'driven by worker a, process 7 on host h',
    ],
    [
      'at a gate',
      { dueAt: null },
      [ABLE],
      'message',
      'waits for a message: an answer to its gate, or a cancel',
    ],
    ['parked', { dueAt: LATER }, [ABLE], 'time', `waits until ${LATER}`],
    ['without workers', {}, [], 'no_worker', 'no worker is running; start one with conductor worker'],
    ['for a slot', {}, [ABLE, worker('b', RUN.needs)], 'slot', 'waits for a free slot of worker a, worker b'],
    ['for an agent', {}, [worker('a', RUN.needs.slice(0, 2))], 'labels', 'no worker has agent=codex'],
    [
      'for a configuration',
      {},
      [worker('a', ['repo=shop', 'digest=ffff', 'agent=codex'])],
      'labels',
      "no worker has its configuration and policies (digest=0123456789ab); bring the workers' clones to the state that it was submitted from",
    ],
    [
      'for a worker with all labels',
      {},
      [worker('a', RUN.needs.slice(0, 2)), worker('b', RUN.needs.slice(2))],
      'labels',
      'no single worker has all of its labels: repo=shop digest=0123456789ab agent=codex',
    ],
    [
      'after a failure',
      { dueAt: LATER },
      [worker('a', RUN.needs, { problems: [{ runId: 'r1', message: 'the disk is full', retryAt: LATER }] })],
      'problem',
      `worker a could not drive it: the disk is full; it tries again at ${LATER}`,
    ],
  ])('is named for a run that waits %s', (_case, change, workers, kind, text) => {
    expect(explainWait({ ...RUN, ...change }, workers, NOW)).toEqual({ kind, text });
  });
});
