/** How one try to send a notification ended. Messages contain no secret: of an address, only the host. */
export type SendResult =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly message: string;
      /** Whether another try may succeed: the target was unreachable, busy or failed by itself. */
      readonly isTransient: boolean;
      /** The delay that the target asked for; null if none. */
      readonly retryAfterMs: number | null;
    };

/** A failure that another try would not change, as far as conductor knows. */
export function failPermanently(message: string): SendResult {
  return { ok: false, message, isTransient: false, retryAfterMs: null };
}

const MAX_TRIES = 5;
const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 8_000;
/** If the target asks for a longer delay, the notification is given up. */
const LONGEST_RETRY_AFTER_MS = 60_000;

/** Delay before the next try; null if there is none. `random` is a number between 0 and 1. */
export function nextTryMs(result: SendResult, tries: number, random: number): number | null {
  if (result.ok || !result.isTransient || tries >= MAX_TRIES) return null;
  const grown = Math.min(FIRST_DELAY_MS * 2 ** (tries - 1), LONGEST_DELAY_MS);
  const spread = Math.round(grown / 2 + (grown / 2) * random);
  if (result.retryAfterMs === null) return spread;
  return result.retryAfterMs > LONGEST_RETRY_AFTER_MS ? null : Math.max(result.retryAfterMs, spread);
}

/** 4xx means that the request is wrong, except for a timeout and a rate limit. */
export function isTransientStatus(status: number): boolean {
  return status >= 500 || status === 408 || status === 429;
}
