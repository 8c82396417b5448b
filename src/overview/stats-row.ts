import type { RunOutcome } from '../contracts/vocabulary.ts';

/** What agents spent; null means not reported, not zero. */
export interface Spent {
  readonly attempts: number;
  readonly tokens: number | null;
  readonly costUsd: number | null;
}

/** The part of a run that one agent did with one model and one prompt. */
export interface AgentShare extends Spent {
  readonly agent: string;
  /** Null if not recorded. */
  readonly model: string | null;
  /** `coder.implement.v2`; null for an inline prompt. */
  readonly prompt: string | null;
}

/** A run as `stats` sees it. */
export interface StatsRow extends Spent {
  readonly workflow: string;
  /** Null if the run has not ended. */
  readonly outcome: RunOutcome | null;
  /** The day of its start in UTC, counted from 1 January 1970. */
  readonly startedDay: number;
  /** From start to end; null if it has not ended. */
  readonly wallMs: number | null;
  /** What the evaluations of the run found; not divided among its agents. */
  readonly contradictions: number;
  readonly shares: readonly AgentShare[];
}

/** A run that counts: it has ended, and not because it was cancelled. */
export interface CountedRow extends StatsRow {
  readonly outcome: Exclude<RunOutcome, 'cancelled'>;
}

export function addSpent(a: Spent, b: Spent): Spent {
  return {
    attempts: a.attempts + b.attempts,
    tokens: addKnown(a.tokens, b.tokens),
    costUsd: addKnown(a.costUsd, b.costUsd),
  };
}

/** A sum with an unknown part is unknown: the known part alone would look cheap. */
function addKnown(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b;
}
