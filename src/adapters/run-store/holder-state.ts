import { NO_PID_NAMESPACES, type ProcessIdentity, type SeenProcess } from './process-identity.ts';

/**
 * `dead` is certain: the process is gone. `expired` is not: it may be stopped, cut off from the disk, or gone, but it
 * has missed its lease and must not write before it has noticed.
 */
export type HolderState = 'alive' | 'dead' | 'expired';

export interface HolderObservation {
  /** What the observer finds under the holder's pid. Counts only if both use the same pids. */
  readonly process: SeenProcess;
  /** Since the holder renewed its lease; negative if the clock was set back. */
  readonly leaseAgeMs: number;
}

/**
 * Decides whether the holder of a lock still counts. Within one PID namespace of one boot the process table is the
 * truth, so a killed driver is replaced at once. From anywhere else a pid says nothing, and only the lease counts.
 */
export function judgeHolder(
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
 * What is unknown doesn't count as equal. The initial PID namespace has the same number on every machine, so the boot
 * has to be the same as well; a system without namespaces tells no boot, and there the host name has to do.
 */
function usesSamePids(left: ProcessIdentity, right: ProcessIdentity): boolean {
  if (left.boot !== right.boot || left.pidNamespace !== right.pidNamespace) return false;
  if (left.pidNamespace === NO_PID_NAMESPACES) return left.host !== '' && left.host === right.host;
  return left.boot !== '' && left.pidNamespace !== '';
}
