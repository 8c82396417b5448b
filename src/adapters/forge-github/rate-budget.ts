import { ForgeError } from '../../forge/forge-problem.ts';

/** `core` or `graphql`: GitHub counts them apart. */
type Resource = string;

interface Window {
  readonly limit: number;
  readonly remaining: number;
  readonly resetAt: number;
}

/**
 * What is left of the rate limit, as the last answers said, and until when GitHub asked to wait. `reserve` is the share of
 * the limit that is never used: people use the same account.
 */
export function createRateBudget({ reserve, now }: { readonly reserve: number; readonly now: () => number }) {
  const windows = new Map<Resource, Window>();
  let parked: ForgeError | null = null;
  return {
    /** Throws if a request would have to wait. */
    check: (resource: Resource): void => {
      if (parked?.problem.kind === 'parked' && Date.parse(parked.problem.until) > now()) throw parked;
      parked = null;
      const window = windows.get(resource);
      if (window === undefined || window.resetAt <= now()) return;
      if (window.remaining <= window.limit * reserve)
        throw new ForgeError({
          kind: 'parked',
          reason: window.remaining === 0 ? 'rate_limit' : 'reserve',
          until: new Date(window.resetAt).toISOString(),
        });
    },
    note: (headers: Readonly<Record<string, string>>): void => {
      const limit = Number(headers['x-ratelimit-limit']);
      const remaining = Number(headers['x-ratelimit-remaining']);
      const resetAt = Number(headers['x-ratelimit-reset']) * 1000;
      if (![limit, remaining, resetAt].every(Number.isFinite)) return;
      windows.set(headers['x-ratelimit-resource'] ?? 'core', { limit, remaining, resetAt });
    },
    park: (error: ForgeError): void => {
      parked = error;
    },
  };
}
