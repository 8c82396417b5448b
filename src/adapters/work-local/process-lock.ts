import { randomInt } from 'node:crypto';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ExpectedFailure } from '../../contracts/expected-failure.ts';
import { connect, createFolder } from './database.ts';
import { describeDatabaseFailure, isBusy } from './database-failure.ts';

const MAX_POLL_MS = 20;

/** A lock that at most one process holds. */
export interface ProcessLock {
  /** Waits until the lock is free; fails after `timeoutMs`, or when the signal fires. */
  readonly hold: <T>(
    work: () => Promise<T>,
    options: { readonly timeoutMs: number; readonly signal?: AbortSignal },
  ) => Promise<T>;
}

/**
 * Uses SQLite's lock on an empty database: the operating system releases it when the process dies, so stale
 * locks can't occur. It has its own file, because the holder writes to the work database meanwhile.
 */
export function createProcessLock(path: string): ProcessLock {
  let last: Promise<unknown> = Promise.resolve();
  return {
    hold: (work, { timeoutMs, signal }) => {
      const turn = last.then(async () => {
        const release = await acquire(path, timeoutMs, signal);
        try {
          return await work();
        } finally {
          release();
        }
      });
      last = turn.catch(() => undefined);
      return turn;
    },
  };
}

async function acquire(
  path: string,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<() => void> {
  const deadline = performance.now() + timeoutMs;
  await createFolder(dirname(path));
  for (;;) {
    signal?.throwIfAborted();
    const release = await tryOnce(path);
    if (release !== null) return release;
    if (performance.now() > deadline)
      throw new ExpectedFailure(
        `another process has locked ${path} for ${timeoutMs / 1000} s: wait until it ends, or stop it, and try again`,
      );
    await delay(randomInt(1, MAX_POLL_MS));
  }
}

/** Opens a new connection for each try: closing it releases all of its locks. */
async function tryOnce(path: string): Promise<(() => void) | null> {
  try {
    const connection = await connect(path, 0);
    try {
      connection.exec('BEGIN EXCLUSIVE');
      return () => connection.close();
    } catch (error) {
      connection.close();
      throw error;
    }
  } catch (error) {
    if (isBusy(error)) return null;
    throw describeDatabaseFailure(path, error);
  }
}
