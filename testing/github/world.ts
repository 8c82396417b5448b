import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { createFaultList, Fault } from './faults.ts';
import type { createLimiter } from './limits.ts';
import { type DoubleState, fullNameOf, type Repository, type Token } from './state.ts';

/** What requests to the API and requests of git share. */
export interface World {
  readonly state: DoubleState;
  readonly origin: string;
  readonly requests: LoggedRequest[];
  readonly violations: string[];
  readonly faults: ReturnType<typeof createFaultList>;
  readonly limiter: ReturnType<typeof createLimiter>;
  readonly now: () => number;
  writesUnderWay: number;
}

export interface LoggedRequest {
  readonly at: number;
  readonly method: string;
  readonly path: string;
  /** Id in GitHub's description; `git` for git's own requests, `graphql` for queries, empty for what is unknown. */
  readonly operation: string;
  login: string | null;
  readonly isWrite: boolean;
  /** The other writes that were under way when this one came. */
  readonly writesUnderWay: number;
  readonly body: unknown;
  /** Null until it is answered, and for a connection that a fault closed. */
  status: number | null;
  /** Whether the call took effect or was answered from what exists. */
  isHandled: boolean;
}

export function logRequest(
  world: World,
  request: Pick<LoggedRequest, 'method' | 'path' | 'operation' | 'isWrite' | 'body'>,
): LoggedRequest {
  const entry: LoggedRequest = {
    ...request,
    at: world.now(),
    login: null,
    writesUnderWay: world.writesUnderWay,
    status: null,
    isHandled: false,
  };
  world.requests.push(entry);
  return entry;
}

export function findRepository(state: DoubleState, fullName: string): Repository | null {
  const wanted = fullName.toLowerCase();
  for (const repository of state.repositories.values())
    if (fullNameOf(state, repository).toLowerCase() === wanted) return repository;
  return null;
}

/** By a name that it had before. */
export function findRenamed(state: DoubleState, fullName: string): Repository | null {
  return (
    [...state.repositories.values()].find((each) => each.formerNames.has(fullName.toLowerCase())) ?? null
  );
}

export function makeToken(state: DoubleState, token: Token): string {
  const secret = `ghs_${randomUUID().replaceAll('-', '')}`;
  state.tokens.set(secret, token);
  return secret;
}

/** Returns the status that the client sees; null if it sees none. */
export async function applyFault({ effect }: Fault, response: ServerResponse): Promise<number | null> {
  if (effect.kind === 'answer') {
    const isText = typeof effect.body === 'string';
    response.writeHead(effect.status, {
      'content-type': isText ? 'text/html' : 'application/json',
      ...effect.headers,
    });
    const body = effect.body ?? { message: `status ${effect.status}` };
    response.end(isText ? effect.body : JSON.stringify(body));
    return effect.status;
  }
  if (effect.kind === 'run') await effect.run();
  response.destroy();
  return null;
}
