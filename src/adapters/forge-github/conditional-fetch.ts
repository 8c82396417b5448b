import type { TokenSource } from './tokens.ts';

const REQUEST_LIMIT_MS = 30_000;
/** Answers that are kept. The oldest is forgotten first. */
const MAX_KEPT = 2_000;

interface KeptAnswer {
  readonly etag: string;
  readonly body: string;
  readonly headers: Headers;
}

export interface ConditionalFetchDeps {
  readonly send: typeof fetch;
  readonly tokens: TokenSource;
  readonly signal: AbortSignal;
  /** Gets the headers of every answer. */
  readonly note: (headers: Readonly<Record<string, string>>) => void;
}

/**
 * A `fetch` that asks whether a known answer has changed: GitHub does not count a request whose answer is that it has not.
 * It also adds the token, so that nothing else of the client ever holds it.
 */
export function conditionalFetch({ send, tokens, signal, note }: ConditionalFetchDeps): typeof fetch {
  const kept = new Map<string, KeptAnswer>();
  return async (input, init = {}) => {
    const url = input instanceof Request ? input.url : String(input);
    const isRead = init.method === 'GET';
    const known = isRead ? kept.get(url) : undefined;
    const headers = new Headers(init.headers);
    headers.set('authorization', `token ${(await tokens.token()).secret}`);
    if (known !== undefined) headers.set('if-none-match', known.etag);
    const limit = AbortSignal.any([signal, AbortSignal.timeout(REQUEST_LIMIT_MS)]);
    const response = await send(url, { ...init, headers, signal: limit });
    note(Object.fromEntries(response.headers));
    if (known !== undefined && response.status === 304) return answerWith(url, known);
    const etag = response.headers.get('etag');
    if (!isRead || etag === null || response.status !== 200) return response;
    const answer = { etag, body: await response.text(), headers: response.headers };
    kept.delete(url);
    kept.set(url, answer);
    const [oldest] = kept.keys();
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    return answerWith(url, answer);
  };
}

/** A response that was made here has no address, which the reader of pages needs. */
function answerWith(url: string, { body, headers }: KeptAnswer): Response {
  const response = new Response(body, { status: 200, headers });
  Object.defineProperty(response, 'url', { value: url });
  return response;
}
