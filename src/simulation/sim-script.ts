import type { Usage } from '../contracts/run/agent-result.ts';
import type { RouteKey } from '../contracts/vocabulary.ts';
import type { SimWrite } from './sim-repo.ts';

/**
 * Determines the outcomes in a simulated run. The same visit always has the same outcome, however often it is
 * interrupted.
 */
export interface SimScript {
  readonly name: string;
  /** The route key by which the n-th visit of a step ends. */
  readonly keyOf: (stepId: string, visit: number) => RouteKey;
  readonly habitsOf: (stepId: string, visit: number) => SimHabits;
  /** The part of the preparation that fails, every time. */
  readonly preparationFails?: 'setup' | 'baseline';
  /** Whether the checks fail at the base. */
  readonly isBaseRed?: boolean;
  /** What the user does to the run's branch when answering a gate. */
  readonly userTouchesBranch?: 'moves' | 'deletes';
}

/** The behaviour of a visit apart from its key. */
export interface SimHabits {
  readonly writes: readonly SimWrite[];
  readonly usage: Usage | null;
  readonly durationMs: number;
  /** Number of proposed goldens; null for a validator without a report. */
  readonly proposals: number | null;
  /** Evaluate with the built-in rules, whatever the key says. */
  readonly evaluatedByRules: boolean;
  readonly comment: string | null;
  /**
   * How long the quota of the agent's account is exhausted from the start of the visit; null if it is not.
   */
  readonly quotaExhaustedMs: number | null;
  /** The transcript of the agent is missing, as if a program had removed it. */
  readonly leavesNoTranscript: boolean;
}

/** A program that appends a line to two files, so that repeated work shows. */
export function plainHabits(stepId: string, visit: number): SimHabits {
  const line = `${stepId} ${visit}`;
  return {
    writes: [
      { path: 'work.txt', line },
      { path: `${stepId}.txt`, line },
    ],
    usage: { input_tokens: 2, output_tokens: 1 },
    durationMs: 1_500,
    proposals: null,
    evaluatedByRules: false,
    comment: visit === 1 ? `seen ${line}` : null,
    quotaExhaustedMs: null,
    leavesNoTranscript: false,
  };
}
