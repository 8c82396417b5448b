import * as z from 'zod';
import type { ProcessEnd, StoppedEnd } from '../../contracts/run/process-end.ts';
import { httpStatus, REFUSED_TOOL, statusIn } from '../failure.ts';
import type { TimeLimits } from '../process-reason.ts';
import { decideVerdict, NO_RESULT, type StreamProblem, type Verdict } from '../stream-verdict.ts';
import { truncateEntry } from '../transcript.ts';
import { type AcpState, isLoginMissing } from './acp-session.ts';
import type { RpcError } from './json-rpc.ts';

const CLEAN_EXIT: ProcessEnd = { kind: 'exited', exitCode: 0 };

const PROMPT_HELP =
  'with approval: deny_interactive in the policy of the configuration it is refused, with bounded_auto_approve allowed';

/** How the agent's process ended. */
export interface EndedProcess {
  readonly end: ProcessEnd;
  readonly stderr: { readonly lastLine: string | null };
  readonly stopped: StoppedEnd | null;
  /** Whether files changed while it ran; only determined for a silent agent. */
  readonly hasWorked: boolean;
}

/**
 * The outcome of a session. A stopped agent has not succeeded. After the end of its turn only the turn
 * counts, not how its process ended, because many agents keep running until they are signalled.
 */
export function acpVerdict(
  state: AcpState,
  { end, stderr: { lastLine: lastError }, stopped, hasWorked }: EndedProcess,
  limits: TimeLimits,
): Verdict {
  if (stopped !== null) return decideVerdict({ problem: null }, stopped, lastError, limits);
  if (state.end?.kind === 'prompted') {
    const reason = `interactive_prompt_violation: the agent ${state.end.message}; ${PROMPT_HELP}`;
    return { termination: 'killed_policy', reason, traces: null };
  }
  if (state.end !== null)
    return decideVerdict({ problem: problemOf(state, hasWorked) }, CLEAN_EXIT, null, limits);
  const problem = { ...simpleProblem(`ended before ${state.phase} was answered`), code: NO_RESULT };
  return decideVerdict({ problem }, end, lastError, limits);
}

/** Whether the agent reported neither a message nor a tool call. */
export function isSilent({ activity }: AcpState): boolean {
  return activity.lastMessage === '' && activity.toolsUsed === 0;
}

function problemOf(state: AcpState, hasWorked: boolean): StreamProblem | null {
  const { end } = state;
  switch (end?.kind) {
    case 'turn_ended':
      return turnProblem(state, end.stopReason, hasWorked);
    case 'failed':
      return isLoginMissing(end) ? missingLogin(end.error) : rpcProblem(end.error);
    case 'unfit':
    case 'prompted':
      return simpleProblem(end.message);
    case undefined:
      return simpleProblem('has not ended');
  }
}

const STOP_REASONS: Readonly<Record<string, string>> = {
  max_tokens: 'reached the token limit of its model',
  max_turn_requests: 'reached its own limit of requests in one turn',
  refusal: 'ended its turn because the model refused',
  cancelled: 'cancelled its turn',
};

/**
 * Some agents report a failure of their provider as a message in a regular turn: qwen as `[API Error: …`,
 * copilot as `Error: … (HTTP 401)` after a line for each retry.
 */
const RETRY_NOTICE = /Info: Request failed[^\n]{0,200}?\.\.\./g;
const PROVIDER_FAILED = /^(?:\[API Error|(?:API )?Error: [^\n]{0,2000}?\b(?:HTTP|status) [45]\d\d\b)/;

function turnProblem(state: AcpState, stopReason: string, hasWorked: boolean): StreamProblem | null {
  const {
    answers: { denied },
    activity,
  } = state;
  if (stopReason !== 'end_turn') {
    const why = Object.hasOwn(STOP_REASONS, stopReason) ? STOP_REASONS[stopReason] : undefined;
    return {
      ...simpleProblem(why ?? `ended its turn with ${truncateEntry(stopReason, 100)}`),
      code: stopReason,
    };
  }
  if (denied.length > 0) {
    const calls = denied.map(({ subject, why }) => `${subject} (${why})`);
    const message = `was refused what the policy does not allow: ${calls.join(', ')}`;
    return {
      ...simpleProblem(message),
      code: REFUSED_TOOL,
      deniedTools: denied.map(({ subject }) => subject),
    };
  }
  const lastMessage = activity.lastMessage.replaceAll(RETRY_NOTICE, '').trimStart();
  if (PROVIDER_FAILED.test(lastMessage)) return providerProblem(lastMessage);
  const message = 'ended its turn without a message, a tool call or a changed file';
  return isSilent(state) && !hasWorked ? simpleProblem(message) : null;
}

function simpleProblem(message: string): StreamProblem {
  return { message, status: null, code: null, resets: null, deniedTools: [] };
}

function missingLogin({ message }: RpcError): StreamProblem {
  return { ...simpleProblem(`needs a login: ${message}`), code: 'authentication_error' };
}

const dataSchema = z.looseObject({
  status: z.int().nullish().catch(null),
  statusCode: z.int().nullish().catch(null),
  errorKind: z.string().nullish().catch(null),
  errorName: z.string().nullish().catch(null),
  details: z.string().nullish().catch(null),
});

/** Agents put the provider's error into different fields. */
function rpcProblem({ code, message, data }: RpcError): StreamProblem {
  const more = dataSchema.safeParse(data).data;
  const details = more?.details ?? (typeof data === 'string' ? data : null);
  const words = details === null || message.includes(details) ? message : `${message}: ${details}`;
  const problem = providerProblem(words.replace(/^Internal error: /, ''));
  return {
    ...problem,
    status: httpStatus(more?.status) ?? httpStatus(more?.statusCode) ?? httpStatus(code) ?? problem.status,
    code: more?.errorKind ?? more?.errorName ?? String(code),
    resets: data === undefined || data === null ? null : truncateEntry(JSON.stringify(data), 2_000),
  };
}

function providerProblem(words: string): StreamProblem {
  return { ...simpleProblem(`reported an error: ${truncateEntry(words, 2_000)}`), status: statusIn(words) };
}
