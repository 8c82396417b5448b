import type { AgentFailure } from '../contracts/agent-failure.ts';

/** What follows a start of an agent that failed. */
export type NextMove =
  | { readonly kind: 'end' }
  | { readonly kind: 'retry'; readonly delayMs: number }
  /** It is not worth staying for: the run waits until then, and nobody has to stay with it. */
  | { readonly kind: 'park'; readonly until: string };

export interface MoveFacts {
  /** Starts so far, the failed one included. */
  readonly starts: number;
  /** How often it may be started again. */
  readonly retries: number;
  /** How long it is until the limit ends; null where nobody said. */
  readonly resetInMs: number | null;
  /** What is left of the step's time. */
  readonly leftMs: number;
  /** Between 0 and 1. */
  readonly chance: number;
}

const FIRST_DELAY_MS = 2_000;
const LONGEST_DELAY_MS = 60_000;

/** A run stays for a limit that ends within this; otherwise it is parked. */
export const LONGEST_STAY_MS = 60_000;

export function nextMove(failure: AgentFailure, facts: MoveFacts): NextMove {
  switch (failure.class) {
    case 'overloaded':
    case 'network':
      return retry(facts, 0);
    case 'rate_limited':
      return failure.reset_at === null ? retry(facts, 0) : awaitReset(failure.reset_at, facts);
    case 'quota_exhausted':
      return failure.reset_at === null ? END : awaitReset(failure.reset_at, facts);
    case 'authentication':
    case 'crash':
    case 'refused_tool':
    case 'no_result':
      return END;
  }
}

const END: NextMove = { kind: 'end' };

function awaitReset(until: string, facts: MoveFacts): NextMove {
  const { resetInMs, leftMs } = facts;
  if (resetInMs === null) return END;
  if (resetInMs > LONGEST_STAY_MS || resetInMs > leftMs) return { kind: 'park', until };
  return retry(facts, Math.max(0, resetInMs));
}

function retry({ starts, retries, leftMs, chance }: MoveFacts, leastMs: number): NextMove {
  if (starts > retries) return END;
  const grown = Math.min(FIRST_DELAY_MS * 2 ** (starts - 1), LONGEST_DELAY_MS);
  // Never less than half, so that many who failed together do not come back at once, nor right away.
  const delayMs = Math.round(leastMs + grown / 2 + (grown / 2) * chance);
  return delayMs >= leftMs ? END : { kind: 'retry', delayMs };
}
