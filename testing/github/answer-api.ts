import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Identity, identify } from './access.ts';
import { answerCall, type Reply } from './answer-call.ts';
import { type Call, type Handler, Refused, refused } from './call.ts';
import { createDocuments } from './documents.ts';
import { answerQuery } from './graphql.ts';
import { commitHandlers } from './handlers/commits.ts';
import { issueHandlers } from './handlers/issues.ts';
import { pullHandlers } from './handlers/pulls.ts';
import { repositoryHandlers } from './handlers/repository.ts';
import { reviewHandlers } from './handlers/reviews.ts';
import { loadGitHubSchema, type Operation, patternOf } from './openapi.ts';
import { type DoubleState, fullNameOf, type Repository } from './state.ts';
import {
  applyFault,
  findRenamed,
  findRepository,
  type LoggedRequest,
  logRequest,
  makeToken,
  type World,
} from './world.ts';

const HANDLERS: Readonly<Record<string, Handler>> = {
  ...repositoryHandlers,
  ...issueHandlers,
  ...pullHandlers,
  ...reviewHandlers,
  ...commitHandlers,
};

/** Asking for the limit costs nothing of it. */
const UNCOUNTED = 'rate-limit/get';
const GRAPHQL = 'graphql';
const VERSIONS = ['2022-11-28', '2026-03-10'];

interface Located {
  readonly repository: Repository | null;
  readonly path: string;
  /** For a repository that has another name now. */
  readonly movedTo: string | null;
}

interface ApiRequest {
  readonly operation: Operation | null;
  readonly place: Located;
  readonly query: URLSearchParams;
  readonly apiRoot: string;
  readonly identity: Identity;
  readonly entry: LoggedRequest;
}

/** One request of the API: checks, limits, faults, the call itself, the check of its answer, the cache of the client. */
export async function answerApi(
  world: World,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { state, limiter, violations } = world;
  const address = new URL(incoming.url ?? '/', world.origin);
  const prefix = /^\/api(?:\/v3)?(?=\/)/.exec(address.pathname)?.[0] ?? '';
  const method = incoming.method ?? 'GET';
  const place = locate(state, address.pathname.slice(prefix.length));
  const isQuery = place.path === '/graphql';
  const operation = isQuery ? null : loadGitHubSchema().find(method, decodeSlashes(place.path));
  const isWrite = method !== 'GET' && method !== 'HEAD' && !isQuery;
  const body = await readJson(incoming);
  const entry = logRequest(world, {
    method,
    path: `${place.path}${address.search}`,
    operation: isQuery ? GRAPHQL : (operation?.id ?? ''),
    isWrite,
    body,
  });
  const fault = world.faults.take(entry);
  if (fault?.when === 'before') {
    entry.status = await applyFault(fault, response);
    return;
  }
  if (isWrite) world.writesUnderWay += 1;
  let account = 'anonymous';
  let reply: Reply;
  try {
    const identity = identify(state, incoming.headers.authorization, entry.at);
    account = isQuery ? `${GRAPHQL}:${identity.account}` : identity.account;
    entry.login = identity.user?.login ?? null;
    checkHeaders(incoming);
    checkLimits(world, account, entry);
    const apiRoot = `${world.origin}${prefix}`;
    reply =
      place.movedTo === null
        ? await handle(world, { operation, place, query: address.searchParams, apiRoot, identity, entry })
        : redirectTo(method, `${apiRoot}${place.movedTo}${address.search}`);
    entry.isHandled = reply.status < 300;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    reply = { status: error.status, headers: error.headers, body: error.body };
  } finally {
    if (isWrite) world.writesUnderWay -= 1;
  }
  if (operation !== null && place.movedTo === null)
    for (const problem of operation.checkResponse(reply.status, reply.body))
      violations.push(`${method} ${entry.path}: ${problem}`);
  if (fault !== null) {
    limiter.spend(account, entry.at);
    entry.status = await applyFault(fault, response);
    return;
  }
  const isCached = send(world, response, reply, incoming.headers['if-none-match'], account, entry);
  if (!isCached && entry.operation !== UNCOUNTED) limiter.spend(account, entry.at);
}

/** The repository that a path is in, and the path with its present name. */
function locate(state: DoubleState, path: string): Located {
  const [, id, below = ''] = /^\/repositories\/(\d+)(\/.*)?$/.exec(path) ?? [];
  if (id !== undefined) {
    const repository = state.repositories.get(Number(id)) ?? null;
    if (repository === null) return { repository, path, movedTo: null };
    return { repository, path: `/repos/${fullNameOf(state, repository)}${below}`, movedTo: null };
  }
  const [, fullName, rest = ''] = /^\/repos\/([^/]+\/[^/]+)(\/.*)?$/.exec(path) ?? [];
  if (fullName === undefined) return { repository: null, path, movedTo: null };
  const repository = findRepository(state, fullName);
  const renamed = repository === null ? findRenamed(state, fullName) : null;
  return { repository, path, movedTo: renamed === null ? null : `/repositories/${renamed.id}${rest}` };
}

