import { type Call, refused } from './call.ts';
import { hasAtLeast, type Issue, permissionOf, userOf } from './state.ts';
import { findRepository } from './world.ts';

/** The only question that conductor asks the GraphQL API: when and by whom an issue was edited. */
const KNOWN = [
  'repository(owner: $owner, name: $repo)',
  'issue(number: $number)',
  'lastEditedAt',
  'editor',
  'timelineItems(last: 1, itemTypes: [RENAMED_TITLE_EVENT])',
];

export function answerQuery(call: Call): object {
  const { query, variables } = (call.body ?? {}) as {
    query?: string;
    variables?: { owner?: string; repo?: string; number?: number };
  };
  if (typeof query !== 'string' || !KNOWN.every((part) => query.includes(part)))
    throw refused(400, 'the double does not know this query');
  const { owner = '', repo = '', number = 0 } = variables ?? {};
  const repository = findRepository(call.state, `${owner}/${repo}`);
  const permission = repository === null ? 'none' : permissionOf(repository, call.user?.id ?? null);
  const issue = hasAtLeast(permission, 'read') ? repository?.issues.get(number) : undefined;
  if (repository === null || issue === undefined)
    return {
      data: { repository: null },
      errors: [{ type: 'NOT_FOUND', path: ['repository'], message: 'NOT_FOUND' }],
    };
  const renames = repository.events.filter((each) => each.number === number && each.event === 'renamed');
  return {
    data: {
      repository: {
        issue: {
          lastEditedAt: issue.editedAt === null ? null : call.documents.time(issue.editedAt),
          editor: actorOf(call, issue),
          timelineItems: {
            nodes: renames.slice(-1).map((event) => ({
              createdAt: call.documents.time(event.createdAt),
              actor: actorDocument(call, event.actorId),
            })),
          },
        },
      },
    },
  };
}

function actorOf(call: Call, issue: Issue): object | null {
  return issue.editorId === null ? null : actorDocument(call, issue.editorId);
}

function actorDocument({ state }: Call, id: number): object {
  const { login, type } = userOf(state, id);
  return { __typename: type, login: login.replace(/\[bot\]$/, ''), databaseId: id };
}
