import type { AgentFailure, FailureClass, FailureTraces } from '../contracts/run/agent-failure.ts';
import type { ProcessEnd } from '../contracts/run/process-end.ts';
import { isoTimeOf, resetTimeIn } from './reset-time.ts';

/** For adapters without further information. */
export const NO_TRACES: FailureTraces = {
  status: null,
  code: null,
  message: '',
  retryAfterMs: null,
  resetAt: null,
  deniedTools: [],
};

/**
 * Classifies a failure. The messages of the agent and its provider take precedence; the end of the process
 * counts only if they say nothing. `nowMs` resolves relative times such as "in two hours"; without it they
 * stay unknown.
 */
export function classifyFailure(
  traces: FailureTraces,
  end: ProcessEnd,
  nowMs: number | null = null,
): AgentFailure {
  const failureClass = pickClass(traces, end);
  const resets = failureClass === 'rate_limited' || failureClass === 'quota_exhausted';
  return {
    class: failureClass,
    message: pickMessage(traces, end, failureClass),
    reset_at: resets || failureClass === 'overloaded' ? readResetTime(traces, nowMs) : null,
    help: helpFor(failureClass, traces.deniedTools),
  };
}

function pickClass(traces: FailureTraces, end: ProcessEnd): FailureClass {
  // The name of a refused tool may contain any of the other signs.
  if (traces.code === REFUSED_TOOL) return 'refused_tool';
  return (
    messageClass(traces) ??
    statusClass(traces.status) ??
    (traces.deniedTools.length > 0 ? 'refused_tool' : null) ??
    (traces.status === null && hasCrashed(end) ? 'crash' : 'no_result')
  );
}

/** The code of a failure that consists only of refused tools. */
export const REFUSED_TOOL = 'refused_tool';

