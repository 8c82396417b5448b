import type { FailureTraces } from '../contracts/agent-failure.ts';
import type { AgentResultFile, Usage } from '../contracts/agent-result.ts';
import { outcomeOfEnd, type ProcessEnd } from '../contracts/process-end.ts';
import { colon, processReason, type TimeLimits } from './process-reason.ts';
import type { TranscriptEntry } from './transcript.ts';

/** What one event of an agent's stream came to. */
export interface Folded<State> {
  readonly state: State;
  readonly entries: readonly TranscriptEntry[];
}

/** How the stream of one agent is read. Nothing in it knows of processes or files. */
export interface AgentStream<State> {
  readonly start: State;
  /** `atMs` is when it came, on any clock that goes on steadily. */
  readonly fold: (state: State, event: unknown, atMs: number) => Folded<State>;
  readonly told: (state: State) => StreamTold;
}

/** What the stream has told so far. */
export interface StreamTold {
  readonly sessionId: string | null;
  readonly model: string | null;
  /** Empty when it said nothing. */
  readonly finalResponse: string;
  /** Null where it told nothing of its use. */
  readonly usage: Usage | null;
  /** Null when the stream itself tells of success. */
  readonly problem: StreamProblem | null;
}

export interface StreamProblem {
  /** For people, as in `the agent …`. */
  readonly message: string;
  readonly status: number | null;
  readonly code: string | null;
  /** What was told of when a limit ends, beside the message: a number, or words and numbers with names. */
  readonly resets: string | null;
  readonly deniedTools: readonly string[];
}

export interface Verdict {
  readonly termination: ReturnType<typeof outcomeOfEnd>;
  /** Null when it succeeded. */
  readonly reason: string | null;
  /** What is known of a failure that was the agent's own; null when there was none, or somebody ended it. */
  readonly traces: FailureTraces | null;
}

/** Nothing on the stream says how it ended: what the process says is then all there is to go by. */
export const NO_RESULT = 'no_result';

/** Success takes both: the stream tells of it, and the process ended with code 0. Who was ended has not succeeded. */
export function verdictOf(
  { problem }: Pick<StreamTold, 'problem'>,
  end: ProcessEnd,
  lastError: string | null,
  limits: TimeLimits,
): Verdict {
  const termination = outcomeOfEnd(end);
  const reason = processReason(end, lastError, limits);
  if (termination !== 'completed' && termination !== 'error') return { termination, reason, traces: null };
  if (problem === null) return reason === null ? { termination, reason, traces: null } : failed(reason, null);
  const told = `the agent ${problem.message}`;
  if (end.kind !== 'exited') return failed(reason ?? told, problem);
  return failed(problem.code === NO_RESULT ? (reason ?? `${told}${colon(lastError)}`) : told, problem);
}

function failed(reason: string, problem: StreamProblem | null): Verdict {
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

/** What counts as its result file: it writes none, so the tail of its last word and what it used. */
export function resultOf(tail: AgentResultFile | null, usage: Usage | null): AgentResultFile | null {
  if (tail === null && usage === null) return null;
  return { ...tail, ...(usage === null ? {} : { usage }) };
}
