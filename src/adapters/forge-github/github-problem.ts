import type { ForgeProblem } from '../../forge/forge-problem.ts';

/** What an answer of GitHub says, as far as the kind of a failure depends on it. */
export interface FailedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly message: string;
}

export interface FailedRequest {
  /** Names the request for a message: `opening a pull request`. */
  readonly what: string;
  readonly host: string;
  /** Where the token came from. */
  readonly source: string;
  readonly now: number;
}

/** GitHub's advice for a secondary limit without a header. */
const DEFAULT_WAIT_MS = 60_000;
const REFUSED = [405, 409, 422];

export function classifyAnswer(answer: FailedAnswer, request: FailedRequest): ForgeProblem {
  const { status, headers, message } = answer;
  const { what, host, source, now } = request;
  if (status === 403 || status === 429) {
    const retryAfter = Number(headers['retry-after']);
    if (headers['x-ratelimit-remaining'] === '0' && !(retryAfter > 0))
      return { kind: 'parked', reason: 'rate_limit', until: isoTime(resetOf(headers, now)) };
    if (retryAfter > 0 || status === 429 || /secondary rate|abuse detection/i.test(message)) {
      const until = now + (retryAfter > 0 ? retryAfter * 1000 : DEFAULT_WAIT_MS);
      return { kind: 'parked', reason: 'secondary_limit', until: isoTime(until) };
    }
  }
  if (status === 401) return { kind: 'token_refused', host, source };
  if (status === 403 || status === 404) {
    const accepted = missingScopes(headers);
    if (accepted !== null) return { kind: 'missing_scope', host, source, accepted };
    if (status === 404) return { kind: 'not_found', what };
    return { kind: 'forbidden', what, reason: message };
  }
  if (REFUSED.includes(status)) return { kind: 'conflict', what, reason: message };
  if (status >= 500 || status === 408) return { kind: 'unreachable', host, reason: `HTTP ${status}` };
  return { kind: 'refused', what, status, reason: message };
}

/** The scopes of which the token has none; null if a scope is not the reason. Fine-grained tokens have no scopes. */
function missingScopes(headers: FailedAnswer['headers']): readonly string[] | null {
  const accepted = listOf(headers['x-accepted-oauth-scopes']);
  const given = headers['x-oauth-scopes'];
  if (given === undefined || accepted.length === 0) return null;
  return accepted.some((scope) => listOf(given).includes(scope)) ? null : accepted;
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

function listOf(value: string | undefined): readonly string[] {
  return (value ?? '').split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));
}

function resetOf(headers: FailedAnswer['headers'], now: number): number {
  const reset = Number(headers['x-ratelimit-reset']) * 1000;
  return Number.isFinite(reset) && reset > now ? reset : now + DEFAULT_WAIT_MS;
}
