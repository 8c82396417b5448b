/** Wakes a waiting task when something happens. A ring before the wait counts, too. */
export interface Bell {
  readonly ring: () => void;
  /** Resolves if there was a ring since the last wait, or at the next one; the signal cancels the wait. */
  readonly wait: (signal: AbortSignal) => Promise<void>;
}

export function createBell(): Bell {
  let rung = false;
  let wake: (() => void) | null = null;
  return {
    ring: () => {
      rung = true;
      wake?.();
    },
    wait: async (signal) => {
      if (!rung && !signal.aborted)
        await new Promise<void>((resolve) => {
          wake = resolve;
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
      wake = null;
      rung = false;
    },
  };
}
