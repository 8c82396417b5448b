import type { FailureTraces } from '../contracts/run/agent-failure.ts';
import type { AgentResultFile, Usage } from '../contracts/run/agent-result.ts';
import { outcomeOfEnd, type ProcessEnd } from '../contracts/run/process-end.ts';
import { colon, processReason, type TimeLimits } from './process-reason.ts';
import type { TranscriptEntry } from './transcript.ts';

/** The result of one event of an agent's stream. */
export interface Folded<State> {
  readonly state: State;
  readonly entries: readonly TranscriptEntry[];
}

/** Reads the stream of one kind of agent, independently of processes and files. */
export interface AgentStream<State> {
  readonly start: State;
  /** `atMs` is the arrival time on a monotonic clock. */
  readonly fold: (state: State, event: unknown, atMs: number) => Folded<State>;
  readonly report: (state: State) => StreamReport;
}

/** What the stream has reported so far. */
export interface StreamReport {
  readonly sessionId: string | null;
  readonly model: string | null;
  /** Empty if the agent sent no message. */
  readonly finalResponse: string;
  /** Null if no usage was reported. */
  readonly usage: Usage | null;
  /** Null if the stream reports success. */
  readonly problem: StreamProblem | null;
}

export interface StreamProblem {
  /** Completes `the agent …`. */
  readonly message: string;
  readonly status: number | null;
  readonly code: string | null;
  /** The reset time of a limit besides the message: a number, or text with named numbers. */
  readonly resets: string | null;
  readonly deniedTools: readonly string[];
}

export interface Verdict {
  readonly termination: ReturnType<typeof outcomeOfEnd>;
  /** Null for a success. */
  readonly reason: string | null;
  /** Details of a failure of the agent itself; null if it succeeded or was stopped. */
  readonly traces: FailureTraces | null;
}

/** The stream does not say how the agent ended, so only the process end counts. */
export const NO_RESULT = 'no_result';

/**
 * A success requires both: the stream reports it, and the process exited with code 0. A stopped agent has not
 * succeeded.
 */
export function decideVerdict(
  { problem }: Pick<StreamReport, 'problem'>,
  end: ProcessEnd,
  lastError: string | null,
  limits: TimeLimits,
): Verdict {
  const termination = outcomeOfEnd(end);
  const reason = processReason(end, lastError, limits);
  if (termination !== 'completed' && termination !== 'error') return { termination, reason, traces: null };
  if (problem === null)
    return reason === null ? { termination, reason, traces: null } : failureVerdict(reason, null);
  const description = `the agent ${problem.message}`;
  if (end.kind !== 'exited') return failureVerdict(reason ?? description, problem);
  return failureVerdict(
    problem.code === NO_RESULT ? (reason ?? `${description}${colon(lastError)}`) : description,
    problem,
  );
}

function failureVerdict(reason: string, problem: StreamProblem | null): Verdict {
  const traces = {
    status: problem?.status ?? null,
    code: problem === null || problem.code === NO_RESULT ? null : problem.code,
    message: reason,
    retryAfterMs: null,
    resetAt: problem?.resets ?? null,
    deniedTools: problem?.deniedTools ?? [],
  };
  return { termination: 'error', reason, traces };
}

/**
 * Stands in for a result file, which the agent does not write: the tail of its final response, and its usage.
 */
export function composeResult(tail: AgentResultFile | null, usage: Usage | null): AgentResultFile | null {
  if (tail === null && usage === null) return null;
  return { ...tail, ...(usage === null ? {} : { usage }) };
}
