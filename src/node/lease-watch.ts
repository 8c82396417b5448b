import { LeaseLost } from '../contracts/run/run-lease.ts';

/**
 * The holder's view of a lease that it renews: on a lock file, or in a database.
 *
 * The holder measures the age of its lease by its own clocks, starting before each renewal. So the lease never lasts
 * longer for the holder than for the others. It uses two clocks and takes the longer time: the monotonic clock is not
 * affected if the wall clock is set back, and the wall clock also counts while the machine is suspended.
 *
 * An expired lease is never renewed: another process may have seen that it expired and be about to take the run.
 */
export interface LeaseTiming {
  readonly leaseMs: number;
  readonly renewMs: number;
}

export const LEASE_TIMING: LeaseTiming = { leaseMs: 15_000, renewMs: 5_000 };

export interface Instant {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

export function instant(): Instant {
  return { monotonicMs: performance.now(), wallMs: Date.now() };
}

export interface LeaseWatch {
  /** Fires with the reason once the lease is lost. */
  readonly lost: AbortSignal;
  /** Ends the lease if it ran out. Throws the reason if it is lost. */
  readonly expectHeld: () => void;
  readonly lose: (reason: Error) => void;
  /** Stops renewing. Returns when a renewal in progress has ended. */
  readonly stop: () => Promise<void>;
}

export interface LeaseWatchRequest {
  readonly runId: string;
  /** A time before the lease was taken. */
  readonly since: Instant;
  readonly timing: LeaseTiming;
  /** A renewal that throws is tried again at the next interval. */
  readonly renew: () => Promise<void>;
}

export function watchLease({ runId, since, timing, renew }: LeaseWatchRequest): LeaseWatch {
  const controller = new AbortController();
  let renewedAt = since;
  let renewal: Promise<void> | null = null;
  let isReleased = false;

  const ageMs = (): number => {
    const now = instant();
    return Math.max(now.monotonicMs - renewedAt.monotonicMs, now.wallMs - renewedAt.wallMs);
  };
  const stopTimers = () => {
    clearInterval(renewing);
    clearTimeout(ending);
  };
  const lose = (reason: Error) => {
    stopTimers();
    controller.abort(reason);
  };
  const checkTime = () => {
    if (controller.signal.aborted || ageMs() <= timing.leaseMs) return;
    const [age, limit] = [ageMs(), timing.leaseMs].map((ms) => (ms / 1000).toFixed(1));
    lose(
      new LeaseLost(
        `the lease on run ${runId} ran out: this process last renewed it ${age} s ago, and it lasts ${limit} s`,
      ),
    );
  };
  const renewNow = async (): Promise<void> => {
    const at = instant();
    await renew();
    renewedAt = at;
  };
  const watchEnd = (): NodeJS.Timeout =>
    setTimeout(
      () => {
        checkTime();
        if (!controller.signal.aborted) ending = watchEnd();
      },
      Math.max(1, timing.leaseMs - ageMs() + 1),
    ).unref();

  const renewing = setInterval(() => {
    checkTime();
    if (controller.signal.aborted) return;
    // A renewal that hangs is not repeated; `ending` notices if it hangs for too long.
    renewal ??= renewNow()
      .catch(() => {})
      .finally(() => {
        renewal = null;
      });
  }, timing.renewMs).unref();
  let ending = watchEnd();

  return {
    lost: controller.signal,
    expectHeld: () => {
      if (isReleased) throw new LeaseLost(`this process has released run ${runId}`);
      checkTime();
      controller.signal.throwIfAborted();
    },
    lose,
    stop: async () => {
      isReleased = true;
      stopTimers();
      await renewal;
    },
  };
}
