import { hostname } from 'node:os';
import { parseProcStat, readSystemFile, readSystemLink } from '../../node/proc.ts';
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
    started: parseProcStat(readSystemFile('/proc/self/stat')).startTime,
    boot: readSystemFile('/proc/sys/kernel/random/boot_id').replaceAll('-', '').slice(0, 12).trim(),
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
  return {
    exists: true,
    started: isProcOurs() ? parseProcStat(readSystemFile(`/proc/${pid}/stat`)).startTime : '',
  };
}

/** In a sandbox, /proc can be that of the PID namespace outside, where the same pids belong to other processes. */
function isProcOurs(): boolean {
  return readSystemLink('/proc/self') === String(process.pid);
}

function ownPidNamespace(): string {
  if (process.platform !== 'linux') return NO_PID_NAMESPACES;
  return /^pid:\[(\d+)\]$/.exec(readSystemLink('/proc/self/ns/pid'))?.[1] ?? '';
}
