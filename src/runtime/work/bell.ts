/** Lets whoever waits go on at once when something has happened. A ring before the waiting counts as well. */
export interface Bell {
  readonly ring: () => void;
  /** Resolves at the next ring since the last wait; the signal ends the waiting. */
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
