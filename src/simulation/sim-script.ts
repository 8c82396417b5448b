import type { Usage } from '../contracts/agent-result.ts';
import type { RouteKey } from '../contracts/vocabulary.ts';
import type { SimWrite } from './sim-repo.ts';

/** What the world says to a run. The same visit gets the same answer, however often it is interrupted. */
export interface SimScript {
  readonly name: string;
  /** The key by which the n-th visit of a step is to be left. */
  readonly keyOf: (stepId: string, visit: number) => RouteKey;
  readonly habitsOf: (stepId: string, visit: number) => SimHabits;
  /** What of the preparation fails, every time. */
  readonly preparationFails?: 'setup' | 'baseline';
  /** Whether the checks fail at the base. */
  readonly isBaseRed?: boolean;
  /** What the user does to the run's branch when they come to a gate. */
  readonly userTouchesBranch?: 'moves' | 'deletes';
}

/** How a visit goes apart from its key. */
export interface SimHabits {
  readonly writes: readonly SimWrite[];
  readonly usage: Usage | null;
  readonly durationMs: number;
  /** Proposed goldens; null is a validator without a report. */
  readonly proposals: number | null;
  /** The planner of the conductor judges what there is, whatever the key says. */
  readonly judgedByRules: boolean;
  readonly comment: string | null;
  /** How long the account of the agent is spent for when the visit begins; null where it is not. */
  readonly spentForMs: number | null;
  /** The agent's transcript is missing, as when a program takes it away. */
  readonly leavesNoTranscript: boolean;
}

/** A program that adds a line to two files, so that work done twice shows. */
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
    judgedByRules: false,
    comment: visit === 1 ? `seen ${line}` : null,
    spentForMs: null,
    leavesNoTranscript: false,
  };
}