/** The first match wins: messages are often more specific than a status. */
const SIGNS: readonly (readonly [FailureClass, RegExp])[] = [
  [
    'quota_exhausted',
    anyOf(
      /insufficient_quota|quota_exceeded|exceeded your current quota|quota exceeded|quota will reset|payment required/,
      /exhausted your (?:[\w-]+ ){0,2}(?:quota|capacity)|RESOURCE_EXHAUSTED.*per day/,
      /credit balance is too low|insufficient (?:balance|credits?|funds)|out of (?:credits?|(?:extra )?usage|quota)/,
      /billing_(?:error|hard_limit)|usage_(?:limit_reached|not_included)|(?<!not your )usage (?:limit|cap)/,
      /(?:hit|reached) your (?:(?!rate|per-)[\w-]+ ){0,3}(?:limit|quota)|limits? will reset/,
      /(?:session|weekly|daily|monthly|5-hour|spend(?:ing)?) (?:limit|cap) (?:has been )?reached/,
    ),
  ],
  [
    'authentication',
    anyOf(
      /authentication[_ ](?:error|failed|required)|failed to authenticate|permission_error|oauth_org_not_allowed/,
      /invalid[_ -](?:x-)?api[_ -]?key|incorrect api key|api_key_invalid|no api key|missing (?:bearer|api key)/,
      /api key (?:not found|not valid|is missing|is invalid)|invalid (?:authentication|bearer token)/,
      /(?:token|login|session|credentials?|api key) (?:is |has |have )?(?:been )?(?:expired|ended|invalidated|revoked)/,
      /not logged in|please run \/login|(?:please|need to) (?:log|sign) ?in|be (?:logged|signed) in|(?:log|sign)(?:ging|ing)? in again/,
      /refresh token|unauthorized|403 forbidden|"forbidden"|missing environment variable|set an auth method/,
      /could not resolve authentication method|organization has been disabled|country, region, or territory not supported/,
    ),
  ],
  [
    'overloaded',
    anyOf(
      /overloaded(?:_error)?|server_is_overloaded|engine_overloaded|slow_down|at capacity|high demand/,
      /temporarily unavailable|503 unavailable/,
    ),
  ],
  [
    'rate_limited',
    anyOf(
      /rate[_ -]?limit|too many requests|requests per min|tokens per min|RESOURCE_EXHAUSTED/,
      // As a status, not as any number.
      /(?:^|[:(]\s*|\b(?:error|status|code|http)\s)429\b/m,
    ),
  ],
  [
    'network',
    anyOf(
      /ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH|UND_ERR_/,
      /socket hang up|socket connection was closed|fetch failed|TypeError: terminated|unable to connect/,
      /connection (?:error|refused|reset|closed|was closed)|error sending request|stream (?:disconnected|closed)/,
      /dns error|name resolution|could not resolve host|network (?:error|is unreachable)|certificate|_CERT(?:_|\b)/,
      /(?:request|operation|connection) timed out|timed? ?out waiting|gateway time-?out/,
      /api_error|server_error|internal server error|server had an error|bad gateway|service unavailable/,
      /response stream|unexpected end of (?:json|stream)/,
    ),
  ],
];

function anyOf(...signs: readonly RegExp[]): RegExp {
  return new RegExp(signs.map(({ source }) => source).join('|'), 'im');
}

function messageClass({ code, message, status }: FailureTraces): FailureClass | null {
  const text = `${code ?? ''}\n${message}`;
  const found = SIGNS.find(([, sign]) => sign.test(text))?.[0] ?? null;
  // If the provider returned a status, the status outweighs a message that only sounds like a network failure.
  if (found === 'network' && status !== null && statusClass(status) !== 'network') return null;
  return found;
}

/** The provider's status in an agent's message: `API Error: 401`, `last status: 429`, `Request rejected (429)`. */
export function statusIn(message: string): number | null {
  const [, first, second, third] =
    /(?:\berror:? |\bstatus(?: code)?:? |\bHTTP )(\d{3})\b|\((\d{3})\)|^\s*(\d{3}) /i.exec(message) ?? [];
  return httpStatus(Number(first ?? second ?? third));
}

/** Null for a number that is not an error status. */
export function httpStatus(value: number | null | undefined): number | null {
  return value !== null && value !== undefined && value >= 400 && value <= 599 ? value : null;
}

function statusClass(status: number | null): FailureClass | null {
  if (status === null) return null;
  if (status === 401 || status === 403) return 'authentication';
  if (status === 402) return 'quota_exhausted';
  if (status === 429) return 'rate_limited';
  if (status === 529 || status === 503) return 'overloaded';
  // A server error needs the same remedy as a broken connection: a retry.
  return status >= 500 || status === 408 ? 'network' : null;
}

/** Whether the process was killed, failed to start, or exited with an error. */
function hasCrashed(end: ProcessEnd): boolean {
  return (
    end.kind === 'signalled' || end.kind === 'spawn_failed' || (end.kind === 'exited' && end.exitCode !== 0)
  );
}

function pickMessage(traces: FailureTraces, end: ProcessEnd, failureClass: FailureClass): string {
  const said = traces.message.trim();
  if (said !== '') return said;
  if (traces.status !== null) return `the provider answered with status ${traces.status}`;
  if (failureClass === 'refused_tool')
    return `the agent was not allowed to use ${traces.deniedTools.join(', ')}`;
  switch (end.kind) {
    case 'exited':
      return end.exitCode === 0
        ? 'the agent ended without a result'
        : `the agent exited with code ${end.exitCode} without a result`;
    case 'signalled':
      return `the agent was killed by ${end.signal}`;
    case 'spawn_failed':
      return end.message;
    case 'timeout':
      return 'the agent timed out';
    case 'idle':
      return 'the agent printed nothing for too long';
    case 'bound':
      return `the agent was stopped: ${end.message}`;
    case 'cancelled':
      return 'the agent was cancelled';
  }
}

function readResetTime(
  { resetAt: reported, retryAfterMs, message }: FailureTraces,
  nowMs: number | null,
): string | null {
  const exact = reported === null ? null : resetTimeIn(reported.replace(/^(?=\d{10,13}$)/, '|'), nowMs);
  if (exact !== null) return isoTimeOf(exact);
  if (retryAfterMs !== null && nowMs !== null) return isoTimeOf(nowMs + retryAfterMs);
  const read = resetTimeIn(message, nowMs);
  return read === null ? null : isoTimeOf(read);
}

/** What the user can do about the failure. */
export function helpFor(failureClass: FailureClass, deniedTools: readonly string[] = []): string {
  switch (failureClass) {
    case 'overloaded':
      return 'the provider is overloaded; try again later, or use another model or agent';
    case 'rate_limited':
      return 'wait until the limit resets, run fewer agents at once, or ask the provider for a higher limit';
    case 'quota_exhausted':
      return "wait until the quota resets, or add credit or upgrade the provider's plan";
    case 'authentication':
      return "log in with the agent's own command, or set its key; `conductor doctor` shows what is configured";
    case 'network':
      return "check that this machine can reach the provider: proxy, base URL, the provider's status page";
    case 'crash':
      return 'see its stderr in the evidence; `conductor agents test NAME` tests the agent by itself';
    case 'refused_tool':
      return `allow ${deniedTools.length === 0 ? 'the tool' : deniedTools.join(', ')} in the policy of the step, or change the prompt so that it is not needed`;
    case 'no_result':
      return 'see where the transcript stops; `conductor agents test NAME` tests the agent by itself';
  }
}
