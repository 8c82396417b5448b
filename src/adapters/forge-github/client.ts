import { Octokit } from '@octokit/core';
import { paginateRest } from '@octokit/plugin-paginate-rest';
import { retry } from '@octokit/plugin-retry';
import * as z from 'zod/mini';
import { ForgeError } from '../../forge/forge-problem.ts';
import type { Clock } from '../../ports/clock.ts';
import { conditionalFetch } from './conditional-fetch.ts';
import { classifyAnswer } from './github-problem.ts';
import { createPacer } from './pacer.ts';
import { createRateBudget } from './rate-budget.ts';
import type { TokenSource } from './tokens.ts';

/**
 * Requests to GitHub with manners: reads are conditional, lists go to the last page, reads are repeated after a failure of
 * the server and writes never are, writes are sent one at a time with a pause between them, and a part of the rate limit
 * stays unused. Failures are `ForgeError`.
 */
export interface GitHubClient {
  readonly host: string;
  readonly now: () => Date;
  readonly read: <T>(request: GitHubRequest, schema: z.ZodMiniType<T>) => Promise<T>;
  /** All pages. */
  readonly list: <T>(request: GitHubRequest, schema: z.ZodMiniType<T>) => Promise<readonly T[]>;
  readonly write: <T>(request: GitHubRequest, schema: z.ZodMiniType<T>) => Promise<T>;
  /** A GraphQL query that changes nothing. */
  readonly query: <T>(request: GitHubQuery, schema: z.ZodMiniType<T>) => Promise<T>;
}

export interface GitHubRequest {
  /** Method and path, with `{name}` for parameters. */
  readonly route: string;
  readonly params?: Readonly<Record<string, unknown>>;
  /** Names the request for messages: `opening a pull request`. */
  readonly what: string;
}

/** Parameters that name the repository in a route. */
export interface RepositoryParams {
  readonly owner: string;
  readonly repo: string;
}

export interface GitHubQuery {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly what: string;
}

export interface GitHubClientDeps {
  /** Address of the API, without a slash at the end. */
  readonly baseUrl: string;
  readonly tokens: TokenSource;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly fetch: typeof fetch;
  /** Share of the rate limit that is left to people. */
  readonly reserve: number;
  /** Pause between two writes. */
  readonly spacingMs: number;
  /** The pause before the first repetition of a read; later ones are longer. */
  readonly retryBaseMs: number;
}

const PER_PAGE = 100;
const READ_RETRIES = 2;

const silentLog = { debug: ignore, info: ignore, warn: ignore, error: ignore };

export function createGitHubClient(deps: GitHubClientDeps): GitHubClient {
  const { clock, tokens, signal } = deps;
  const host = new URL(deps.baseUrl).host;
  const now = (): number => clock.now().getTime();
  const budget = createRateBudget({ reserve: deps.reserve, now });
  const pace = createPacer(clock, deps.spacingMs);
  const octokit = new (Octokit.plugin(paginateRest, retry))({
    baseUrl: deps.baseUrl,
    userAgent: 'tnh-conductor',
    log: silentLog,
    retry: {
      retryAfterBaseValue: deps.retryBaseMs,
      doNotRetry: [400, 401, 403, 404, 409, 410, 422, 429, 451],
    },
    request: { fetch: conditionalFetch({ send: deps.fetch, tokens, signal, note: budget.note }) },
  });

  // The token is asked for here too, so that its failure is not taken for one of the request.
  octokit.hook.before('request', async ({ url }) => {
    budget.check(url === '/graphql' ? 'graphql' : 'core');
    await tokens.token();
  });

  const guarded = async <T>(what: string, send: () => Promise<T>): Promise<T> => {
    try {
      return await send();
    } catch (error) {
      const problem = await describe(error, what);
      if (problem.problem.kind === 'parked') budget.park(problem);
      throw problem;
    }
  };
  const describe = async (error: unknown, what: string): Promise<ForgeError> => {
    if (error instanceof ForgeError) return error;
    signal.throwIfAborted();
    const answer = answerOf(error);
    const reason = error instanceof Error ? error.message : String(error);
    // The error of Octokit holds the request: it never becomes a cause, which a log could print.
    if (answer === null) return new ForgeError({ kind: 'unreachable', host, reason });
    const { source } = await tokens.token();
    return new ForgeError(classifyAnswer(answer, { what, host, source, now: now() }));
  };
  const parse = <T>(value: unknown, schema: z.ZodMiniType<T>, what: string): T => {
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    const reason = `the answer of ${host} has no usable ${issue?.path.join('.') ?? 'content'}`;
    throw new ForgeError({ kind: 'refused', what, status: 200, reason });
  };

  return {
    host,
    now: clock.now,
    read: ({ route, params, what }, schema) =>
      guarded(what, async () => {
        const { data } = await octokit.request(route, { ...params, request: { retries: READ_RETRIES } });
        return parse(data, schema, what);
      }),
    list: ({ route, params, what }, schema) =>
      guarded(what, async () => {
        const request = { retries: READ_RETRIES };
        const items: unknown = await octokit.paginate(route, { per_page: PER_PAGE, ...params, request });
        return parse(items, z.array(schema), what);
      }),
    write: ({ route, params, what }, schema) =>
      guarded(what, () =>
        pace(signal, async () => {
          const { data } = await octokit.request(route, { ...params, request: { retries: 0 } });
          return parse(data, schema, what);
        }),
      ),
    query: ({ query, variables, what }, schema) =>
      guarded(what, async () => {
        const { data } = await octokit.request('POST /graphql', {
          query,
          variables,
          request: { retries: READ_RETRIES },
        });
        const { errors } = (data ?? {}) as { readonly errors?: readonly { readonly type?: string }[] };
        if (errors?.some(({ type }) => type === 'NOT_FOUND') === true)
          throw new ForgeError({ kind: 'not_found', what });
        return parse(data, schema, what);
      }),
  };
}

/** The answer that a failure came with; null if none came. */
function answerOf(error: unknown) {
  if (typeof error !== 'object' || error === null || !('response' in error)) return null;
  const { status, response, message } = error as {
    readonly status?: number;
    readonly message?: string;
    readonly response?: { readonly headers?: Readonly<Record<string, string>> };
  };
  if (status === undefined || response === undefined) return null;
  return { status, headers: response.headers ?? {}, message: (message ?? '').replace(/ - https?:\S+$/, '') };
}

function ignore(): void {}
