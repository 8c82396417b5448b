/**
 * The lease that the holder of a lock renews by writing to its lock file. Other processes measure the age of a lease by
 * the modification time of the file: see run-lock.ts.
 */
import { closeSync, constants, existsSync, openSync, unlinkSync } from 'node:fs';
import { open, unlink, utimes } from 'node:fs/promises';
import { type Driver, describeDriver, LeaseLost } from '../../contracts/run/run-lease.ts';
import { type Instant, type LeaseTiming, watchLease } from '../../node/lease-watch.ts';
import type { RunLease } from '../../ports/run-store.ts';
import { hasErrorCode } from '../../text/error-code.ts';

export interface Lease extends RunLease {
  readonly release: () => Promise<void>;
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
  const watch = watchLease({ runId, since, timing, renew: () => touch(path) });
  return {
    lost: watch.lost,
    expectHeld: () => {
      watch.expectHeld();
      if (existsSync(path)) return;
      // The lease is valid, so no driver has removed the lock file. An agent without a sandbox may have removed it.
      recreateLock(path);
      const rival = findRival();
      if (rival === null) return;
      removeLock(path);
      watch.lose(new LeaseLost(`${describeDriver(rival)} has taken over run ${runId}`));
      watch.lost.throwIfAborted();
    },
    release: async () => {
      await watch.stop();
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
