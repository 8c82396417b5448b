import type { AgentFailure } from '../contracts/agent-failure.ts';
import { isoTimeOf } from './reset-time.ts';

/** What follows a start of an agent that failed. */
export type NextMove =
  /** `reason` says why it is not parked, where it otherwise would be. */
  | { readonly kind: 'end'; readonly reason?: string }
  | { readonly kind: 'retry'; readonly delayMs: number }
  /** It is not worth staying for: the run waits until then, and no process has to stay with it. */
  | { readonly kind: 'park'; readonly until: string };

/** How often and how long the current visit of a step has been parked, and how long it may be in all. */
export interface Parking {
  readonly count: number;
  readonly spentMs: number;
  readonly limitMs: number;
}

export interface MoveFacts {
  readonly nowMs: number;
  /** Starts so far, the failed one included. */
  readonly starts: number;
  /** How often it may be started again. */
  readonly retries: number;
  /** How long it is until the limit ends; null if that is unknown. */
  readonly resetInMs: number | null;
  /** What is left of the step's time. */
  readonly leftMs: number;
  /** Between 0 and 1. */
  readonly chance: number;
  readonly parking: Parking;
}

const FIRST_DELAY_MS = 2_000;
const LONGEST_DELAY_MS = 60_000;

/** A run stays for a limit that ends within this; otherwise it is parked. */
export const LONGEST_STAY_MS = 60_000;

const MINUTE_MS = 60_000;

/** How long a step is parked for a limit of unknown length, from one parking to the next; then the last one again and again. */
const PARKING_MS = [1, 2, 5, 15, 30, 60].map((minutes) => minutes * MINUTE_MS);

/** What is left of the time for parking once most of it is spent: it is not worth another start. */
const SHORTEST_PARKING_MS = 5_000;

export function nextMove(failure: AgentFailure, facts: MoveFacts): NextMove {
  switch (failure.class) {
    case 'overloaded':
    case 'network':
      return retry(facts, 0);
    case 'rate_limited':
      return failure.reset_at === null ? backOff(facts) : awaitReset(failure.reset_at, facts);
    case 'quota_exhausted':
      if (failure.reset_at !== null) return awaitReset(failure.reset_at, facts);
      return isRenewed(failure.message) ? backOff(facts) : END;
    case 'authentication':
    case 'crash':
    case 'refused_tool':
    case 'no_result':
      return END;
  }
}

const END: NextMove = { kind: 'end' };

/** A usage limit ends by itself; an account without money needs a person. */
function isRenewed(message: string): boolean {
  return (
    /\b(?:limit|cap)\b/i.test(message) && !/credit|billing|balance|payment|funds|insufficient/i.test(message)
  );
}

/** Many short limits pass within seconds; for the others the step is parked, longer each time. */
function backOff(facts: MoveFacts, leastMs = 0): NextMove {
  const soon = retry(facts, leastMs);
  if (soon.kind === 'retry') return soon;
  const { count, spentMs, limitMs } = facts.parking;
  const leftMs = limitMs - spentMs;
  if (count > 0 && leftMs < SHORTEST_PARKING_MS)
    return { kind: 'end', reason: `parked for ${durationText(limitMs)} in all; ${LIMIT_HELP}` };
  const stepMs = PARKING_MS[Math.min(count, PARKING_MS.length - 1)] ?? MINUTE_MS;
  return { kind: 'park', until: isoTimeOf(facts.nowMs + Math.min(Math.max(stepMs, leastMs), leftMs)) };
}

function awaitReset(until: string, facts: MoveFacts): NextMove {
  const { resetInMs, leftMs, parking } = facts;
  if (resetInMs === null) return END;
  if (resetInMs <= LONGEST_STAY_MS && resetInMs <= leftMs) return backOff(facts, Math.max(0, resetInMs));
  const reason = overlongParking(until, resetInMs, parking);
  return reason === null ? { kind: 'park', until } : { kind: 'end', reason };
}

/** Why a step must not be parked until a time; null if it may. */
export function overlongParking(until: string, waitMs: number, { spentMs, limitMs }: Parking): string | null {
  if (spentMs + waitMs <= limitMs) return null;
  return `the limit ends at ${until}, and a step is parked for ${durationText(limitMs)} at most; ${LIMIT_HELP}`;
}

const LIMIT_HELP = 'raise limits.park to wait longer';

/** `12h`, `1h 30m`, `45s`. */
function durationText(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  const parts = [
    [Math.floor(seconds / 3_600), 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ] as const;
  const text = parts.flatMap(([count, unit]) => (count === 0 ? [] : [`${count}${unit}`])).join(' ');
  return text === '' ? '0s' : text;
}

function retry({ starts, retries, leftMs, chance }: MoveFacts, leastMs: number): NextMove {
  if (starts > retries) return END;
  const grown = Math.min(FIRST_DELAY_MS * 2 ** (starts - 1), LONGEST_DELAY_MS);
  // Never less than half, so that many runs that failed together do not come back at once, nor right away.
  const delayMs = Math.round(leastMs + grown / 2 + (grown / 2) * chance);
  return delayMs >= leftMs ? END : { kind: 'retry', delayMs };
}
