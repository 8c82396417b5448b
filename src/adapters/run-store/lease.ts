/**
 * The lease that the holder of a lock renews by writing to its lock file.
 *
 * Other processes measure the age of a lease by the modification time of the file (see run-lock.ts), the holder by its
 * own clocks, starting before the write. So the lease never lasts longer for the holder than for the others. The holder
 * uses two clocks and takes the longer time: the monotonic clock is not affected if the wall clock is set back, and the
 * wall clock also counts while the machine is suspended.
 *
 * An expired lease is never renewed: another process may have seen that it expired and be about to take the lock.
 */
import { closeSync, constants, existsSync, openSync, unlinkSync } from 'node:fs';
import { open, unlink, utimes } from 'node:fs/promises';
import { type Driver, describeDriver, LeaseLost } from '../../contracts/run/run-lease.ts';
import type { RunLease } from '../../ports/run-store.ts';
import { hasErrorCode } from '../../text/error-code.ts';

export interface LeaseTiming {
  readonly leaseMs: number;
  readonly renewMs: number;
}

export const LEASE_TIMING: LeaseTiming = { leaseMs: 15_000, renewMs: 5_000 };

export interface Lease extends RunLease {
  readonly release: () => Promise<void>;
}

interface Instant {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

export function instant(): Instant {
  return { monotonicMs: performance.now(), wallMs: Date.now() };
}

export interface LeaseRequest {
  /** The lock file. It must exist. */
  readonly path: string;
  readonly runId: string;
  /** A time before the lock file was created. */
  readonly since: Instant;
  readonly timing: LeaseTiming;
  /** Another process that has a lock file on the run, if there is one. */
  readonly findRival: () => Driver | null;
}

export function holdLease({ path, runId, since, timing, findRival }: LeaseRequest): Lease {
  const controller = new AbortController();
  let renewedAt = since;
  let renewal: Promise<void> | null = null;
  let isReleased = false;

  const ageMs = (): number => {
    const now = instant();
    return Math.max(now.monotonicMs - renewedAt.monotonicMs, now.wallMs - renewedAt.wallMs);
  };
  const stop = () => {
    clearInterval(renewing);
    clearTimeout(ending);
  };
  const lose = (message: string) => {
    stop();
    controller.abort(new LeaseLost(message));
  };
  const checkTime = () => {
    if (controller.signal.aborted || ageMs() <= timing.leaseMs) return;
    const [age, limit] = [ageMs(), timing.leaseMs].map((ms) => (ms / 1000).toFixed(1));
    lose(
      `the lease on run ${runId} ran out: this process last renewed it ${age} s ago, and it lasts ${limit} s`,
    );
  };
  const renew = async (): Promise<void> => {
    const at = instant();
    await touch(path);
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
    // A write that hangs is not repeated; `ending` notices if it hangs for too long.
    renewal ??= renew()
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
      if (!controller.signal.aborted && !existsSync(path)) {
        // The lease is valid, so no driver has removed the lock file. An agent without a sandbox may have removed it.
        recreateLock(path);
        const rival = findRival();
        if (rival !== null) {
          removeLock(path);
          lose(`${describeDriver(rival)} has taken over run ${runId}`);
        }
      }
      controller.signal.throwIfAborted();
    },
    release: async () => {
      isReleased = true;
      stop();
      await renewal;
      await unlink(path).catch((error: unknown) => {
        if (!hasErrorCode(error, 'ENOENT') && !hasErrorCode(error, 'ENOTDIR')) throw error;
      });
    },
  };
}

/** No O_CREAT: a lock that another process removed stays removed. */
const TOUCH_FLAGS = constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Renews the lease with a write, so that the time is that of the file system, which all contenders share, and not that
 * of this machine. Closing the file makes the write visible on other machines that share the folder by NFS.
 */
async function touch(path: string): Promise<void> {
  const file = await open(path, TOUCH_FLAGS);
  try {
    await file.write(`renewed ${new Date().toISOString()}\n`, 0);
  } catch (error) {
    // A full disk must not end the run.
    if (!hasErrorCode(error, 'ENOSPC') && !hasErrorCode(error, 'EDQUOT')) throw error;
    await utimes(path, new Date(), new Date());
  } finally {
    await file.close();
  }
}

/** If the whole folder is gone, the next append restores it. */
function recreateLock(path: string): void {
  try {
    closeSync(openSync(path, 'wx'));
  } catch {
    // The next check tries again.
  }
}

function removeLock(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // The lock file was not recreated, or is gone again.
  }
}
