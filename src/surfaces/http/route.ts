import type * as z from 'zod';
import type { ServedRepository } from '../../app/page/served-repository.ts';
import { type OpenRun, openRun } from '../../app/runs/open-run.ts';
import { explainRecordProblem } from '../../app/runs/record-problem.ts';
import type { ErrorDocument, Session } from '../../contracts/http/session-documents.ts';
import { escapeUnsafe } from '../../text/outside-text.ts';
import type { PageServer } from './page-server.ts';

/** What a route needs: nothing, a session, or a session that may answer. */
export type Access = 'anyone' | 'look' | 'answer';

/** A request that may be answered: its head was checked, its session has the right, its body has the shape. */
export interface PageRequest<Body = null> {
  readonly server: PageServer;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  readonly body: Body;
  /** The address of the client. */
  readonly address: string;
  readonly signal: AbortSignal;
}

export interface SessionRequest<Body = null> extends PageRequest<Body> {
  readonly session: Session;
}

/** A document to send as JSON, or any other response. */
export type Reply = Readonly<Record<string, unknown>> | Response;

/** One row of the interface: `routes/all-routes.ts` has the list. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** `/api/repos/:repo/runs/:run`. */
  readonly path: string;
  readonly access: Access;
  /** Whether the answer stays open: not even an address that the user typed opens it. */
  readonly isStream?: boolean;
  /** Null if the route takes no body. */
  readonly body: z.ZodType | null;
  readonly handle: (request: PageRequest<unknown>, session: Session | null) => Promise<Reply>;
}

/** A refusal with its status. */
export class RouteError extends Error {
  override readonly name = 'RouteError';
  readonly status: number;
  readonly code: string;
  readonly help: string | null;

  constructor(status: number, code: string, message: string, help: string | null = null) {
    super(message);
    this.status = status;
    this.code = code;
    this.help = help;
  }
}

/** A route for reading. */
export function get(path: string, handle: (request: SessionRequest) => Promise<Reply>): Route {
  return route('GET', path, 'look', null, handle);
}

/** A route that changes something; it needs the right to answer, unless `access` says otherwise. */
export function post<Body>(
  path: string,
  body: z.ZodType<Body>,
  handle: (request: SessionRequest<Body>) => Promise<Reply>,
): Route {
  return route('POST', path, 'answer', body, handle);
}

export function route<Body>(
  method: Route['method'],
  path: string,
  access: Exclude<Access, 'anyone'>,
  body: z.ZodType<Body> | null,
  handle: (request: SessionRequest<Body>) => Promise<Reply>,
): Route {
  return {
    method,
    path,
    access,
    body,
    handle: (request, session) => {
      if (session === null) throw new Error(`${path} was reached without a session`);
      // The body was parsed with the route's own schema.
      return handle({ ...request, session, body: request.body as Body });
    },
  };
}

const IN_REPO = '/api/repos/:repo';

/** A route for reading, below `/api/repos/:repo`. */
export function getInRepo(
  path: string,
  handle: (request: SessionRequest, repo: ServedRepository) => Promise<Reply>,
): Route {
  return get(`${IN_REPO}${path}`, (request) => handle(request, findRepository(request)));
}

export function postInRepo<Body>(
  path: string,
  body: z.ZodType<Body>,
  handle: (request: SessionRequest<Body>, repo: ServedRepository) => Promise<Reply>,
): Route {
  return post(`${IN_REPO}${path}`, body, (request) => handle(request, findRepository(request)));
}

/** A route for reading about one run, below `/api/repos/:repo/runs/:run`. */
export function getOfRun(
  path: string,
  handle: (request: SessionRequest, run: OpenRun, repo: ServedRepository) => Promise<Reply>,
): Route {
  return getInRepo(`/runs/:run${path}`, async (request, repo) =>
    handle(request, await findRun(request, repo), repo),
  );
}

export function postOfRun<Body>(
  path: string,
  body: z.ZodType<Body>,
  handle: (request: SessionRequest<Body>, run: OpenRun, repo: ServedRepository) => Promise<Reply>,
): Route {
  return postInRepo(`/runs/:run${path}`, body, async (request, repo) =>
    handle(request, await findRun(request, repo), repo),
  );
}

function findRepository({ server, params }: Pick<PageRequest, 'server' | 'params'>): ServedRepository {
  const found = server.repositories.find(({ id }) => id === params.repo);
  if (found === undefined) throw new RouteError(404, 'no_repository', 'this server has no such repository');
  return found;
}

/** A run id in full, or a prefix that only one run has. */
async function findRun(
  { params }: Pick<PageRequest, 'params'>,
  { records }: ServedRepository,
): Promise<OpenRun> {
  const prefix = params.run ?? '';
  const matches = /^[0-9a-f][0-9a-f-]{3,35}$/i.test(prefix) ? await records.store.match(prefix) : [];
  const [runId, second] = matches;
  if (runId === undefined) throw new RouteError(404, 'no_run', 'there is no such run');
  if (second !== undefined)
    throw new RouteError(404, 'no_run', `several runs start with ${prefix}`, 'give more of the id');
  const opened = await openRun(records, runId);
  if (opened.ok) return opened.run;
  const { message, help } = explainRecordProblem(runId, opened.problem);
  throw new RouteError(opened.problem.kind === 'missing' ? 404 : 500, 'record', message, help);
}

/** A whole number from the query; `fallback` if it is missing. */
export function queryCount(query: URLSearchParams, name: string, fallback: number, max: number): number {
  const text = query.get(name);
  if (text === null) return fallback;
  if (!/^\d{1,12}$/.test(text)) throw new RouteError(400, 'query', `${name} is not a whole number`);
  return Math.min(Number(text), max);
}

/** Text from outside becomes data that can neither hide nor reorder anything. */
export function sendJson(document: unknown, status = 200, headers: Readonly<Record<string, string>> = {}) {
  const safe = JSON.stringify(document, (_, value: unknown) =>
    typeof value === 'string' ? escapeUnsafe(value) : value,
  );
  return new Response(safe, {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  });
}

export function sendError(
  { status, code, message, help }: Pick<RouteError, 'status' | 'code' | 'message' | 'help'>,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const document: ErrorDocument = { error: { code, message, help } };
  return sendJson(document, status, headers);
}
