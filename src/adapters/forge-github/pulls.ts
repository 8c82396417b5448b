import * as z from 'zod/mini';
import { ForgeError } from '../../forge/forge-problem.ts';
import type { ForgePulls, ReviewEvent } from '../../ports/forge/forge.ts';
import type { GitHubClient, RepositoryParams } from './client.ts';
import { pullDocument, reviewCommentDocument, reviewDocument } from './documents.ts';

const PULLS = '/repos/{owner}/{repo}/pulls';
const PULL = `${PULLS}/{pull_number}`;

const EVENTS: Readonly<Record<ReviewEvent, string>> = {
  approve: 'APPROVE',
  request_changes: 'REQUEST_CHANGES',
  comment: 'COMMENT',
};

export function createPulls(client: GitHubClient, repository: RepositoryParams): ForgePulls {
  const at = (number: number) => ({ ...repository, pull_number: number });
  return {
    list: async ({ state, headRef }) => {
      // A head selects by its owner, so that branches of forks with the same name are left out.
      const head = headRef === undefined ? {} : { head: `${repository.owner}:${headRef}` };
      const params = { ...repository, state, ...head };
      const pulls = await client.list(
        { route: `GET ${PULLS}`, params, what: 'reading pull requests' },
        pullDocument,
      );
      return headRef === undefined ? pulls : pulls.filter((pull) => pull.headRef === headRef);
    },
    get: (number) =>
      client.read(
        { route: `GET ${PULL}`, params: at(number), what: `pull request #${number}` },
        pullDocument,
      ),
    create: ({ title, body, headRef, baseRef, isDraft }) => {
      const params = { ...repository, title, body, head: headRef, base: baseRef, draft: isDraft };
      const what = `opening a pull request for ${headRef}`;
      return client.write({ route: `POST ${PULLS}`, params, what }, pullDocument);
    },
    update: (number, change) => {
      const params = { ...at(number), ...change };
      return client.write(
        { route: `PATCH ${PULL}`, params, what: `changing pull request #${number}` },
        pullDocument,
      );
    },
    merge: async (number, { headSha, title, message }) => {
      const params = { ...at(number), sha: headSha, commit_title: title, commit_message: message };
      const what = `merging pull request #${number}`;
      const merged = await client.write(
        { route: `PUT ${PULL}/merge`, params, what },
        z.object({ sha: z.string(), merged: z.boolean() }),
      );
      if (!merged.merged) throw new ForgeError({ kind: 'conflict', what, reason: 'it was not merged' });
      return { commit: merged.sha };
    },
    reviews: (number) =>
      client.list(
        { route: `GET ${PULL}/reviews`, params: at(number), what: `reviews of pull request #${number}` },
        reviewDocument,
      ),
    reviewComments: (number) =>
      client.list(
        { route: `GET ${PULL}/comments`, params: at(number), what: `comments of pull request #${number}` },
        reviewCommentDocument,
      ),
    review: (number, { commit, event, body }) => {
      const params = { ...at(number), commit_id: commit, event: EVENTS[event], body };
      const what = `reviewing pull request #${number}`;
      return client.write({ route: `POST ${PULL}/reviews`, params, what }, reviewDocument);
    },
    updateReview: (number, id, body) => {
      const params = { ...at(number), review_id: id, body };
      const what = `changing a review of pull request #${number}`;
      return client.write({ route: `PUT ${PULL}/reviews/{review_id}`, params, what }, reviewDocument);
    },
  };
}
