import { headerValues, type Refusal, type RequestHead, singleHeader } from './request-head.ts';
import type { ServedPlaces } from './served-places.ts';

const METHODS = ['GET', 'POST', 'DELETE'];
const MAX_TARGET_LENGTH = 4_096;
const MAX_HEADERS = 64;

/**
 * Refuses a request by its head alone; null if it may be routed. Everything that is missing, duplicate or odd is
 * refused: only a browser that shows this page, or a program that asks it openly, sends what passes.
 */
export function refuseRequest(head: RequestHead, places: ServedPlaces): Refusal | null {
  return (
    refuseAmount(head) ??
    refuseTarget(head) ??
    refuseHost(head, places) ??
    refuseMethod(head) ??
    refuseSite(head, places, changesState(head.method) ? 'change' : 'page') ??
    refuseBody(head)
  );
}

/** Node drops headers above its own limit without a word, so that a second `Host` could hide behind them. */
function refuseAmount({ rawHeaders }: RequestHead): Refusal | null {
  if (rawHeaders.length <= 2 * MAX_HEADERS) return null;
  return {
    status: 431,
    code: 'many_headers',
    message: `the request has more than ${MAX_HEADERS} headers`,
    help: null,
  };
}

/** Only the origin form `/path?query`. An absolute target has a host of its own, beside the one in the header. */
function refuseTarget({ target }: RequestHead): Refusal | null {
  if (!/^\/(?!\/)[!-~]*$/.test(target) || /[\\#]/.test(target))
    return bad('odd_target', 'the request target is not a path', 'send the path alone: GET /api/session');
  if (target.length > MAX_TARGET_LENGTH)
    return bad('long_target', `the request target has more than ${MAX_TARGET_LENGTH} characters`);
  return null;
}

function refuseHost(head: RequestHead, { hosts }: ServedPlaces): Refusal | null {
  const host = singleHeader(head, 'host');
  if (host === null) return bad('missing_host', 'the request has no Host header');
  if (typeof host !== 'string') return bad('duplicate_host', 'the request has several Host headers');
  if (hosts.has(host.toLowerCase())) return null;
  return {
    status: 421,
    code: 'foreign_host',
    message: 'this server does not answer for that host',
    help: `open the address that conductor serve printed: ${[...hosts].join(', ')}`,
  };
}

function refuseMethod({ method }: RequestHead): Refusal | null {
  if (METHODS.includes(method)) return null;
  return { status: 405, code: 'method', message: `${method} is not supported`, help: null };
}

/** Whether a request changes something. */
function changesState(method: string): boolean {
  return method !== 'GET';
}

/** What a request does: open a page, read a document or a file, read a stream, or change something. */
export type RequestPurpose = 'page' | 'read' | 'stream' | 'change';

/**
 * Other pages may link to this page, but not use its interface. The router applies this rule to each route: what a target
 * leads to is known only after its escapes and dots are resolved.
 */
export function refuseSite(
  head: RequestHead,
  { origins }: ServedPlaces,
  purpose: RequestPurpose,
): Refusal | null {
  const origin = singleHeader(head, 'origin');
  const site = singleHeader(head, 'sec-fetch-site');
  if (typeof origin === 'object' && origin !== null)
    return bad('duplicate_origin', 'the request has several Origin headers');
  if (typeof site === 'object' && site !== null)
    return bad('duplicate_site', 'the request has several Sec-Fetch-Site headers');
  if (purpose === 'page') return null;
  if (origin === null && purpose === 'change')
    return forbidden('missing_origin', 'a request that changes something needs an Origin header');
  if (origin !== null && !origins.has(origin))
    return forbidden('foreign_origin', 'the request comes from another page');
  // Browsers send it only to addresses that they consider trustworthy, so it may be missing.
  if (site === null || site === 'same-origin') return null;
  // An address that the user typed.
  if (site === 'none' && purpose === 'read') return null;
  return forbidden('foreign_site', 'the request comes from another page');
}

/** A body is JSON and has a known length: a form, or what a page can send without asking, never is. */
function refuseBody(head: RequestHead): Refusal | null {
  const length = singleHeader(head, 'content-length');
  const encodings = headerValues(head, 'transfer-encoding');
  const type = singleHeader(head, 'content-type');
  if (typeof length === 'object' && length !== null)
    return bad('duplicate_length', 'the request has several Content-Length headers');
  if (encodings.length > 0)
    return bad('chunked_body', 'the request has a body of unknown length', 'send Content-Length');
  if (headerValues(head, 'content-encoding').length > 0)
    return bad('encoded_body', 'the body of the request is encoded', 'send plain JSON');
  if (length !== null && !/^\d{1,15}$/.test(length))
    return bad('odd_length', 'Content-Length is not a number');
  const bytes = Number(length ?? 0);
  if (bytes > MAX_BODY_BYTES)
    return {
      status: 413,
      code: 'long_body',
      message: `the body has more than ${MAX_BODY_BYTES} bytes`,
      help: null,
    };
  if (head.method !== 'POST') return bytes === 0 ? null : bad('body', `${head.method} takes no body`);
  if (typeof type === 'string' && /^application\/json(?:\s*;\s*charset=utf-8)?$/i.test(type)) return null;
  return {
    status: 415,
    code: 'not_json',
    message: 'the body is not JSON',
    help: 'send Content-Type: application/json',
  };
}

const MAX_BODY_BYTES = 1_048_576;

function bad(code: string, message: string, help: string | null = null): Refusal {
  return { status: 400, code, message, help };
}

function forbidden(code: string, message: string): Refusal {
  return { status: 403, code, message, help: 'use the page at the address that conductor serve printed' };
}
