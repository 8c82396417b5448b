import type { Clock } from '../../ports/clock.ts';
import type { Forge } from '../../ports/forge/forge.ts';
import { createGitHubClient } from './client.ts';
import { createGitHubForge } from './github-forge.ts';
import { proxiedFetch } from './proxied-fetch.ts';
import { askGhForToken, createTokenSource } from './tokens.ts';

export interface OpenGitHubOptions {
  /** Host of git and of the page, such as `github.com`. */
  readonly host: string;
  /** Address of the API of GitHub Enterprise; null for the one that belongs to the host. */
  readonly baseUrl: string | null;
  /** `owner/name`. */
  readonly fullName: string;
  /** The variable with the token; null for the usual ones. */
  readonly tokenEnv: string | null;
  readonly variable: (name: string) => string | null;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Share of the rate limit that is left to people: `PEOPLE_RESERVE` for whatever runs without a person. */
  readonly reserve: number;
  readonly spacingMs?: number;
  readonly retryBaseMs?: number;
}

/** Share of the rate limit that loops leave to people. */
export const PEOPLE_RESERVE = 0.4;
const WRITE_SPACING_MS = 1_000;
const RETRY_BASE_MS = 1_000;

/** One repository on GitHub. Nothing is sent before the first call. */
export async function openGitHub(options: OpenGitHubOptions): Promise<Forge> {
  const { host, fullName, tokenEnv, variable, clock, signal, reserve } = options;
  const baseUrl = (options.baseUrl ?? apiOf(host)).replace(/\/+$/, '');
  const send = await proxiedFetch(variable);
  const now = (): number => clock.now().getTime();
  const tokens = createTokenSource({
    host,
    baseUrl,
    fullName,
    tokenEnv,
    variable,
    fetch: send,
    now,
    askGh: askGhForToken,
  });
  const client = createGitHubClient({
    baseUrl,
    tokens,
    clock,
    signal,
    fetch: send,
    reserve,
    spacingMs: options.spacingMs ?? WRITE_SPACING_MS,
    retryBaseMs: options.retryBaseMs ?? RETRY_BASE_MS,
  });
  return createGitHubForge({ client, tokens, fullName });
}

function apiOf(host: string): string {
  return host === 'github.com' ? 'https://api.github.com' : `https://${host}/api/v3`;
}
