import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { ClaimEnd } from '../../../src/app/engine/drive-claim.ts';
import { type ClaimTurn, type WorkerRequest, work } from '../../../src/app/engine/worker.ts';
import type { Claim, WorkerReport } from '../../../src/ports/engine.ts';

const FAILED: ClaimEnd = { kind: 'failed', message: 'the disk is full', retryAt: '2026-01-01T00:00:30.000Z' };
const DONE = { kind: 'driven', end: { kind: 'interrupted' } } as unknown as ClaimEnd;

interface World {
  readonly request: WorkerRequest;
  readonly reports: WorkerReport[];
  readonly troubles: string[];
  readonly ended: string[];
  readonly mostAtOnce: () => number;
}

function claimOf(runId: string): Claim {
  return { request: '', run: { directory: { runId }, events: [] } } as unknown as Claim;
}

/** A worker with a clock that jumps and a queue of these runs. */
function openWorld(
  queue: (string | Error)[],
  drive: (runId: string, turn: ClaimTurn) => Promise<ClaimEnd>,
  change: Partial<WorkerRequest> = {},
): World {
  let [nowMs, active, most] = [0, 0, 0];
  const [reports, troubles, ended]: [WorkerReport[], string[], string[]] = [[], [], []];
  return {
    reports,
    troubles,
    ended,
    mostAtOnce: () => most,
    request: {
      engine: {
        claim: async () => {
          const next = queue.shift();
          if (next instanceof Error) throw next;
          return next === undefined ? null : claimOf(next);
        },
        join: async (report) => {
          reports.push(report);
          return {
            report: async (each) => {
              reports.push(each);
            },
            leave: async () => {
              reports.push({ ...report, name: 'left' });
            },
          };
        },
      },
      clock: {
        now: () => new Date(nowMs),
        sleep: async (ms) => {
          await turn();
          nowMs += ms;
        },
      },
      name: 'w',
      labels: ['agent=a'],
      slots: 2,
      once: true,
      signal: new AbortController().signal,
      drive: async ({ run }, each) => {
        active += 1;
        most = Math.max(most, active);
        try {
          await turn();
          return await drive(run.directory.runId, each);
        } finally {
          active -= 1;
        }
      },
      onTaken: () => {},
      onEnd: (runId) => ended.push(runId),
      onTrouble: (message) => troubles.push(message),
      ...change,
    },
  };
}

describe('the loop of a worker', () => {
  it('drives as many runs at the same time as it has slots, and returns when none is due', async () => {
    const world = openWorld(['a', 'b', 'c', 'd', 'e'], async () => DONE);
    await work(world.request);
    expect([...world.ended].sort()).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(world.mostAtOnce()).toBe(2);
    expect(world.reports.at(-1)?.name).toBe('left');
  });

  it('keeps trying when the engine fails', async () => {
    const world = openWorld([new Error('the database is away'), 'a'], async () => DONE);
    await work(world.request);
    expect([world.troubles, world.ended]).toEqual([['the database is away'], ['a']]);
  });

  it('waits longer after each failure of a run, and reports what was wrong', async () => {
    const delays: number[] = [];
    const world = openWorld(
      ['a', 'a', 'a'],
      async (_runId, { retryAtMs }) => {
        delays.push(retryAtMs(0));
        return FAILED;
      },
      { slots: 1 },
    );
    await work(world.request);
    expect(delays).toEqual([30_000, 60_000, 120_000]);
  });

  it('interrupts its runs when it is drained, waits for them, and takes no other', async () => {
    const drain = new AbortController();
    const world = openWorld(
      ['a', 'b'],
      (_runId, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve(DONE));
          drain.abort();
        }),
      { slots: 1, once: false, signal: drain.signal },
    );
    await work(world.request);
    expect(world.ended).toEqual(['a']);
  });

  it('reports a run that it could not drive while it goes on', async () => {
    const drain = new AbortController();
    const world = openWorld(['a'], async () => FAILED, { once: false, signal: drain.signal });
    const working = work(world.request);
    while (world.reports.length < 3) await turn();
    drain.abort();
    await working;
    expect(world.reports[2]?.problems).toEqual([
      { runId: 'a', message: 'the disk is full', retryAt: '2026-01-01T00:00:30.000Z' },
    ]);
  });
});
