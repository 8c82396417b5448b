import type { Clock } from '../ports/clock.ts';
import type { Life } from './sim-life.ts';
import type { SimWorld } from './sim-world.ts';

export interface SimClock extends Clock {
  /** Advances the time to the next sleeper; false if there is none. */
  readonly wakeNext: () => boolean;
}

interface Sleeper {
  readonly due: number;
  readonly wake: () => void;
}

/** Time stands still unless the simulation advances it, so a day at a gate takes no time. */
export function createSimClock(world: SimWorld, life: Life): SimClock {
  const sleepers = new Set<Sleeper>();
  // Sleepers use this monotonic clock, so that setting the time back does not extend a sleep.
  let uptime = 0;
  return {
    now: () => new Date(world.time),
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const sleeper = {
          due: uptime + ms,
          wake: () => {
            sleepers.delete(sleeper);
            signal.removeEventListener('abort', sleeper.wake);
            resolve();
          },
        };
        if (signal.aborted) resolve();
        else {
          sleepers.add(sleeper);
          signal.addEventListener('abort', sleeper.wake);
        }
      }),
    wakeNext: () => {
      const [first, ...others] = sleepers;
      if (first === undefined || !life.isAlive()) return false;
      const next = others.reduce((soonest, other) => (other.due < soonest.due ? other : soonest), first);
      world.time += next.due - uptime;
      uptime = next.due;
      next.wake();
      return true;
    },
  };
}
