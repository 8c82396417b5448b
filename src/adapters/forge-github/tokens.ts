import { execFile } from 'node:child_process';
import { createSign } from 'node:crypto';
import * as z from 'zod/mini';
import { ForgeError } from '../../forge/forge-problem.ts';
import {
  APP_ID_VARIABLE,
  APP_KEY_VARIABLE,
  ENTERPRISE_VARIABLES,
  PUBLIC_HOST,
  PUBLIC_VARIABLES,
} from '../../forge/tokens.ts';

/** Where requests take their token from. Secrets are in memory only. */
export interface TokenSource {
  readonly token: () => Promise<GitHubToken>;
}

export interface GitHubToken {
  readonly secret: string;
  /** For messages: `GH_TOKEN`, `gh auth token`, `the app 17`. */
  readonly source: string;
  /** The account of an app; null for a user's token, which GitHub itself can name. */
  readonly appSlug: string | null;
}

export interface TokenDeps {
  /** Host of git and of the page, such as `github.com`. */
  readonly host: string;
  readonly baseUrl: string;
  /** `owner/name`, whose installation of an app is used. */
  readonly fullName: string;
  /** The variable that the user's configuration names; the usual ones are then ignored. */
  readonly tokenEnv: string | null;
  readonly variable: (name: string) => string | null;
  readonly fetch: typeof fetch;
  readonly now: () => number;
  /** Prints the token that the command line of GitHub keeps; null without one. */
  readonly askGh: (host: string) => Promise<string | null>;
}

export function createTokenSource(deps: TokenDeps): TokenSource {
  let found: Promise<TokenSource> | null = null;
  return {
    token: async () => {
      found ??= findSource(deps);
      return (await found).token();
    },
  };
}

async function findSource(deps: TokenDeps): Promise<TokenSource> {
  const { tokenEnv, variable, host } = deps;
  const appId = tokenEnv === null ? variable(APP_ID_VARIABLE) : null;
  const appKey = variable(APP_KEY_VARIABLE);
  if (appId !== null && appKey !== null) return createAppTokens(deps, appId, appKey);
  const usual = host === PUBLIC_HOST ? PUBLIC_VARIABLES : ENTERPRISE_VARIABLES;
  const names = tokenEnv === null ? usual : [tokenEnv];
  for (const source of names) {
    const secret = variable(source)?.trim();
    if (secret !== undefined) return constant({ secret, source, appSlug: null });
  }
  const secret = tokenEnv === null ? await deps.askGh(host) : null;
  if (secret === null) throw new ForgeError({ kind: 'no_token', host, sources: names });
  return constant({ secret, source: '`gh auth token`', appSlug: null });
}

function constant(token: GitHubToken): TokenSource {
  return { token: async () => token };
}

const installationSchema = z.object({ id: z.number(), app_slug: z.string() });
const accessSchema = z.object({ token: z.string(), expires_at: z.string() });
/** Not used in the last minutes, so that none expires on its way. */
const MARGIN_MS = 300_000;
const JWT_SECONDS = 540;

/** Tokens of an app's installation live for an hour; a new one is made in time. */
function createAppTokens(deps: TokenDeps, appId: string, key: string): TokenSource {
  const source = `the app ${appId}`;
  let current: { readonly token: GitHubToken; readonly usableUntil: number } | null = null;
  const ask = async <T>(method: string, path: string, schema: z.ZodMiniType<T>): Promise<T> => {
    const response = await deps.fetch(`${deps.baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${signJwt(appId, key, deps.now())}`,
        accept: 'application/vnd.github+json',
        'user-agent': 'tnh-conductor',
      },
    });
    if (response.status === 401) throw new ForgeError({ kind: 'token_refused', host: deps.host, source });
    if (response.status === 404)
      throw new ForgeError({ kind: 'not_found', what: `an installation of ${source} for ${deps.fullName}` });
    if (!response.ok)
      throw new ForgeError({ kind: 'unreachable', host: deps.host, reason: `HTTP ${response.status}` });
    return schema.parse(await response.json());
  };
  const renew = async () => {
    const installation = await ask('GET', `/repos/${deps.fullName}/installation`, installationSchema);
    const access = await ask('POST', `/app/installations/${installation.id}/access_tokens`, accessSchema);
    const token = { secret: access.token, source, appSlug: installation.app_slug };
    return { token, usableUntil: Date.parse(access.expires_at) - MARGIN_MS };
  };
  return {
    token: async () => {
      if (current === null || current.usableUntil <= deps.now()) current = await renew();
      return current.token;
    },
  };
}

/** A JSON Web Token as GitHub asks for it; issued a minute ago, because clocks differ. */
function signJwt(appId: string, key: string, now: number): string {
  const seconds = Math.floor(now / 1000);
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const head = encode({ alg: 'RS256', typ: 'JWT' });
  const payload = encode({ iat: seconds - 60, exp: seconds + JWT_SECONDS, iss: appId });
  try {
    const signature = createSign('RSA-SHA256').update(`${head}.${payload}`).sign(key.replaceAll('\\n', '\n'));
    return `${head}.${payload}.${signature.toString('base64url')}`;
  } catch {
    // The message of the library could quote the key.
    throw new ForgeError({
      kind: 'forbidden',
      what: `signing as the app ${appId}`,
      reason: `${APP_KEY_VARIABLE} is not a private key in PEM form`,
    });
  }
}

const GH_LIMIT_MS = 10_000;

/** Null if the program is missing or has no token for the host. */
export function askGhForToken(host: string): Promise<string | null> {
  return new Promise((resolve) => {
    execFile('gh', ['auth', 'token', '--hostname', host], { timeout: GH_LIMIT_MS }, (error, stdout) => {
      const secret = stdout.trim();
      resolve(error !== null || secret === '' ? null : secret);
    });
  });
}
