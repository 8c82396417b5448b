import {
  actor,
  checkTexts,
  findIssue,
  type Handler,
  invalid,
  list,
  notFound,
  type RepositoryCall,
  read,
  recordEvent,
  refused,
  sinceOf,
  sortByQuery,
  write,
} from '../call.ts';
import { type Comment, findUser, hasAtLeast, type Issue, nextId, nextNumber } from '../state.ts';
import { addLabel } from './repository.ts';

type LabelField = string | { readonly name?: string };

/** Issues, their labels, comments and events. Pull requests are issues, too. */
export const issueHandlers: Readonly<Record<string, Handler>> = {
  'issues/list-for-repo': read((call) => {
    const { documents, query, repository, state } = call;
    const wantedState = query.get('state') ?? 'open';
    const labels = (query.get('labels') ?? '').split(',').filter((name) => name !== '');
    const since = sinceOf(query);
    const creator = query.get('creator');
    const creatorId = creator === null ? null : findUser(state, creator)?.id;
    const found = [...repository.issues.values()].filter(
      (issue) =>
        (wantedState === 'all' || issue.state === wantedState) &&
        labels.every((name) => issue.labels.some((each) => each.toLowerCase() === name.toLowerCase())) &&
        (since === null || issue.updatedAt >= since) &&
        (creatorId === null || issue.authorId === creatorId),
    );
    return list(
      sortByQuery(found, query, (issue) => issue),
      (issue) => documents.issue(repository, issue),
    );
  }),

  'issues/get': read((call) => ({
    status: 200,
    body: call.documents.issue(call.repository, findIssue(call)),
  })),

  'issues/create': write('read', (call) => {
    const { documents, repository } = call;
    const fields = call.body as { title: string | number; body?: string; labels?: LabelField[] };
    checkTexts('Issue', fields);
    const issue = createIssue(call, String(fields.title), fields.body ?? null);
    // Labels of a user without the right to set them are dropped without a word.
    if (hasAtLeast(call.permission, 'triage')) changeLabels(call, issue, namesOf(fields.labels ?? []), []);
    return { status: 201, body: documents.issue(repository, issue) };
  }),

  'issues/update': write('read', (call) => {
    const { documents, repository, now } = call;
    const issue = findIssue(call);
    const mayEdit = hasAtLeast(call.permission, 'triage') || issue.authorId === actor(call).id;
    if (!mayEdit) throw refused(403, 'Must have admin rights to Repository.');
    const fields = call.body as {
      title?: string | number | null;
      body?: string | null;
      state?: 'open' | 'closed';
      state_reason?: Issue['stateReason'];
      labels?: LabelField[];
    };
    checkTexts('Issue', fields);
    if (fields.title !== undefined && fields.title !== null && String(fields.title) !== issue.title) {
      const rename = { from: issue.title, to: String(fields.title) };
      recordEvent(call, repository, {
        number: issue.number,
        event: 'renamed',
        actorId: actor(call).id,
        rename,
      });
      issue.title = String(fields.title);
    }
    if (fields.body !== undefined && fields.body !== issue.body) {
      issue.body = fields.body;
      issue.editedAt = now;
      issue.editorId = actor(call).id;
    }
    if (fields.state !== undefined) setState(call, issue, fields.state, fields.state_reason ?? null);
    if (fields.labels !== undefined && hasAtLeast(call.permission, 'triage')) {
      const wanted = namesOf(fields.labels);
      changeLabels(
        call,
        issue,
        wanted,
        issue.labels.filter((name) => !includesName(wanted, name)),
      );
    }
    issue.updatedAt = now;
    return { status: 200, body: documents.issue(repository, issue) };
  }),

  'issues/list-labels-on-issue': read((call) => labelList(call, findIssue(call))),

  'issues/add-labels': write('triage', (call) => {
    const issue = findIssue(call);
    changeLabels(call, issue, namesOf(labelsOfBody(call.body)), []);
    return labelAnswer(call, issue);
  }),

  'issues/set-labels': write('triage', (call) => {
    const issue = findIssue(call);
    const wanted = namesOf(labelsOfBody(call.body));
    changeLabels(
      call,
      issue,
      wanted,
      issue.labels.filter((name) => !includesName(wanted, name)),
    );
    return labelAnswer(call, issue);
  }),

  'issues/remove-label': write('triage', (call) => {
    const issue = findIssue(call);
    const name = call.params.name ?? '';
    if (!includesName(issue.labels, name)) throw refused(404, 'Label does not exist');
    changeLabels(call, issue, [], [name]);
    return labelAnswer(call, issue);
  }),

  'issues/list-comments': read((call) => {
    const { documents, repository } = call;
    const { number } = findIssue(call);
    const since = sinceOf(call.query);
    return list(
      repository.comments.filter(
        (comment) => comment.number === number && (since === null || comment.updatedAt >= since),
      ),
      (comment) => documents.comment(repository, comment),
    );
  }),

  'issues/list-comments-for-repo': read(({ documents, repository, query }) => {
    const since = sinceOf(query);
    const found = repository.comments.filter((comment) => since === null || comment.updatedAt >= since);
    return list(sortComments(found, query), (comment) => documents.comment(repository, comment));
  }),

  'issues/create-comment': write('read', (call) => {
    const { documents, repository, state, now } = call;
    const issue = findIssue(call);
    const { body } = call.body as { body: string };
    checkTexts('IssueComment', { body });
    if (body.trim() === '')
      throw invalid([{ resource: 'IssueComment', code: 'missing_field', field: 'body' }]);
    const comment: Comment = {
      id: nextId(state),
      number: issue.number,
      authorId: actor(call).id,
      body,
      createdAt: now,
      updatedAt: now,
    };
    repository.comments.push(comment);
    issue.updatedAt = now;
    return { status: 201, body: documents.comment(repository, comment) };
  }),

  'issues/get-comment': read((call) => ({
    status: 200,
    body: call.documents.comment(call.repository, findComment(call)),
  })),

  'issues/update-comment': write('read', (call) => {
    const comment = findComment(call);
    if (comment.authorId !== actor(call).id && !hasAtLeast(call.permission, 'write'))
      throw refused(403, 'Must have admin rights to Repository.');
    const { body } = call.body as { body: string };
    checkTexts('IssueComment', { body });
    comment.body = body;
    comment.updatedAt = call.now;
    return { status: 200, body: call.documents.comment(call.repository, comment) };
  }),

  'issues/delete-comment': write('write', (call) => {
    const { comments } = call.repository;
    comments.splice(comments.indexOf(findComment(call)), 1);
    return { status: 204 };
  }),

  'issues/list-events': read((call) => {
    const { documents, repository } = call;
    const { number } = findIssue(call);
    return list(
      repository.events.filter((event) => event.number === number),
      (event) => documents.event(repository, event),
    );
  }),

  'issues/list-events-for-timeline': read((call) => {
    const { documents, repository } = call;
    const { number } = findIssue(call);
    return list(
      repository.events.filter((event) => event.number === number),
      (event) => documents.event(repository, event),
    );
  }),

  'issues/list-events-for-repo': read(({ documents, repository }) =>
    list([...repository.events].reverse(), (event) => documents.repositoryEvent(repository, event)),
  ),
};

