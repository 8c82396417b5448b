import * as z from 'zod/mini';
import { ForgeError, isForgeProblem } from '../../forge/forge-problem.ts';
import type { ForgeUser } from '../../forge/forge-values.ts';
import type { Forge } from '../../ports/forge/forge.ts';
import type { GitHubClient, RepositoryParams } from './client.ts';
import { createCommits } from './commits.ts';
import { labelDocument, permissionDocument, repositoryDocument, userDocument } from './documents.ts';
import { createIssues } from './issues.ts';
import { createPulls } from './pulls.ts';
import type { TokenSource } from './tokens.ts';

export interface GitHubForgeDeps {
  readonly client: GitHubClient;
  readonly tokens: TokenSource;
  /** `owner/name`. */
  readonly fullName: string;
}

/** Roles that may write. GitHub reports `maintain` as `write`. */
const WRITERS = ['admin', 'write', 'maintain'];

export function createGitHubForge({ client, tokens, fullName }: GitHubForgeDeps): Forge {
  const [owner = '', repo = ''] = fullName.split('/');
  const params: RepositoryParams = { owner, repo };
  return {
    name: 'GitHub',
    host: client.host,
    repository: () =>
      client.read(
        { route: 'GET /repos/{owner}/{repo}', params: { ...params }, what: `the repository ${fullName}` },
        repositoryDocument,
      ),
    self: async () => {
      const { appSlug } = await tokens.token();
      const what = 'the account of the token';
      if (appSlug === null) return client.read({ route: 'GET /user', what }, userDocument);
      const username = `${appSlug}[bot]`;
      return client.read({ route: 'GET /users/{username}', params: { username }, what }, userDocument);
    },
    canWrite: (user) => canWrite(client, params, user),
    pulls: createPulls(client, params),
    issues: createIssues(client, params),
    labels: {
      list: () =>
        client.list(
          { route: 'GET /repos/{owner}/{repo}/labels', params: { ...params }, what: 'reading labels' },
          labelDocument,
        ),
      create: async (label) => {
        const route = 'POST /repos/{owner}/{repo}/labels';
        await client.write(
          { route, params: { ...params, ...label }, what: `creating the label ${label.name}` },
          z.unknown(),
        );
      },
    },
    commits: createCommits(client, params),
    pushSecret: async () => {
      const { secret } = await tokens.token();
      return { user: 'x-access-token', secret };
    },
  };
}

/** The question goes by login; the id in the answer shows whether the login still belongs to the same account. */
async function canWrite(client: GitHubClient, params: RepositoryParams, user: ForgeUser): Promise<boolean> {
  const route = 'GET /repos/{owner}/{repo}/collaborators/{username}/permission';
  const what = `the permission of ${user.login}`;
  try {
    const answer = await client.read(
      { route, params: { ...params, username: user.login }, what },
      permissionDocument,
    );
    return answer.user?.id === user.id && WRITERS.includes(answer.permission);
  } catch (error) {
    if (isForgeProblem(error, 'not_found')) return false;
    if (isForgeProblem(error, 'forbidden'))
      throw new ForgeError({
        kind: 'forbidden',
        what: 'reading who may write',
        reason: error.problem.reason,
      });
    throw error;
  }
}
