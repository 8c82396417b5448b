import { randomBytes, randomInt } from 'node:crypto';
import { open, readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isCode } from './atomic-file.ts';
import {
  formatIdentity,
  isAlive,
  type ProcessIdentity,
  parseIdentity,
  thisProcess,
} from './process-identity.ts';

export type LockResult =
  | { readonly ok: true; readonly release: () => Promise<void> }
  | { readonly ok: false; readonly pid: number };

/** Who finds others there looks again for so long whether they step back. */
const PATIENCE_MS = 500;
const LOOK_MS = 5;
const STEP_BACK_MS = 25;

/**
 * Exactly one living process drives a run. Each one that wants to puts a file of its own name into the
 * folder and then waits for those that were there before it: of two that came at the same moment, the
 * one with the greater name steps back. Who comes later sees the file and waits in turn. Because no two
 * names are the same, taking away the file of a dead process can never hit a living one.
 */
export async function acquireLock(runPath: string): Promise<LockResult> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const own = `lock.${formatIdentity(thisProcess())}.${randomBytes(6).toString('hex')}`;
    const path = join(runPath, own);
    await (await open(path, 'wx')).close();
    const before = await othersThan(own, runPath);
    const blocker = before.some((name) => name < own) ? before[0] : await outlast(before, runPath, deadline);
    if (blocker === undefined) return { ok: true, release: () => remove(path) };
    await remove(path);
    if (performance.now() > deadline) return { ok: false, pid: holderOf(blocker)?.pid ?? 0 };
    await sleep(randomInt(1, STEP_BACK_MS));
  }
}

/** Waits until none of these is there; returns one that stayed. */
async function outlast(
  names: readonly string[],
  runPath: string,
  deadline: number,
): Promise<string | undefined> {
  for (let left = names; ; ) {
    if (left.length === 0 || performance.now() > deadline) return left[0];
    await sleep(LOOK_MS);
    const there = new Set(livingLocks(await readdir(runPath)));
    left = left.filter((name) => there.has(name));
  }
}

/** The pid that drives the run now, or null. */
export async function lockHolder(runPath: string): Promise<number | null> {
  try {
    const [name] = livingLocks(await readdir(runPath));
    return name === undefined ? null : (holderOf(name)?.pid ?? null);
  } catch (error) {
    if (isCode(error, 'ENOENT') || isCode(error, 'ENOTDIR')) return null;
    throw error;
  }
}

/** The locks of other living ones. Those of the dead are taken away. */
async function othersThan(own: string, runPath: string): Promise<readonly string[]> {
  const locks = (await readdir(runPath)).filter((name) => name.startsWith('lock.') && name !== own);
  const living = livingLocks(locks);
  for (const name of locks) if (!living.includes(name)) await remove(join(runPath, name));
  return living;
}

function livingLocks(names: readonly string[]): readonly string[] {
  return names.filter((name) => {
    const holder = holderOf(name);
    return holder !== null && isAlive(holder);
  });
}

function holderOf(name: string): ProcessIdentity | null {
  return name.startsWith('lock.') ? parseIdentity(name.slice('lock.'.length, name.lastIndexOf('.'))) : null;
}

async function remove(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error;
  }
}
