import type { PlannerInput } from '../contracts/planner/planner-input.ts';
import type { Evaluation } from '../contracts/planner/planner-trace.ts';

/** Evaluates evidence. The answer always matches its schema; failures are reported in it as blockers. */
export interface Planner {
  /** Shown in events: `rules`, `model:…`, `agent:…`. */
  readonly name: string;
  /** The external service that the planner calls; missing for rules, which call none. */
  readonly family?: 'model' | 'agent';
  /** Null if the planner is available; otherwise a message for the user. Missing if it is always available. */
  readonly explainUnavailable?: () => Promise<string | null>;
  /** Rejects only if the signal is aborted. */
  readonly evaluate: (
    input: PlannerInput,
    signal: AbortSignal,
    asking?: EvaluateOptions,
  ) => Promise<Evaluation>;
}

/** Options that a run adds. Missing for an envelope that comes from a file. */
export interface EvaluateOptions {
  /** Wall-clock limit of the whole evaluation. */
  readonly timeoutMs?: number;
  /** How long a planner process may be silent. */
  readonly idleTimeoutMs?: number;
  /** The mark of started processes, so that a process that resumes the run can kill them. */
  readonly mark?: string;
  /** Provides prompt inputs that the envelope does not contain. */
  readonly inputs?: (names: readonly string[]) => Promise<Readonly<Record<string, unknown>>>;
}
