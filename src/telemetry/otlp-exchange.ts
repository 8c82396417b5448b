import { hostOf } from '../notify/notification.ts';
import { parseJson } from '../text/json.ts';
import type { OtlpDocument } from './otlp.ts';

const NAME_PREFIX = 'telemetry:';

/** The name under which an export to this endpoint is recorded, without its path: `telemetry:HOST`. */
export function nameEndpoint(endpoint: string): string {
  return `${NAME_PREFIX}${hostOf(endpoint)}`;
}

/** Whether a recorded target is an endpoint for telemetry, and no target of notifications. */
export function isEndpointName(target: string): boolean {
  return target.startsWith(NAME_PREFIX);
}

/** The address for one signal: the endpoint is a base, as in `OTEL_EXPORTER_OTLP_ENDPOINT`. */
export function addressOf(endpoint: string, signal: OtlpDocument['signal']): string {
  return `${endpoint.replace(/\/+$/, '')}/v1/${signal}`;
}

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;

/**
 * Reads headers as in `OTEL_EXPORTER_OTLP_HEADERS`: `name=value,other=value`, with values percent-encoded. Null if the
 * text has another form; no part of it may appear in a message, because it is a secret.
 */
export function parseHeaders(text: string): Readonly<Record<string, string>> | null {
  const headers: Record<string, string> = {};
  for (const pair of text.split(',')) {
    if (pair.trim() === '') continue;
    const at = pair.indexOf('=');
    const name = pair.slice(0, Math.max(at, 0)).trim();
    const value = decode(pair.slice(at + 1).trim());
    if (at < 0 || value === null || !HEADER_NAME.test(name) || !HEADER_VALUE.test(value)) return null;
    headers[name.toLowerCase()] = value;
  }
  return Object.keys(headers).length === 0 ? null : headers;
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** Why a receiver that answered with success dropped a part of a request; null if it took everything. */
export function findRejection(body: string): string | null {
  const answer = parseJson(body);
  const partial = fieldOf(answer, 'partialSuccess');
  const rejected = Number(fieldOf(partial, 'rejectedSpans') ?? fieldOf(partial, 'rejectedDataPoints') ?? 0);
  if (!(rejected > 0)) return null;
  const message = fieldOf(partial, 'errorMessage');
  return `rejected ${rejected} items${typeof message === 'string' && message !== '' ? `: ${message}` : ''}`;
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? Reflect.get(value, key)
    : undefined;
}
