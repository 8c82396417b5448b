import { readFileSync } from 'node:fs';

/** A process as a name that no later process can be mistaken for: pid, start time, boot. */
export interface ProcessIdentity {
  readonly pid: number;
  /** In ticks since the boot; empty where the system does not say. */
  readonly started: string;
  readonly boot: string;
}

let ownIdentity: ProcessIdentity | null = null;

export function thisProcess(): ProcessIdentity {
  ownIdentity ??= { pid: process.pid, started: processStart(process.pid), boot: bootId() };
  return ownIdentity;
}

/** Fit for a part of a file name; `parseIdentity` reads it back. */
export function formatIdentity({ pid, started, boot }: ProcessIdentity): string {
  return `${pid}.${started}.${boot}`;
}

export function parseIdentity(text: string): ProcessIdentity | null {
  const [, pid, started, boot] = /^([1-9]\d{0,9})\.(\d*)\.([0-9a-f]*)$/.exec(text) ?? [];
  if (pid === undefined || started === undefined || boot === undefined) return null;
  return { pid: Number(pid), started, boot };
}

/** What the system does not say about a process is taken to agree: better to wait than to drive twice. */
export function isAlive({ pid, started, boot }: ProcessIdentity): boolean {
  const current = thisProcess();
  if (differ(boot, current.boot)) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  return !differ(started, processStart(pid));
}

function differ(left: string, right: string): boolean {
  return left !== '' && right !== '' && left !== right;
}

/** Field 22 of /proc/<pid>/stat, counted behind the command name, which may hold spaces. */
function processStart(pid: number): string {
  const stat = readSystem(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

function bootId(): string {
  return readSystem('/proc/sys/kernel/random/boot_id').replaceAll('-', '').slice(0, 12).trim();
}

function readSystem(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
