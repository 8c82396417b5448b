import { hostOf } from '../../notify/notification.ts';
import type { PostRequest } from '../../notify/requests.ts';
import { isTransientStatus, type SendResult } from '../../notify/retry.ts';

/** Time limit of one request, including its response. */
const POST_LIMIT_MS = 10_000;
/** More of a response is not read. */
const MAX_RESPONSE_BYTES = 64 * 1024;

/** Sends one request. Messages name only the host: the path of a webhook is a secret. Proxies are left to Node. */
export async function post({ url, headers, body }: PostRequest, signal: AbortSignal): Promise<SendResult> {
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
    await drain(response);
    return describeResponse(host, response);
  } catch (error) {
    const message =
      limit.aborted || signal.aborted ? `${host} did not answer in time` : `${host}: ${causeOf(error)}`;
    return { ok: false, message, isTransient: true, retryAfterMs: null };
  }
}

/** Reads a bounded part of the response, so that the connection can end. */
async function drain({ body }: Response): Promise<void> {
  if (body === null) return;
  let bytes = 0;
  for await (const chunk of body) {
    bytes += (chunk as Uint8Array).length;
    if (bytes > MAX_RESPONSE_BYTES) return;
  }
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
