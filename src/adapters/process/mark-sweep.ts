import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { MARK_VARIABLE, OUTER_MARKS_VARIABLE } from '../../contracts/process-mark.ts';

/** A process that forks faster than it is ended, or that cannot die, must not hold the conductor for ever. */
const SWEEP_LIMIT_MS = 5_000;
const SWEEP_PAUSE_MS = 10;
const READS_AT_ONCE = 32;
/** It may take a moment longer than what it shuts in, and nobody left it behind. */
const SANDBOX_PROGRAM = 'bwrap';
/** On a machine where something is always born the looking has to end too. */
const LISTINGS_LIMIT = 20;

/**
 * Ends every process that carries the mark in its environment, whatever group or session it moved to.
 * A mark covers the marks below it, so `run` also finds `run/step/validator`. Returns how many there were. Only Linux shows other processes' environments; elsewhere there are none.
 */
export async function sweepMarked(mark: string): Promise<number> {
  return sweep(mark, null);
}

/** As `sweepMarked`, and the members of a group whose leader has ended. */
export async function sweep(mark: string, group: number | null): Promise<number> {
  if (process.platform !== 'linux') return group === null ? 0 : endGroup(group);
  const ended = new Set<number>();
  const deadline = performance.now() + SWEEP_LIMIT_MS;
  for (;;) {
    const found = await findProcesses(mark, group);
    for (const pid of found) {
      const isWall = readProcNow(pid, 'comm').trim() === SANDBOX_PROGRAM;
      if (endIfOurs(pid, mark, group) && !isWall) ended.add(pid);
    }
    if (found.length === 0 || performance.now() > deadline) return ended.size;
    await delay(SWEEP_PAUSE_MS);
  }
}

/** Sends TERM to every process of the mark or the group, but not to the leader. */
export async function askToEnd(mark: string, leader: number): Promise<void> {
  const found = await filterPids(async (pid) => {
    if (pid === leader) return false;
    if (hasMark(await readProc(pid, 'environ'), mark)) return true;
    return inGroup(await readProc(pid, 'stat'), leader);
  });
  for (const pid of found) {
    const ours = hasMark(readProcNow(pid, 'environ'), mark) || inGroup(readProcNow(pid, 'stat'), leader);
    if (ours) signal(pid, 'SIGTERM');
  }
}

/** True while a member of the group is alive. A zombie is not: whoever should reap it may never do so. */
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
  // While the group lives its number cannot be given to a new process, so a living leader is a stranger.
  const ownGroup = group !== null && signalExists(-group) && !signalExists(group) ? group : null;
  return filterPids(async (pid) => {
    if (hasMark(await readProc(pid, 'environ'), mark)) return true;
    return ownGroup !== null && inGroup(await readProc(pid, 'stat'), ownGroup);
  });
}

/** Looks again and signals without giving up the thread: between the two a pid must not change hands. */
function endIfOurs(pid: number, mark: string, group: number | null): boolean {
  const ours =
    hasMark(readProcNow(pid, 'environ'), mark) ||
    (group !== null && !signalExists(group) && inGroup(readProcNow(pid, 'stat'), group));
  return ours && signal(pid, 'SIGKILL');
}

function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch {
    return false;
  }
}

function endGroup(group: number): number {
  if (signalExists(group)) return 0;
  try {
    process.kill(-group, 'SIGKILL');
    return 1;
  } catch {
    return 0;
  }
}

/**
 * Who is born while the others are looked at is looked at too: a process may have been replaced by its child between
 * the listing and the look at it, and the child alone would be left.
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

/** The name in `stat` is free text in parentheses; state, parent and group follow the last one. */
function inGroup(stat: string, group: number): boolean {
  const [state, , pgrp] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(pgrp) === group && state !== 'Z' && state !== 'X';
}

/** Empty when the process is gone or belongs to somebody else. */
export async function readProc(pid: number, file: 'environ' | 'stat'): Promise<string> {
  return readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
}

export function readProcNow(pid: number, file: 'comm' | 'environ' | 'stat'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

function errorCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null;
}
