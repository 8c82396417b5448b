import type { Clock } from '../../ports/clock.ts';

/**
 * Sends writes one at a time, the next one `spacingMs` after the end of the one before: GitHub asks for both, and answers
 * with a secondary limit otherwise. A write that fails does not stop those behind it.
 */
export function createPacer(clock: Clock, spacingMs: number) {
  let last: Promise<unknown> = Promise.resolve();
  let endedAt = Number.NEGATIVE_INFINITY;
  return <T>(signal: AbortSignal, write: () => Promise<T>): Promise<T> => {
    const next = last.then(async () => {
      const waitMs = endedAt + spacingMs - clock.now().getTime();
      if (waitMs > 0) await clock.sleep(waitMs, signal);
      signal.throwIfAborted();
      try {
        return await write();
      } finally {
        endedAt = clock.now().getTime();
      }
    });
    last = next.catch(() => undefined);
    return next;
  };
}
