/** Why a request to a model failed, as far as it matters for a retry. */
export interface RequestFailure {
  /** Null if no response arrived: connection refused, dropped or host not found. */
  readonly status: number | null;
  /** The delay that the server asked for; null if it asked for none. */
  readonly retryAfterMs: number | null;
}

export interface RetryPolicy {
  readonly retries: number;
  readonly firstDelayMs: number;
  readonly longestDelayMs: number;
  /** If the server asks for a longer delay, the request is not retried. */
  readonly longestRetryAfterMs: number;
}

export const DEFAULT_RETRY: RetryPolicy = {
  retries: 2,
  firstDelayMs: 500,
  longestDelayMs: 8_000,
  longestRetryAfterMs: 60_000,
};

/** Client error statuses that are transient. */
const TRANSIENT_STATUSES = [408, 409, 425, 429];

/** Delay before the next attempt; null if there is none. `random` is a number between 0 and 1. */
export function retryDelayMs(
  failure: RequestFailure,
  attempt: number,
  policy: RetryPolicy,
  random: number,
): number | null {
  const { status, retryAfterMs } = failure;
  const isTransient = status === null || TRANSIENT_STATUSES.includes(status) || status >= 500;
  if (!isTransient || attempt > policy.retries) return null;
  const grown = Math.min(policy.firstDelayMs * 2 ** (attempt - 1), policy.longestDelayMs);
  // At least half of the delay, so that clients that failed together retry neither at once nor at the same time.
  const spread = Math.round(grown / 2 + (grown / 2) * random);
  if (retryAfterMs === null) return spread;
  return retryAfterMs > policy.longestRetryAfterMs ? null : Math.max(retryAfterMs, spread);
}

/** `retry-after-ms`, or `retry-after` in seconds or as a date. */
export function parseRetryAfter(
  headers: Readonly<Record<string, string>> | undefined,
  nowMs: number,
): number | null {
  const exact = Number(headers?.['retry-after-ms'] ?? Number.NaN);
  if (Number.isFinite(exact) && exact >= 0) return exact;
  const value = headers?.['retry-after'];
  if (value === undefined) return null;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1_000);
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}