async function handle(world: World, request: ApiRequest): Promise<Reply> {
  const { operation, place, query, apiRoot, identity, entry } = request;
  const { state, violations, limiter } = world;
  const call: Call = {
    state,
    documents: createDocuments(state, apiRoot, world.origin),
    origin: apiRoot,
    now: entry.at,
    user: identity.user,
    token: identity.token,
    appId: identity.appId,
    params: operation === null ? {} : paramsOf(operation, place.path),
    query,
    body: entry.body,
    makeToken: (token) => makeToken(state, token),
    rateLimit: () => limiter.read(identity.account, entry.at),
  };
  if (entry.operation === GRAPHQL) return { status: 200, headers: {}, body: answerQuery(call) };
  const handler = operation === null ? undefined : HANDLERS[operation.id];
  if (operation === null || handler === undefined) {
    violations.push(`${entry.method} ${entry.path}: the double does not know this call`);
    throw refused(404, 'Not Found');
  }
  const problems = operation.checkRequest(query, entry.body);
  if (problems.length > 0) {
    violations.push(...problems.map((problem) => `${entry.method} ${entry.path}: ${problem}`));
    throw refused(422, `Invalid request.\n\n${problems.join('\n')}`);
  }
  const below = place.path.replace(/^\/repos\/[^/]+\/[^/]+/, '');
  const listAddress =
    place.repository === null
      ? `${apiRoot}${place.path}`
      : `${apiRoot}/repositories/${place.repository.id}${below}`;
  return answerCall(handler, call, identity, place.repository, listAddress);
}

function checkLimits({ limiter }: World, account: string, entry: LoggedRequest): void {
  if (entry.operation === UNCOUNTED) return;
  if (limiter.isUsedUp(account, entry.at)) throw refused(403, `API rate limit exceeded for ${account}.`);
  if (!entry.isWrite) return;
  const wait = limiter.countWrite(account, entry.at);
  if (wait !== null)
    throw refused(
      403,
      'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.',
      { 'retry-after': String(wait) },
    );
}

/** Returns whether the client had the same answer already. */
function send(
  { limiter }: World,
  response: ServerResponse,
  reply: Reply,
  known: string | undefined,
  account: string,
  entry: LoggedRequest,
): boolean {
  const text = reply.body === undefined ? '' : JSON.stringify(reply.body);
  const etag = `W/"${createHash('sha256').update(`${account}\n${text}`).digest('hex')}"`;
  const isRead = entry.method === 'GET' && reply.status === 200;
  const isCached = isRead && (known ?? '').split(/, */).includes(etag);
  const rate = limiter.read(account, entry.at);
  const spent = isCached || entry.operation === UNCOUNTED ? 0 : 1;
  entry.status = isCached ? 304 : reply.status;
  response.writeHead(entry.status, {
    ...(reply.status === 204 || isCached ? {} : { 'content-type': 'application/json; charset=utf-8' }),
    ...(isRead ? { etag } : {}),
    date: new Date(entry.at).toUTCString(),
    'x-github-request-id': randomUUID(),
    'x-ratelimit-limit': String(rate.limit),
    'x-ratelimit-remaining': String(Math.max(0, rate.remaining - spent)),
    'x-ratelimit-used': String(rate.used + spent),
    'x-ratelimit-reset': String(rate.reset),
    'x-ratelimit-resource': account.startsWith(`${GRAPHQL}:`) ? 'graphql' : 'core',
    ...reply.headers,
  });
  response.end(isCached || reply.status === 204 ? undefined : text);
  return isCached;
}

function redirectTo(method: string, location: string): Reply {
  const status = method === 'GET' || method === 'HEAD' ? 301 : 307;
  const body = {
    message: status === 301 ? 'Moved Permanently' : 'Temporary Redirect',
    url: location,
    documentation_url: 'https://docs.example.invalid/rest/guides/best-practices',
  };
  return { status, headers: { location }, body };
}

function checkHeaders({ headers }: IncomingMessage): void {
  if (headers['user-agent'] === undefined)
    throw refused(403, 'Request forbidden by administrative rules: the User-Agent header is missing');
  const version = headers['x-github-api-version'];
  if (typeof version === 'string' && !VERSIONS.includes(version))
    throw refused(400, `"${version}" is not a supported version`);
}

/** The name of a ref has slashes, which a client may write as `%2F`. */
function decodeSlashes(path: string): string {
  return path.includes('/git/') ? path.replace(/%2F/gi, '/') : path;
}

function paramsOf({ template }: Operation, path: string): Readonly<Record<string, string>> {
  const groups = patternOf(template).exec(decodeSlashes(path))?.groups ?? {};
  return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)]));
}

async function readJson(incoming: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
