import { openGitHub, PEOPLE_RESERVE } from '../../../src/adapters/forge-github/open-github.ts';
import type { Forge } from '../../../src/ports/forge/forge.ts';
import { createGitHubDouble, type GitHubDouble } from '../../../testing/github/github-double.ts';

export const FULL_NAME = 'octo/shop';
export const START = Date.parse('2026-01-01T00:00:00Z');

export interface ForgeScene {
  readonly double: GitHubDouble;
  /** Connects as a user, with the clock of the double: sleeping moves it. */
  readonly forge: (login: string, options?: ForgeSceneOptions) => Promise<Forge>;
  readonly cleanups: (() => Promise<void>)[];
}

export interface ForgeSceneOptions {
  readonly token?: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly reserve?: number;
  readonly fullName?: string;
}

/** GitHub on loopback with one repository: octo owns it, mia may write, rob maintains it, stranger reads. */
export async function openForgeScene(
  options: Parameters<typeof createGitHubDouble>[0] = {},
): Promise<ForgeScene> {
  const double = await createGitHubDouble({ startAt: START, ...options });
  for (const login of ['octo', 'mia', 'rob', 'stranger']) double.addUser({ login });
  await double.addRepository({ fullName: FULL_NAME, collaborators: { mia: 'write', rob: 'maintain' } });
  const clock = {
    now: () => new Date(double.now()),
    sleep: async (ms: number) => double.advance(ms),
  };
  return {
    double,
    cleanups: [double.close],
    forge: (login, { token, variables, reserve = PEOPLE_RESERVE, fullName = FULL_NAME } = {}) =>
      openGitHub({
        host: new URL(double.url).host,
        baseUrl: double.url,
        fullName,
        tokenEnv: variables === undefined ? 'TEST_TOKEN' : null,
        variable: (name) => (variables ?? { TEST_TOKEN: token ?? double.tokenOf(login) })[name] ?? null,
        clock,
        signal: new AbortController().signal,
        reserve,
        retryBaseMs: 0,
      }),
  };
}
