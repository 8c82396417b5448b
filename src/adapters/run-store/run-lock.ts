import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { link, readFile, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { createOnce, isCode } from './atomic-file.ts';

const LOCK_FILE = 'lock';

interface Holder {
  readonly pid: number;
  /** Tells a process from a later one with the same pid; null where the system does not say. */
  readonly started: string | null;
  readonly nonce: string;
}

export type LockResult =
  | { readonly ok: true; readonly release: () => Promise<void> }
  | { readonly ok: false; readonly pid: number };

/** Exactly one living process drives a run. A lock whose process is gone is taken over. */
export async function acquireLock(runPath: string): Promise<LockResult> {
  const path = join(runPath, LOCK_FILE);
  const mine: Holder = {
    pid: process.pid,
    started: processStart(process.pid),
    nonce: randomBytes(8).toString('hex'),
  };
  const content = `${JSON.stringify(mine)}\n`;
  for (;;) {
    if (await createOnce(path, content)) return { ok: true, release: () => releaseLock(path, content) };
    const found = await readText(path);
    if (found === null) continue;
    const holder = parseHolder(found);
    if (holder !== null && isAlive(holder)) return { ok: false, pid: holder.pid };
    await removeStale(path, found);
  }
}

/** The pid that drives the run now, or null. */
export async function lockHolder(runPath: string): Promise<number | null> {
  const found = await readText(join(runPath, LOCK_FILE));
  const holder = found === null ? null : parseHolder(found);
  return holder !== null && isAlive(holder) ? holder.pid : null;
}

/**
 * Two processes may find the same stale lock. The slower one could move away the lock that the faster
 * one has just made, so it looks at what it moved and puts back what was not stale.
 */
async function removeStale(path: string, stale: string): Promise<void> {
  const aside = `${path}.${randomBytes(6).toString('hex')}.stale`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return;
    throw error;
  }
  try {
    if ((await readText(aside)) !== stale) await link(aside, path);
  } finally {
    await unlink(aside);
  }
}

async function releaseLock(path: string, content: string): Promise<void> {
  if ((await readText(path)) === content) await unlink(path);
}

async function readText(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null;
    throw error;
  }
}

function parseHolder(text: string): Holder | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || !('pid' in value)) return null;
    return typeof value.pid === 'number' ? (value as Holder) : null;
  } catch {
    return null;
  }
}

function isAlive(holder: Holder): boolean {
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    return isCode(error, 'EPERM');
  }
  const started = processStart(holder.pid);
  return started === null || holder.started === null || started === holder.started;
}

/** Field 22 of /proc/<pid>/stat, counted behind the command name, which may hold spaces. */
function processStart(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}
