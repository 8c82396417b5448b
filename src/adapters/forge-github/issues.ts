import * as z from 'zod/mini';
import { ForgeError, isForgeProblem } from '../../forge/forge-problem.ts';
import type { IssueEdit } from '../../forge/forge-values.ts';
import type { ForgeIssues } from '../../ports/forge/forge.ts';
import type { GitHubClient, RepositoryParams } from './client.ts';
import {
  actorOf,
  commentDocument,
  eventSchema,
  issueDocument,
  issueOf,
  issueSchema,
  labelChangeOf,
  lastEditDocument,
} from './documents.ts';

const ISSUES = '/repos/{owner}/{repo}/issues';
const ISSUE = `${ISSUES}/{issue_number}`;

/** REST does not report that a body was edited. */
const LAST_EDIT = `query ($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) {
    issue(number: $number) {
      lastEditedAt
      editor { __typename login ... on User { databaseId } ... on Bot { databaseId } }
      timelineItems(last: 1, itemTypes: [RENAMED_TITLE_EVENT]) {
        nodes {
          ... on RenamedTitleEvent {
            createdAt
            actor { __typename login ... on User { databaseId } ... on Bot { databaseId } }
          }
        }
      }
    }
  }
}`;

export function createIssues(client: GitHubClient, repository: RepositoryParams): ForgeIssues {
  const at = (number: number) => ({ ...repository, issue_number: number });
  return {
    list: async ({ state, labels, since }) => {
      const params = {
        ...repository,
        state,
        direction: 'asc',
        ...(labels === undefined ? {} : { labels: labels.join(',') }),
        ...(since === undefined ? {} : { since }),
      };
      const found = await client.list(
        { route: `GET ${ISSUES}`, params, what: 'reading issues' },
        issueSchema,
      );
      return found.filter(({ pull_request: pull }) => pull === undefined).map(issueOf);
    },
    get: async (number) => {
      const what = `issue #${number}`;
      const found = await client.read({ route: `GET ${ISSUE}`, params: at(number), what }, issueSchema);
      if (found.pull_request !== undefined)
        throw new ForgeError({ kind: 'not_found', what: `${what} (it is a pull request)` });
      return issueOf(found);
    },
    create: ({ title, body, labels }) =>
      client.write(
        { route: `POST ${ISSUES}`, params: { ...repository, title, body, labels }, what: 'opening an issue' },
        issueDocument,
      ),
    update: (number, change) =>
      client.write(
        { route: `PATCH ${ISSUE}`, params: { ...at(number), ...change }, what: `changing issue #${number}` },
        issueDocument,
      ),
    addLabels: async (number, labels) => {
      const what = `adding labels to #${number}`;
      await client.write(
        { route: `POST ${ISSUE}/labels`, params: { ...at(number), labels }, what },
        z.unknown(),
      );
    },
    removeLabel: async (number, name) => {
      const what = `removing the label ${name} of #${number}`;
      const params = { ...at(number), name };
      try {
        await client.write({ route: `DELETE ${ISSUE}/labels/{name}`, params, what }, z.unknown());
      } catch (error) {
        if (!isForgeProblem(error, 'not_found')) throw error;
      }
    },
    comments: (number) =>
      client.list(
        { route: `GET ${ISSUE}/comments`, params: at(number), what: `comments of #${number}` },
        commentDocument,
      ),
    comment: (number, body) =>
      client.write(
        {
          route: `POST ${ISSUE}/comments`,
          params: { ...at(number), body },
          what: `commenting on #${number}`,
        },
        commentDocument,
      ),
    updateComment: (id, body) =>
      client.write(
        {
          route: `PATCH ${ISSUES}/comments/{comment_id}`,
          params: { ...repository, comment_id: id, body },
          what: 'changing a comment',
        },
        commentDocument,
      ),
    labelChanges: async (number) => {
      const what = `events of #${number}`;
      const events = await client.list(
        { route: `GET ${ISSUE}/events`, params: at(number), what },
        eventSchema,
      );
      return events.flatMap((event) => labelChangeOf(event, number) ?? []);
    },
    allLabelChanges: async () => {
      const request = { route: `GET ${ISSUES}/events`, params: { ...repository }, what: 'events of issues' };
      const events = await client.list(request, eventSchema);
      return events.flatMap((event) => labelChangeOf(event, null) ?? []).sort((a, b) => a.id - b.id);
    },
    lastEdit: async (number) => {
      const variables = { ...repository, number };
      const what = `edits of issue #${number}`;
      const answer = await client.query({ query: LAST_EDIT, variables, what }, lastEditDocument);
      const { lastEditedAt, editor, timelineItems } = answer.data.repository.issue;
      const edits: IssueEdit[] = [
        ...(lastEditedAt === null ? [] : [{ at: lastEditedAt, by: actorOf(editor) }]),
        ...timelineItems.nodes.map(({ createdAt, actor }) => ({ at: createdAt, by: actorOf(actor) })),
      ];
      return edits.sort((a, b) => Date.parse(b.at) - Date.parse(a.at))[0] ?? null;
    },
  };
}
