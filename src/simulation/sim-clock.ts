import type { Clock } from '../ports/clock.ts';
import type { Life } from './sim-life.ts';
import type { SimWorld } from './sim-world.ts';

export interface SimClock extends Clock {
  /** Moves time on to the next thing somebody waits for; false when nobody waits. */
  readonly wakeNext: () => boolean;
}

interface Sleeper {
  readonly due: number;
  readonly wake: () => void;
}

/** Time stands still unless the simulation moves it, so a day at a gate takes no time at all. */
export function createSimClock(world: SimWorld, life: Life): SimClock {
  const sleepers = new Set<Sleeper>();
  // Who sleeps counts from here on, so a clock that is put back does not make a nap a long one.
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
