import { MINUTE_MS } from '../contracts/duration.ts';
import type { AgentFailure } from '../contracts/run/agent-failure.ts';
import { isoTimeOf } from './reset-time.ts';

/** What conductor does after an agent failed. */
export type NextMove =
  /** `reason` says why the step is not parked although it could be. */
  | { readonly kind: 'end'; readonly reason?: string }
  | { readonly kind: 'retry'; readonly delayMs: number }
  /** The wait is long: the run is parked until then, and its process may exit. */
  | { readonly kind: 'park'; readonly until: string };

/** How often and how long the current visit of a step has been parked, and how long it may be in total. */
export interface Parking {
  readonly count: number;
  readonly spentMs: number;
  readonly limitMs: number;
}

export interface MoveFacts {
  readonly nowMs: number;
  /** Number of starts so far, including the failed one. */
  readonly starts: number;
  /** Maximum number of restarts. */
  readonly retries: number;
  /** Time until the limit resets; null if unknown. */
  readonly resetInMs: number | null;
  /** Remaining time of the step. */
  readonly leftMs: number;
  /** A random number between 0 and 1. */
  readonly chance: number;
  readonly parking: Parking;
}

const FIRST_DELAY_MS = 2_000;
const LONGEST_DELAY_MS = 60_000;

/** A run waits for a limit that resets within this time; otherwise it is parked. */
export const LONGEST_STAY_MS = 60_000;

/** How long a step is parked for a limit of unknown length; the last duration repeats. */
const PARKING_MS = [1, 2, 5, 15, 30, 60].map((minutes) => minutes * MINUTE_MS);

/** If less parking time than this is left, another start is not worth it. */
const SHORTEST_PARKING_MS = 5_000;

export function chooseNextMove(failure: AgentFailure, facts: MoveFacts): NextMove {
  switch (failure.class) {
    case 'overloaded':
    case 'network':
      return retry(facts, 0);
    case 'rate_limited':
      return failure.reset_at === null ? backOff(facts) : awaitReset(failure.reset_at, facts);
    case 'quota_exhausted':
      if (failure.reset_at !== null) return awaitReset(failure.reset_at, facts);
      return resetsByItself(failure.message) ? backOff(facts) : END;
    case 'authentication':
    case 'crash':
    case 'refused_tool':
    case 'no_result':
      return END;
  }
}

const END: NextMove = { kind: 'end' };

/** A usage limit resets by itself; an account without credit needs a user. */
function resetsByItself(message: string): boolean {
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
    return {
      kind: 'end',
      reason: `the step was parked for ${durationText(limitMs)} in total; ${LIMIT_HELP}`,
    };
  const stepMs = PARKING_MS[Math.min(count, PARKING_MS.length - 1)] ?? MINUTE_MS;
  return { kind: 'park', until: isoTimeOf(facts.nowMs + Math.min(Math.max(stepMs, leastMs), leftMs)) };
}

function awaitReset(until: string, facts: MoveFacts): NextMove {
  const { resetInMs, leftMs, parking } = facts;
  if (resetInMs === null) return END;
  if (resetInMs <= LONGEST_STAY_MS && resetInMs <= leftMs) return backOff(facts, Math.max(0, resetInMs));
  const reason = explainOverlongParking(until, resetInMs, parking);
  return reason === null ? { kind: 'park', until } : { kind: 'end', reason };
}

/** Why a step must not be parked until a time; null if it may. */
export function explainOverlongParking(
  until: string,
  waitMs: number,
  { spentMs, limitMs }: Parking,
): string | null {
  if (spentMs + waitMs <= limitMs) return null;
  return `the limit resets at ${until}, but a step is parked for at most ${durationText(limitMs)}; ${LIMIT_HELP}`;
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
  // At least half of the delay, so that runs that failed together retry neither at once nor at the same time.
  const delayMs = Math.round(leastMs + grown / 2 + (grown / 2) * chance);
  return delayMs >= leftMs ? END : { kind: 'retry', delayMs };
}
