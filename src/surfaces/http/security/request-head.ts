import type { IncomingMessage } from 'node:http';

/** What can be refused before a request is routed: its target and its headers, as they came. */
export interface RequestHead {
  readonly method: string;
  /** The request target, which may be any text. */
  readonly target: string;
  /** Names and values in turn, so that a header that came twice is there twice. */
  readonly rawHeaders: readonly string[];
}

export function headOf({
  method = '',
  url = '',
  rawHeaders,
}: Pick<IncomingMessage, 'method' | 'url' | 'rawHeaders'>): RequestHead {
  return { method, target: url, rawHeaders };
}

/** Why a request is refused. */
export interface Refusal {
  readonly status: 400 | 401 | 403 | 404 | 405 | 408 | 413 | 415 | 417 | 421 | 429 | 431;
  readonly code: string;
  readonly message: string;
  readonly help: string | null;
}

/** All values of a header. */
export function headerValues(
  { rawHeaders }: Pick<RequestHead, 'rawHeaders'>,
  name: string,
): readonly string[] {
  const values: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.toLowerCase() === name) values.push(rawHeaders[index + 1] ?? '');
  return values;
}

/** The value of a header that came exactly once; null if it is missing, `twice` if it came several times. */
export function singleHeader(
  head: Pick<RequestHead, 'rawHeaders'>,
  name: string,
): string | null | { readonly kind: 'twice' } {
  const [first, ...more] = headerValues(head, name);
  if (first === undefined) return null;
  return more.length === 0 ? first : { kind: 'twice' };
}
