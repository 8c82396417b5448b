/** Why a request to a model failed, as far as it matters for trying again. */
export interface RequestFailure {
  /** Null when nothing came back: refused, dropped, not found. */
  readonly status: number | null;
  /** What the server said about when to come back; null when it said nothing. */
  readonly retryAfterMs: number | null;
}

export interface RetryPolicy {
  readonly retries: number;
  readonly firstDelayMs: number;
  readonly longestDelayMs: number;
  /** A server that wants to be left alone for longer is taken at its word: there is no other attempt. */
  readonly longestRetryAfterMs: number;
}

export const DEFAULT_RETRY: RetryPolicy = {
  retries: 2,
  firstDelayMs: 500,
  longestDelayMs: 8_000,
  longestRetryAfterMs: 60_000,
};

/** Statuses that say nothing about the request itself. */
const PASSING = [408, 409, 425, 429];

/** How long to wait before another attempt; null when there is to be none. `chance` is between 0 and 1. */
export function retryDelayMs(
  failure: RequestFailure,
  attempt: number,
  policy: RetryPolicy,
  chance: number,
): number | null {
  const { status, retryAfterMs } = failure;
  const passes = status === null || PASSING.includes(status) || status >= 500;
  if (!passes || attempt > policy.retries) return null;
  const grown = Math.min(policy.firstDelayMs * 2 ** (attempt - 1), policy.longestDelayMs);
  // Never less than half, so that many who failed together do not come back at once, nor right away.
  const spread = Math.round(grown / 2 + (grown / 2) * chance);
  if (retryAfterMs === null) return spread;
  return retryAfterMs > policy.longestRetryAfterMs ? null : Math.max(retryAfterMs, spread);
}

/** `retry-after-ms`, or `retry-after` in seconds or as a date. */
export function retryAfterOf(
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
