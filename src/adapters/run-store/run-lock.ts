/**
 * Exactly one process drives a run. Each contender creates its own lock file in the run's folder and then waits for the
 * locks that existed before. Of two processes that contend at the same moment, the one with the greater name steps back;
 * a later one sees the file and waits in turn. Names are unique, so removing the lock of a dead process can never remove
 * the lock of a living one.
 *
 * The name identifies the process. The age of its lease is measured with a single clock, that of the file system: the
 * time of the lock file that the holder renews is compared to the time of the file that the contender has just created.
 * The clocks of two containers or machines may differ, so neither is used.
 */
import { randomBytes, randomInt } from 'node:crypto';
import { constants, readdirSync } from 'node:fs';
import { lstat, open, readdir, utimes } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Driver } from '../../contracts/run/run-lease.ts';
import { hasErrorCode } from '../../text/error-code.ts';
import { removeIfPresent } from './durable-file.ts';
import { classifyHolder, type HolderState } from './holder-state.ts';
import { holdLease, instant, type Lease, type LeaseTiming } from './lease.ts';
import {
  formatIdentity,
  lookUpProcess,
  type ProcessIdentity,
  parseIdentity,
  thisProcess,
} from './process-identity.ts';

export type LockResult =
  | {
      readonly ok: true;
      readonly lease: Lease;
      /** A lock with an expired lease was removed, whose process may still exist. */
      readonly isTakeover: boolean;
    }
  | { readonly ok: false; readonly driver: Driver };

/** How long to wait for other contenders to step back. */
const CONTENTION_TIMEOUT_MS = 500;
const POLL_MS = 5;
const STEP_BACK_MS = 25;
const PREFIX = 'lock.';

export async function acquireLock(runPath: string, timing: LeaseTiming): Promise<LockResult> {
  const deadline = performance.now() + CONTENTION_TIMEOUT_MS;
  for (;;) {
    const own = `${PREFIX}${formatIdentity(thisProcess())}.${randomBytes(6).toString('hex')}`;
    const path = join(runPath, own);
    const since = instant();
    const nowMs = await createLock(path);
    const observe = async () => {
      const locks = await observeLocks(runPath, nowMs(), timing.leaseMs);
      return locks.filter(({ name }) => name !== own);
    };
    const before = (await observe()).filter(isAlive);
    for (const lock of before) await correctFutureTime(lock, nowMs(), timing.leaseMs);
    const blocker = before.some(({ name }) => name < own)
      ? before[0]
      : await awaitLocks(before, observe, deadline);
    if (blocker === undefined) {
      const stale = (await observe()).filter((lock) => !isAlive(lock));
      for (const lock of stale) await removeIfPresent(lock.path);
      const findRival = () => findRivalLock(own, runPath);
      return {
        ok: true,
        lease: holdLease({ path, runId: basename(runPath), since, timing, findRival }),
        isTakeover: stale.some(({ state }) => state === 'expired'),
      };
    }
    await removeIfPresent(path);
    if (performance.now() > deadline) return { ok: false, driver: driverOf(blocker, timing.leaseMs) };
    await sleep(randomInt(1, STEP_BACK_MS));
  }
}

/** Creates a lock file. Returns the clock of the file system, based on the time of the new file. */
async function createLock(path: string): Promise<() => number> {
  const file = await open(path, 'wx');
  try {
    const { mtimeMs } = await file.stat();
    const readAt = performance.now();
    return () => mtimeMs + (performance.now() - readAt);
  } finally {
    await file.close();
  }
}

/** Waits until none of these locks is alive. Returns one that is still alive at the deadline. */
async function awaitLocks(
  locks: readonly SeenLock[],
  observe: () => Promise<readonly SeenLock[]>,
  deadline: number,
): Promise<SeenLock | undefined> {
  for (let left = locks; ; ) {
    if (left.length === 0 || performance.now() > deadline) return left[0];
    await sleep(POLL_MS);
    const names = new Set(left.map(({ name }) => name));
    left = (await observe()).filter((lock) => names.has(lock.name) && isAlive(lock));
  }
}

