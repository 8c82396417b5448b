import { ExpectedFailure } from '../expected-failure.ts';

/** The process that drives a run, as another process sees it. */
export interface Driver {
  /** The name of the worker; null if the process drives only runs that it was started for. */
  readonly worker: string | null;
  readonly pid: number;
  /** Empty if unknown. */
  readonly host: string;
  /** ISO 8601; null if the lease has expired but the process is known to be alive. */
  readonly leaseUntil: string | null;
}

/** Names a worker and its place, any other driver only by its process. */
export function nameDriver(driver: Driver): string {
  return driver.worker === null ? `process ${driver.pid}` : nameWithHost(driver);
}

export function describeDriver(driver: Driver): string {
  const { leaseUntil } = driver;
  const lease =
    leaseUntil === null ? '' : ` (its lease runs until ${leaseUntil} and is renewed while it lives)`;
  return `${nameWithHost(driver)}${lease}`;
}

function nameWithHost({ worker, pid, host }: Driver): string {
  const place = `process ${pid}${host === '' ? '' : ` on host ${host}`}`;
  return worker === null ? place : `worker ${worker}, ${place}`;
}

/**
 * This process no longer has the right to write to a run: it didn't renew its lease in time, or another process drives
 * the run. Not an expected failure of a step: the whole drive stops.
 */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/**
 * The engine's database lost events that it had acknowledged, for example in a failover to a replica that lagged
 * behind. To continue would give those numbers to other events, so the drive stops, and nothing is appended.
 */
export class LogWentBack extends ExpectedFailure {
  override readonly name = 'LogWentBack';
}
