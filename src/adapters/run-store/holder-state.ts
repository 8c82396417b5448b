import { NO_PID_NAMESPACES, type ProcessIdentity, type SeenProcess } from './process-identity.ts';

/**
 * `dead` is certain: the process has exited. `expired` is not: the process may be stopped, cut off from the disk, or
 * gone. But its lease has expired, and it must notice that before it writes.
 */
export type HolderState = 'alive' | 'dead' | 'expired';

export interface HolderObservation {
  /** The process that the observer finds under the holder's pid. Meaningful only if both use the same pids. */
  readonly process: SeenProcess;
  /** Time since the holder renewed its lease; negative if the clock was set back. */
  readonly leaseAgeMs: number;
}

/**
 * Decides whether the holder of a lock still holds it. Within one PID namespace of one boot the process table is
 * reliable, so a killed driver is replaced at once. From anywhere else a pid is meaningless, and only the lease counts.
 */
export function classifyHolder(
  holder: ProcessIdentity,
  observer: ProcessIdentity,
  seen: HolderObservation,
  leaseMs: number,
): HolderState {
  const byLease = seen.leaseAgeMs > leaseMs ? 'expired' : 'alive';
  if (!usesSamePids(holder, observer)) return byLease;
  if (!seen.process.exists) return 'dead';
  if (holder.started === '' || seen.process.started === '') return byLease;
  return holder.started === seen.process.started ? 'alive' : 'dead';
}

/**
 * Unknown values don't count as equal. The initial PID namespace has the same number on every machine, so the boot has
 * to be the same as well. A system without namespaces reports no boot, so the host name decides.
 */
function usesSamePids(left: ProcessIdentity, right: ProcessIdentity): boolean {
  if (left.boot !== right.boot || left.pidNamespace !== right.pidNamespace) return false;
  if (left.pidNamespace === NO_PID_NAMESPACES) return left.host !== '' && left.host === right.host;
  return left.boot !== '' && left.pidNamespace !== '';
}
