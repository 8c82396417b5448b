import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { MARK_VARIABLE, OUTER_MARKS_VARIABLE } from '../../contracts/run/process-mark.ts';
import { hasExited, parseProcStat, readSystemFile } from '../../node/proc.ts';

/** A process that forks faster than it is killed, or that can't be killed, must not block conductor forever. */
const SWEEP_LIMIT_MS = 5_000;
const SWEEP_PAUSE_MS = 10;
const READS_AT_ONCE = 32;
/** The sandbox may exit a moment later than the programs in it. It does not count as a leftover process. */
const SANDBOX_PROGRAM = 'bwrap';
/** The search has to end even if new processes keep starting. */
const LISTINGS_LIMIT = 20;

/**
 * Kills every process that has the mark in its environment, whatever group or session it moved to. A mark covers the
 * marks below it, so `run` also finds `run/step/validator`. Returns the number of killed processes. Only Linux shows
 * the environments of other processes; other systems find none.
 */
export async function sweepMarked(mark: string): Promise<number> {
  return sweep(mark, null);
}

/** As `sweepMarked`, but also kills the members of a group whose leader has exited. */
export async function sweep(mark: string, group: number | null): Promise<number> {
  if (process.platform !== 'linux') return group === null ? 0 : killGroup(group);
  const ended = new Set<number>();
  const deadline = performance.now() + SWEEP_LIMIT_MS;
  for (;;) {
    const found = await findProcesses(mark, group);
    for (const pid of found) {
      const isSandbox = readProcNow(pid, 'comm').trim() === SANDBOX_PROGRAM;
      if (killIfOurs(pid, mark, group) && !isSandbox) ended.add(pid);
    }
    if (found.length === 0 || performance.now() > deadline) return ended.size;
    await delay(SWEEP_PAUSE_MS);
  }
}

/** Sends TERM to every process of the mark or the group, but not to the leader. */
export async function terminateGroup(mark: string, leader: number): Promise<void> {
  const found = await filterPids(async (pid) => {
    if (pid === leader) return false;
    if (hasMark(await readProc(pid, 'environ'), mark)) return true;
    return inGroup(await readProc(pid, 'stat'), leader);
  });
  for (const pid of found) {
    const ours = hasMark(readProcNow(pid, 'environ'), mark) || inGroup(readProcNow(pid, 'stat'), leader);
    if (ours) sendSignal(pid, 'SIGTERM');
  }
}

/** True while a member of the group is alive. A zombie does not count: its parent may never reap it. */
export async function isGroupAlive(group: number): Promise<boolean> {
  if (!signalExists(-group)) return false;
  if (process.platform !== 'linux') return true;
  const members = await filterPids(async (pid) => inGroup(await readProc(pid, 'stat'), group));
  return members.length > 0;
}

export function signalExists(target: number): boolean {
  try {
    process.kill(target, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

async function findProcesses(mark: string, group: number | null): Promise<number[]> {
  // The kernel does not reuse the number of a living group as a pid. So if a process with the leader's pid is alive,
  // the group is gone and the pid belongs to an unrelated process.
  const ownGroup = group !== null && signalExists(-group) && !signalExists(group) ? group : null;
  return filterPids(async (pid) => {
    if (hasMark(await readProc(pid, 'environ'), mark)) return true;
    return ownGroup !== null && inGroup(await readProc(pid, 'stat'), ownGroup);
  });
}

/** Checks again and signals synchronously, so that the pid can't pass to another process in between. */
function killIfOurs(pid: number, mark: string, group: number | null): boolean {
  const ours =
    hasMark(readProcNow(pid, 'environ'), mark) ||
    (group !== null && !signalExists(group) && inGroup(readProcNow(pid, 'stat'), group));
  return ours && sendSignal(pid, 'SIGKILL');
}

function sendSignal(pid: number, name: NodeJS.Signals): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch {
    return false;
  }
}

function killGroup(group: number): number {
  if (signalExists(group)) return 0;
  try {
    process.kill(-group, 'SIGKILL');
    return 1;
  } catch {
    return 0;
  }
}

/**
 * Also tests processes that start during the search: a process may fork a child and exit between the listing and its
 * test, and the child would be missed.
 */
export async function filterPids(test: (pid: number) => Promise<boolean>): Promise<number[]> {
  const found: number[] = [];
  const seen = new Set<number>([process.pid]);
  for (let round = 0; round < LISTINGS_LIMIT; round += 1) {
    const pids = (await readdir('/proc'))
      .filter((name) => /^[1-9]\d*$/.test(name))
      .map(Number)
      .filter((pid) => !seen.has(pid));
    if (pids.length === 0) break;
    for (let start = 0; start < pids.length; start += READS_AT_ONCE) {
      const batch = pids.slice(start, start + READS_AT_ONCE);
      const verdicts = await Promise.all(batch.map(test));
      found.push(...batch.filter((_, index) => verdicts[index] === true));
    }
    for (const pid of pids) seen.add(pid);
  }
  return found;
}

export function hasMark(environ: string, mark: string): boolean {
  if (mark === '' || !environ.includes(mark)) return false;
  return environ.split('\0').some((entry) => {
    const at = entry.indexOf('=');
    const name = entry.slice(0, at);
    if (name !== MARK_VARIABLE && name !== OUTER_MARKS_VARIABLE) return false;
    const marks = entry.slice(at + 1).split('\n');
    return marks.some((found) => found === mark || found.startsWith(`${mark}/`));
  });
}

function inGroup(text: string, group: number): boolean {
  const stat = parseProcStat(text);
  return stat.group === group && !hasExited(stat);
}

/** Empty if the process has exited or belongs to another user. */
export async function readProc(pid: number, file: 'environ' | 'stat'): Promise<string> {
  return readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
}

export function readProcNow(pid: number, file: 'comm' | 'environ' | 'stat'): string {
  return readSystemFile(`/proc/${pid}/${file}`);
}

function errorCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null;
}
