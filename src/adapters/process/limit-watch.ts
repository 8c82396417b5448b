import type { ProcessSpec } from '../../ports/supervisor.ts';

export type StopReason = 'timeout' | 'idle' | 'cancelled';

export interface LimitWatch {
  /** The first reason to stop the process, decided before any signal is sent. */
  readonly stopped: Promise<StopReason>;
  readonly noteActivity: () => void;
  readonly lastActivityMs: () => number;
  readonly release: () => void;
}

/** Node fires a timer with a longer delay immediately. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export function watchLimits(spec: Pick<ProcessSpec, 'timeoutMs' | 'idleTimeoutMs' | 'signal'>): LimitWatch {
  let lastActivityMs = performance.now();
  let stop: (reason: StopReason) => void = () => undefined;
  const stopped = new Promise<StopReason>((settle) => {
    stop = settle;
  });

  const wallClock = startTimer(spec.timeoutMs, () => stop('timeout'));
  const idle =
    spec.idleTimeoutMs === null
      ? null
      : startTimer(spec.idleTimeoutMs, () => {
          // Timers run before reads: if this process stalled, there may be unread output. Let the reads run first.
          const firedMs = performance.now();
          setImmediate(() => (lastActivityMs > firedMs ? undefined : stop('idle')));
        });
  const onAbort = (): void => stop('cancelled');
  spec.signal?.addEventListener('abort', onAbort, { once: true });
  if (spec.signal?.aborted === true) stop('cancelled');

  return {
    stopped,
    noteActivity: () => {
      lastActivityMs = performance.now();
      idle?.refresh();
    },
    lastActivityMs: () => lastActivityMs,
    release: () => {
      clearTimeout(wallClock);
      if (idle !== null) clearTimeout(idle);
      spec.signal?.removeEventListener('abort', onAbort);
    },
  };
}

function startTimer(delayMs: number, onFire: () => void): NodeJS.Timeout {
  return setTimeout(onFire, Math.min(delayMs, LONGEST_TIMER_MS));
}
