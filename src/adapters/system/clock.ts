import { setTimeout as timeout } from 'node:timers/promises';
import { v7 } from 'uuid';
import type { Clock } from '../../ports/clock.ts';
import type { Ids } from '../../ports/run-store.ts';

export const systemClock: Clock = {
  now: () => new Date(),
  sleep: async (ms, signal) => {
    try {
      await timeout(ms, undefined, { signal, ref: true });
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  },
};

/** UUID v7: sorts by creation time, and two ids of the same millisecond still differ. */
export const systemIds: Ids = { newRunId: () => v7() };
