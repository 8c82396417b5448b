import * as z from 'zod/mini';
import { isForgeProblem } from '../../forge/forge-problem.ts';
import type { ForgeChecks } from '../../forge/forge-values.ts';
import type { ForgeCommits } from '../../ports/forge/forge.ts';
import type { GitHubClient, RepositoryParams } from './client.ts';
import { checkRunSchema, statusDocument } from './documents.ts';

/** Conclusions of a check run that let a change pass. */
const PASSED = ['success', 'neutral', 'skipped'];

const refSchema = z.object({ object: z.object({ sha: z.string() }) });

export function createCommits(client: GitHubClient, repository: RepositoryParams): ForgeCommits {
  const statuses: ForgeCommits['statuses'] = async (sha) => {
    const route = 'GET /repos/{owner}/{repo}/commits/{ref}/statuses';
    const params = { ...repository, ref: sha };
    const all = await client.list({ route, params, what: `statuses of ${sha.slice(0, 8)}` }, statusDocument);
    // Newest first: the first of each context counts.
    return all.filter((one, index) => all.findIndex(({ context }) => context === one.context) === index);
  };
  return {
    headOf: async (branch) => {
      const route = 'GET /repos/{owner}/{repo}/git/ref/{ref}';
      const params = { ...repository, ref: `heads/${branch}` };
      try {
        return (await client.read({ route, params, what: `the branch ${branch}` }, refSchema)).object.sha;
      } catch (error) {
        if (isForgeProblem(error, 'not_found')) return null;
        throw error;
      }
    },
    statuses,
    setStatus: async (sha, { context, state, description, url }) => {
      const target = url === null ? {} : { target_url: url };
      const params = { ...repository, sha, context, state, description, ...target };
      const route = 'POST /repos/{owner}/{repo}/statuses/{sha}';
      await client.write({ route, params, what: `setting the status of ${sha.slice(0, 8)}` }, z.unknown());
    },
    checks: async (sha, except) => {
      const route = 'GET /repos/{owner}/{repo}/commits/{ref}/check-runs';
      const params = { ...repository, ref: sha };
      const what = `check runs of ${sha.slice(0, 8)}`;
      const [set, runs] = [await statuses(sha), await client.list({ route, params, what }, checkRunSchema)];
      const seen: readonly Seen[] = [
        ...set.map(({ context, state, url }) => ({
          name: context,
          state: state === 'error' ? ('failure' as const) : state,
          url,
        })),
        ...runs.map(({ name, conclusion, html_url: url }) => ({ name, state: stateOf(conclusion), url })),
      ];
      return combine(seen.filter(({ name }) => !except.includes(name)));
    },
  };
}

interface Seen {
  readonly name: string;
  readonly state: 'pending' | 'success' | 'failure';
  readonly url: string | null;
}

function stateOf(conclusion: string | null): Seen['state'] {
  if (conclusion === null) return 'pending';
  return PASSED.includes(conclusion) ? 'success' : 'failure';
}

/** A failure counts at once, even while others are pending. */
function combine(seen: readonly Seen[]): ForgeChecks {
  if (seen.length === 0) return { state: 'none', names: [], url: null };
  for (const state of ['failure', 'pending'] as const) {
    const found = seen.filter((one) => one.state === state);
    if (found.length > 0) return { state, names: found.map(({ name }) => name), url: found[0]?.url ?? null };
  }
  return { state: 'success', names: [], url: seen[0]?.url ?? null };
}
