/** The process that drives a run, as another process sees it. */
export interface Driver {
  readonly pid: number;
  /** Empty if unknown. */
  readonly host: string;
  /** ISO 8601; null if the lease has expired but the process is known to be alive. */
  readonly leaseUntil: string | null;
}

export function describeDriver({ pid, host, leaseUntil }: Driver): string {
  const place = host === '' ? '' : ` on host ${host}`;
  const lease =
    leaseUntil === null ? '' : ` (its lease runs until ${leaseUntil} and is renewed while it lives)`;
  return `process ${pid}${place}${lease}`;
}

/**
 * This process no longer has the right to write to a run: it didn't renew its lease in time, or another process drives
 * the run. Not an expected failure of a step: the whole drive stops.
 */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}
