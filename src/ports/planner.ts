import type { PlannerInput } from '../contracts/planner-input.ts';
import type { Judgement } from '../contracts/planner-trace.ts';

/** Judges evidence. The answer always fits its schema; what went wrong on the way is a blocker in it. */
export interface Planner {
  /** Shown in events: `rules`, `model:…`, `agent:…`. */
  readonly name: string;
  /** Whether somebody outside is asked: a model or an agent. Left out for rules, which ask nobody. */
  readonly family?: 'model' | 'agent';
  /** Null when it can be asked; otherwise what is missing, for the user. Left out where nothing can be. */
  readonly unavailable?: () => Promise<string | null>;
  /** Rejects only when the signal is aborted: a judgement that nobody waits for is none. */
  readonly judge: (input: PlannerInput, signal: AbortSignal, asking?: Asking) => Promise<Judgement>;
}

/** What a run adds to the question. An envelope that comes from a file has none of it. */
export interface Asking {
  /** Wall clock of the whole judgement. */
  readonly timeoutMs?: number;
  /** Silence of a process that is asked. */
  readonly idleTimeoutMs?: number;
  /** Set for processes that are started, so that whoever resumes the run can end them. */
  readonly mark?: string;
  /** Values of those prompt inputs that an envelope does not hold. */
  readonly inputs?: (names: readonly string[]) => Promise<Readonly<Record<string, unknown>>>;
}
