import { hostOf } from '../../notify/notification.ts';
import type { PostRequest } from '../../notify/requests.ts';
import { isTransientStatus, type SendResult } from '../../notify/retry.ts';

/** Time limit of one request, including its response. */
const POST_LIMIT_MS = 10_000;
/** More of a response is not read. */
const MAX_RESPONSE_BYTES = 64 * 1024;

/** What a receiver answered: whether it took the request, and the beginning of its text. */
export interface Exchange {
  readonly result: SendResult;
  readonly text: string;
}

export async function post(request: PostRequest, signal: AbortSignal): Promise<SendResult> {
  return (await exchange(request, signal)).result;
}

/** Sends one request. Messages name only the host: the path of a webhook is a secret. Proxies are left to Node. */
export async function exchange({ url, headers, body }: PostRequest, signal: AbortSignal): Promise<Exchange> {
  const host = hostOf(url);
  const limit = AbortSignal.timeout(POST_LIMIT_MS);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.any([limit, signal]),
    });
    const text = await readStart(response);
    return { result: describeResponse(host, response), text };
  } catch (error) {
    const message =
      limit.aborted || signal.aborted ? `${host} did not answer in time` : `${host}: ${causeOf(error)}`;
    return { result: { ok: false, message, isTransient: true, retryAfterMs: null }, text: '' };
  }
}

/** Reads a bounded part of the response, so that the connection can end. */
async function readStart({ body }: Response): Promise<string> {
  if (body === null) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_RESPONSE_BYTES) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}

function describeResponse(host: string, response: Response): SendResult {
  const { status } = response;
  if (response.ok) return { ok: true };
  if (status >= 300 && status < 400)
    return {
      ok: false,
      message: `${host} answered with a redirect (HTTP ${status}), which is not followed: correct the address`,
      isTransient: false,
      retryAfterMs: null,
    };
  return {
    ok: false,
    message: `${host} answered HTTP ${status}`,
    isTransient: isTransientStatus(status),
    retryAfterMs: parseRetryAfter(response.headers.get('retry-after')),
  };
}

/** Seconds, or a date. */
function parseRetryAfter(value: string | null): number | null {
  if (value === null) return null;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1_000);
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, at - Date.now());
}

/** The code of a network error, such as ECONNREFUSED. Messages of `fetch` may contain the address. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (typeof cause === 'object' && cause !== null && 'code' in cause) return String(cause.code);
  return 'the request failed';
}
