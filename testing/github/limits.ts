import type { RateLimit } from './call.ts';

export interface Limits {
  /** Requests an hour with a token. */
  readonly perHour: number;
  /** Writes a minute, above which GitHub answers with a secondary limit. */
  readonly writesPerMinute: number;
}

export const DEFAULT_LIMITS: Limits = { perHour: 5000, writesPerMinute: 80 };

const ANONYMOUS_PER_HOUR = 60;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** Counts requests of each account in windows of an hour, and writes in a sliding minute. */
export function createLimiter(limits: Limits) {
  const windows = new Map<string, { used: number; readonly resetAt: number }>();
  const writes = new Map<string, number[]>();
  const windowOf = (account: string, now: number) => {
    const found = windows.get(account);
    if (found !== undefined && found.resetAt > now) return found;
    const opened = { used: 0, resetAt: now + HOUR_MS };
    windows.set(account, opened);
    return opened;
  };
  const limitOf = (account: string) => (account === 'anonymous' ? ANONYMOUS_PER_HOUR : limits.perHour);
  const read = (account: string, now: number): RateLimit => {
    const { used, resetAt } = windowOf(account, now);
    const limit = limitOf(account);
    return {
      limit,
      used: Math.min(used, limit),
      remaining: Math.max(0, limit - used),
      reset: Math.ceil(resetAt / 1000),
    };
  };
  return {
    read,
    isUsedUp: (account: string, now: number): boolean => read(account, now).remaining === 0,
    spend: (account: string, now: number): void => {
      windowOf(account, now).used += 1;
    },
    /** Takes requests away, as other programs of the same user would. */
    use: (account: string, now: number, count: number): void => {
      windowOf(account, now).used += count;
    },
    /** Seconds to wait, if this write is one too many. */
    countWrite: (account: string, now: number): number | null => {
      const recent = (writes.get(account) ?? []).filter((at) => at > now - MINUTE_MS);
      writes.set(account, [...recent, now]);
      if (recent.length < limits.writesPerMinute) return null;
      return Math.ceil(((recent[0] ?? now) + MINUTE_MS - now) / 1000);
    },
  };
}
