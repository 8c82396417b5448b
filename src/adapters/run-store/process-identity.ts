import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { hasErrorCode } from '../../text/error-code.ts';

/**
 * Identifies a process to other processes, even from another container or after a reboot. A field that the system
 * doesn't report is empty.
 */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time in ticks since the boot: distinguishes a process from a later one with the same pid. */
  readonly started: string;
  readonly boot: string;
  /** Number of the PID namespace, or `none` on a system that has no such namespaces. */
  readonly pidNamespace: string;
  readonly host: string;
}

export const NO_PID_NAMESPACES = 'none';

let ownIdentity: ProcessIdentity | null = null;

export function thisProcess(): ProcessIdentity {
  ownIdentity ??= {
    pid: process.pid,
    started: startTimeIn(readSystem('/proc/self/stat')),
    boot: readSystem('/proc/sys/kernel/random/boot_id').replaceAll('-', '').slice(0, 12).trim(),
    pidNamespace: ownPidNamespace(),
    host: (hostname().split('.')[0] ?? '').replace(/[^A-Za-z0-9-]/g, '-').slice(0, 64),
  };
  return ownIdentity;
}

/** Formats an identity for use in a file name; `parseIdentity` parses it. */
export function formatIdentity({ pid, started, boot, pidNamespace, host }: ProcessIdentity): string {
  return `${pid}.${started}.${boot}.${pidNamespace}.${host}`;
}

const IDENTITY = /^([1-9]\d{0,9})\.(\d*)\.([0-9a-f]*)(?:\.(\d*|none)\.([A-Za-z0-9-]*))?$/;

/** Namespace and host may be missing: earlier versions didn't write them. */
export function parseIdentity(text: string): ProcessIdentity | null {
  const [, pid, started = '', boot = '', pidNamespace = '', host = ''] = IDENTITY.exec(text) ?? [];
  return pid === undefined ? null : { pid: Number(pid), started, boot, pidNamespace, host };
}

/** What this process can see of a pid. */
export interface SeenProcess {
  readonly exists: boolean;
  /** Empty if the system doesn't report it. */
  readonly started: string;
}

export function lookUpProcess(pid: number): SeenProcess {
  try {
    process.kill(pid, 0);
  } catch (error) {
    const isForeign = hasErrorCode(error, 'EPERM');
    if (!isForeign) return { exists: false, started: '' };
  }
  return { exists: true, started: isProcOurs() ? startTimeIn(readSystem(`/proc/${pid}/stat`)) : '' };
}

/** In a sandbox, /proc can be that of the PID namespace outside, where the same pids belong to other processes. */
function isProcOurs(): boolean {
  return readLink('/proc/self') === String(process.pid);
}

function ownPidNamespace(): string {
  if (process.platform !== 'linux') return NO_PID_NAMESPACES;
  return /^pid:\[(\d+)\]$/.exec(readLink('/proc/self/ns/pid'))?.[1] ?? '';
}

/** Field 22 of /proc/<pid>/stat, counted after the command name, which may contain spaces. */
function startTimeIn(stat: string): string {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

function readSystem(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
