import type { ErrorDocument } from '../../../src/contracts/http/session-documents.ts';
import { createStore } from '../state/store.ts';

/** A request that was refused or did not arrive. `status` is 0 if the server can't be reached. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly help: string | null;
  /** The whole document, for refusals that carry the new state. */
  readonly body: unknown;

  constructor(status: number, code: string, message: string, help: string | null, body: unknown = null) {
    super(message);
    this.status = status;
    this.code = code;
    this.help = help;
    this.body = body;
  }
}

/** Whether the server knows this browser. `unpaired` once any request is refused for lack of a session. */
export const access = createStore<'unknown' | 'paired' | 'unpaired'>('unknown');

export async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await request(path, { signal: signal ?? null })) as T;
}

export async function postJson<T>(path: string, body: object): Promise<T> {
  const headers = { 'content-type': 'application/json' };
  return (await request(path, { method: 'POST', headers, body: JSON.stringify(body) })) as T;
}

export async function deleteJson(path: string): Promise<void> {
  await request(path, { method: 'DELETE', headers: { 'content-type': 'application/json' } });
}

async function request(path: string, init: RequestInit): Promise<unknown> {
  const response = await send(path, init);
  const body = await readBody(response);
  if (response.ok) {
    access.set('paired');
    return body;
  }
  if (response.status === 401) access.set('unpaired');
  const refusal = (body as Partial<ErrorDocument> | null)?.error;
  throw new ApiError(
    response.status,
    refusal?.code ?? 'unexpected',
    refusal?.message ?? `the server answered ${response.status}`,
    refusal?.help ?? null,
    body,
  );
}

async function send(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, { ...init, credentials: 'same-origin', cache: 'no-store' });
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
    throw new ApiError(0, 'unreachable', 'the server can’t be reached', 'Is `conductor serve` running?');
  }
}

/** Null for a body that is no JSON, such as an error page of something in between. */
async function readBody(response: Response): Promise<unknown> {
  try {
    return (await response.json()) as unknown;
  } catch {
    return null;
  }
}
