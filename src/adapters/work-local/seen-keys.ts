import { ExpectedFailure } from '../../contracts/expected-failure.ts';
import { sha256Hex } from '../../node/sha256.ts';
import { sortKeys } from '../../text/json.ts';
import type { Tables } from './database.ts';

/** The idempotency key of a write, and a digest of its content. */
export interface KeyedRequest {
  readonly key: string;
  readonly contentSha256: string;
}

export function digestRequest(key: string, kind: string, content: unknown): KeyedRequest {
  // A command that was read from the journal may have its keys in another order.
  const text = JSON.stringify([kind, sortKeys(content)]);
  return { key, contentSha256: sha256Hex(text) };
}

/** The stored answer; undefined for a new key. Only requests that changed something are stored. */
export function findStoredAnswer(tables: Tables, { key, contentSha256 }: KeyedRequest): unknown {
  const [row] = tables.all('SELECT content_sha256, answer FROM seen_keys WHERE key = ?', JSON.stringify(key));
  if (row === undefined) return undefined;
  if (row.content_sha256 !== contentSha256)
    throw new ExpectedFailure(`the key ${JSON.stringify(key)} was used before, for another request`);
  return JSON.parse(String(row.answer));
}

export function storeAnswer(tables: Tables, { key, contentSha256 }: KeyedRequest, answer: unknown): void {
  tables.run(
    'INSERT INTO seen_keys (key, content_sha256, answer) VALUES (?, ?, ?)',
    JSON.stringify(key),
    contentSha256,
    JSON.stringify(answer),
  );
}