/**
 * The process that drives the run now, or null. A process that only reads creates no file, so it uses its own clock: if
 * that is wrong, it reports a wrong driver, but it can't get the lock.
 */
export async function findDriver(runPath: string, leaseMs: number): Promise<Driver | null> {
  const driver = (await observeLocks(runPath, Date.now(), leaseMs)).find(isAlive);
  return driver === undefined ? null : driverOf(driver, leaseMs);
}

/** Whether a process that held the lock died without releasing it, and no other process has held it since. */
export async function isAbandoned(runPath: string, leaseMs: number): Promise<boolean> {
  const locks = await observeLocks(runPath, Date.now(), leaseMs);
  return locks.length > 0 && !locks.some(isAlive);
}

interface SeenLock {
  readonly name: string;
  readonly path: string;
  readonly holder: ProcessIdentity | null;
  readonly state: HolderState;
  readonly leaseAgeMs: number;
}

async function observeLocks(runPath: string, nowMs: number, leaseMs: number): Promise<readonly SeenLock[]> {
  const locks: SeenLock[] = [];
  for (const name of await listLockNames(runPath)) {
    const path = join(runPath, name);
    const renewedMs = await readRenewalTime(path);
    if (renewedMs === null) continue;
    const holder = holderOf(name);
    const leaseAgeMs = nowMs - renewedMs;
    locks.push({ name, path, holder, leaseAgeMs, state: stateOf(holder, leaseAgeMs, leaseMs) });
  }
  return locks;
}

function stateOf(holder: ProcessIdentity | null, leaseAgeMs: number, leaseMs: number): HolderState {
  if (holder === null) return 'dead';
  const seen = { process: lookUpProcess(holder.pid), leaseAgeMs };
  return classifyHolder(holder, thisProcess(), seen, leaseMs);
}

async function listLockNames(runPath: string): Promise<readonly string[]> {
  try {
    return (await readdir(runPath)).filter((name) => name.startsWith(PREFIX));
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT') || hasErrorCode(error, 'ENOTDIR')) return [];
    throw error;
  }
}

/** Opening the file makes an NFS client ask the server, where `lstat` alone may answer from its cache. */
async function readRenewalTime(path: string): Promise<number | null> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      return (await file.stat()).mtimeMs;
    } finally {
      await file.close();
    }
  } catch {
    const found = await lstat(path).catch(() => null);
    return found?.mtimeMs ?? null;
  }
}

/**
 * If the clock was set back, the lock of a dead process would last until that time comes again. So its lease is reset
 * to start now; a living holder renews it anyway.
 */
async function correctFutureTime(
  { path, leaseAgeMs }: SeenLock,
  nowMs: number,
  leaseMs: number,
): Promise<void> {
  if (leaseAgeMs >= -leaseMs) return;
  await utimes(path, nowMs / 1000, nowMs / 1000).catch(() => {});
}

/** Any other lock whose process may exist counts: the process that gets the lock removes the locks of dead ones. */
function findRivalLock(own: string, runPath: string): Driver | null {
  for (const name of listNamesNow(runPath)) {
    const holder = name === own ? null : holderOf(name);
    if (holder !== null && stateOf(holder, 0, 0) !== 'dead')
      return { worker: null, pid: holder.pid, host: holder.host, leaseUntil: null };
  }
  return null;
}

function listNamesNow(runPath: string): readonly string[] {
  try {
    return readdirSync(runPath);
  } catch {
    return [];
  }
}

function holderOf(name: string): ProcessIdentity | null {
  if (!name.startsWith(PREFIX)) return null;
  return parseIdentity(name.slice(PREFIX.length, name.lastIndexOf('.')));
}

function isAlive({ state }: SeenLock): boolean {
  return state === 'alive';
}

function driverOf({ holder, leaseAgeMs }: SeenLock, leaseMs: number): Driver {
  const leftMs = leaseMs - leaseAgeMs;
  return {
    worker: null,
    pid: holder?.pid ?? 0,
    host: holder?.host ?? '',
    leaseUntil: leftMs <= 0 ? null : new Date(Date.now() + leftMs).toISOString(),
  };
}