export function createIssue(call: RepositoryCall, title: string, body: string | null): Issue {
  const { repository, state, now } = call;
  const issue: Issue = {
    id: nextId(state),
    number: nextNumber(repository),
    title,
    body,
    authorId: actor(call).id,
    state: 'open',
    stateReason: null,
    labels: [],
    createdAt: now,
    updatedAt: now,
    closedAt: null,
    editedAt: null,
    editorId: null,
  };
  repository.issues.set(issue.number, issue);
  return issue;
}

export function setState(
  call: RepositoryCall,
  issue: Issue,
  state: Issue['state'],
  reason: Issue['stateReason'],
): void {
  if (issue.state === state) return;
  issue.state = state;
  issue.stateReason = reason ?? (state === 'closed' ? 'completed' : 'reopened');
  issue.closedAt = state === 'closed' ? call.now : null;
  issue.updatedAt = call.now;
  recordEvent(call, call.repository, {
    number: issue.number,
    event: state === 'closed' ? 'closed' : 'reopened',
    actorId: actor(call).id,
  });
}

/** Adds first, then removes, with an event for each change. Unknown labels are created. */
function changeLabels(
  call: RepositoryCall,
  issue: Issue,
  adding: readonly string[],
  removing: readonly string[],
): void {
  const { repository, state, now } = call;
  const actorId = actor(call).id;
  for (const name of adding) {
    if (name.trim() === '') throw invalid([{ resource: 'Label', code: 'invalid', field: 'name' }]);
    const label = repository.labels.get(name.toLowerCase()) ?? addLabel(repository, nextId(state), name);
    if (includesName(issue.labels, name)) continue;
    issue.labels = [...issue.labels, label.name];
    recordEvent(call, repository, { number: issue.number, event: 'labeled', actorId, label: { ...label } });
    issue.updatedAt = now;
  }
  for (const name of removing) {
    const label = repository.labels.get(name.toLowerCase());
    if (label === undefined || !includesName(issue.labels, name)) continue;
    issue.labels = issue.labels.filter((each) => each.toLowerCase() !== name.toLowerCase());
    recordEvent(call, repository, { number: issue.number, event: 'unlabeled', actorId, label: { ...label } });
    issue.updatedAt = now;
  }
}

function labelList(call: RepositoryCall, issue: Issue) {
  return list(call.documents.labelsOf(call.repository, issue), (label) => label);
}

/** Answers to changes of labels have all of them, without pages. */
function labelAnswer(call: RepositoryCall, issue: Issue) {
  return { status: 200, body: call.documents.labelsOf(call.repository, issue) };
}

function labelsOfBody(body: unknown): readonly LabelField[] {
  if (Array.isArray(body)) return body;
  return (body as { labels?: LabelField[] } | undefined)?.labels ?? [];
}

function namesOf(labels: readonly LabelField[]): readonly string[] {
  return labels.map((label) => (typeof label === 'string' ? label : (label.name ?? '')));
}

function includesName(names: readonly string[], name: string): boolean {
  return names.some((each) => each.toLowerCase() === name.toLowerCase());
}

function findComment({ repository, params }: RepositoryCall): Comment {
  const comment = repository.comments.find(({ id }) => id === Number(params.comment_id));
  if (comment === undefined) throw notFound();
  return comment;
}

export function sortComments<
  T extends { readonly createdAt: number; readonly updatedAt: number; readonly id: number },
>(comments: readonly T[], query: URLSearchParams): readonly T[] {
  const key = query.get('sort') === 'updated' ? 'updatedAt' : 'createdAt';
  const sorted = [...comments].sort((a, b) => a[key] - b[key] || a.id - b.id);
  return query.get('direction') === 'desc' ? sorted.reverse() : sorted;
}
