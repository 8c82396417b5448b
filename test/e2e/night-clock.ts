import type { Clock } from '../../src/ports/clock.ts';

interface Sleeper {
  readonly ms: number;
  readonly dueMs: number;
  readonly wake: () => void;
}

let aheadMs = 0;
const sleepers = new Set<Sleeper>();

/** The real time plus what a test has let pass. */
export const nightClock: Clock & {
  readonly advance: (ms: number) => void;
  /** How long everything that sleeps now wanted to sleep. */
  readonly sleeping: () => readonly number[];
} = {
  now: () => new Date(Date.now() + aheadMs),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        sleepers.delete(sleeper);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      const sleeper = { ms, dueMs: Date.now() + aheadMs + ms, wake: end };
      sleepers.add(sleeper);
      signal.addEventListener('abort', end);
      if (signal.aborted) end();
    }),
  advance: (ms) => {
    aheadMs += ms;
    const nowMs = Date.now() + aheadMs;
    for (const { dueMs, wake } of sleepers) if (dueMs <= nowMs) wake();
  },
  sleeping: () => [...sleepers].map(({ ms }) => ms),
};
