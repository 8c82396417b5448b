import { setTimeout as timeout } from 'node:timers/promises';
import type { Clock } from '../../ports/clock.ts';

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
