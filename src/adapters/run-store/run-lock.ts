/**
 * Exactly one process drives a run. Each process that wants to makes a lock file of its own in the run's folder and
 * then waits for the locks that were there before it: of two processes that come at the same moment, the one with the
 * greater name steps back, and one that comes later sees the file and waits in turn. No two names are the same, so
 * removing the lock of a dead process can never hit the lock of a living one.
 *
 * The name says which process it is. How old its lease is, is measured with one clock only, that of the file system:
 * the time of the lock file that the holder renews against the time of the one that the contender has just made. The
 * clocks of two containers or machines may differ; neither is asked.
 */
import { randomBytes, randomInt } from 'node:crypto';
import { constants, readdirSync } from 'node:fs';
import { lstat, open, readdir, unlink, utimes } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Driver } from '../../contracts/run-lease.ts';
import { isCode } from './atomic-file.ts';
import { type HolderState, judgeHolder } from './holder-state.ts';
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
      /** A lock was removed whose process missed its lease and may still exist. */
      readonly isTakeover: boolean;
    }
  | { readonly ok: false; readonly driver: Driver };

/** Other contenders get this long to step back. */
const PATIENCE_MS = 500;
const LOOK_MS = 5;
const STEP_BACK_MS = 25;
const PREFIX = 'lock.';

export async function acquireLock(runPath: string, timing: LeaseTiming): Promise<LockResult> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const own = `${PREFIX}${formatIdentity(thisProcess())}.${randomBytes(6).toString('hex')}`;
    const path = join(runPath, own);
    const since = instant();
    const nowMs = await makeLock(path);
    const observe = async () => {
      const locks = await observeLocks(runPath, nowMs(), timing.leaseMs);
      return locks.filter(({ name }) => name !== own);
    };
    const before = (await observe()).filter(isAlive);
    for (const lock of before) await correctFutureTime(lock, nowMs(), timing.leaseMs);
    const blocker = before.some(({ name }) => name < own)
      ? before[0]
      : await outlast(before, observe, deadline);
    if (blocker === undefined) {
      const stale = (await observe()).filter((lock) => !isAlive(lock));
      for (const lock of stale) await remove(lock.path);
      const findRival = () => findRivalLock(own, runPath);
      return {
        ok: true,
        lease: holdLease({ path, runId: basename(runPath), since, timing, findRival }),
        isTakeover: stale.some(({ state }) => state === 'expired'),
      };
    }
    await remove(path);
    if (performance.now() > deadline) return { ok: false, driver: driverOf(blocker, timing.leaseMs) };
    await sleep(randomInt(1, STEP_BACK_MS));
  }
}

/** Returns the clock of the file system, read off the new file. */
async function makeLock(path: string): Promise<() => number> {
  const file = await open(path, 'wx');
  try {
    const { mtimeMs } = await file.stat();
    const readAt = performance.now();
    return () => mtimeMs + (performance.now() - readAt);
  } finally {
    await file.close();
  }
}

/** Waits until none of these is alive; returns one that stayed. */
async function outlast(
  locks: readonly SeenLock[],
  observe: () => Promise<readonly SeenLock[]>,
  deadline: number,
): Promise<SeenLock | undefined> {
  for (let left = locks; ; ) {
    if (left.length === 0 || performance.now() > deadline) return left[0];
    await sleep(LOOK_MS);
    const names = new Set(left.map(({ name }) => name));
    left = (await observe()).filter((lock) => names.has(lock.name) && isAlive(lock));
  }
}

/**
 * The process that drives the run now, or null. A process that only reads makes no file, so it goes by its own clock:
 * if that is wrong, it shows a wrong driver, but it can't get the lock.
 */
export async function findDriver(runPath: string, leaseMs: number): Promise<Driver | null> {
  const driver = (await observeLocks(runPath, Date.now(), leaseMs)).find(isAlive);
  return driver === undefined ? null : driverOf(driver, leaseMs);
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
  for (const name of await lockNames(runPath)) {
    const path = join(runPath, name);
    const renewedMs = await renewalTime(path);
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
  return judgeHolder(holder, thisProcess(), seen, leaseMs);
}

async function lockNames(runPath: string): Promise<readonly string[]> {
  try {
    return (await readdir(runPath)).filter((name) => name.startsWith(PREFIX));
  } catch (error) {
    if (isCode(error, 'ENOENT') || isCode(error, 'ENOTDIR')) return [];
    throw error;
  }
}

/** Opening the file makes an NFS client ask the server, where `lstat` alone may answer from its cache. */
async function renewalTime(path: string): Promise<number | null> {
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
 * If the clock was set back, the lock of a dead process would hold until that time comes again. Its lease is made to
 * start now; a living holder renews it anyway.
 */
async function correctFutureTime(
  { path, leaseAgeMs }: SeenLock,
  nowMs: number,
  leaseMs: number,
): Promise<void> {
  if (leaseAgeMs >= -leaseMs) return;
  await utimes(path, nowMs / 1000, nowMs / 1000).catch(() => {});
}

/** Any other lock counts whose process may exist: the winner of a contest removes those that don't. */
function findRivalLock(own: string, runPath: string): Driver | null {
  for (const name of namesNow(runPath)) {
    const holder = name === own ? null : holderOf(name);
    if (holder !== null && stateOf(holder, 0, 0) !== 'dead')
      return { pid: holder.pid, host: holder.host, leaseUntil: null };
  }
  return null;
}

function namesNow(runPath: string): readonly string[] {
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
    pid: holder?.pid ?? 0,
    host: holder?.host ?? '',
    leaseUntil: leftMs <= 0 ? null : new Date(Date.now() + leftMs).toISOString(),
  };
}

async function remove(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error;
  }
}
