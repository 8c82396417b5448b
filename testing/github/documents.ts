import { createPullDocuments } from './pull-documents.ts';
import {
  type CheckRun,
  type Comment,
  type DoubleState,
  fullNameOf,
  hasAtLeast,
  type Issue,
  type IssueEvent,
  issueOf,
  type Label,
  type Permission,
  permissionOf,
  type Repository,
  type Status,
  type User,
  userOf,
} from './state.ts';

/** The JSON of everything the double knows, in full, as the schemas of GitHub want it. */
export type Documents = ReturnType<typeof createDocuments>;

export function createDocuments(state: DoubleState, origin: string, webOrigin: string) {
  const nodeId = (kind: string, id: number): string => Buffer.from(`${kind}:${id}`).toString('base64');
  const time = (ms: number): string =>
    new Date(Math.floor(ms / 1000) * 1000).toISOString().replace('.000Z', 'Z');
  const timeOrNull = (ms: number | null): string | null => (ms === null ? null : time(ms));
  const repoUrl = (repository: Repository): string => `${origin}/repos/${fullNameOf(state, repository)}`;
  const webUrl = (repository: Repository): string => `${webOrigin}/${fullNameOf(state, repository)}`;

  const user = ({ id, login, type }: User) => {
    const url = `${origin}/users/${encodeURIComponent(login)}`;
    return {
      login,
      id,
      node_id: nodeId('User', id),
      avatar_url: `${origin}/avatars/${id}`,
      gravatar_id: '',
      url,
      html_url: `${webOrigin}/${encodeURIComponent(login)}`,
      followers_url: `${url}/followers`,
      following_url: `${url}/following{/other_user}`,
      gists_url: `${url}/gists{/gist_id}`,
      starred_url: `${url}/starred{/owner}{/repo}`,
      subscriptions_url: `${url}/subscriptions`,
      organizations_url: `${url}/orgs`,
      repos_url: `${url}/repos`,
      events_url: `${url}/events{/privacy}`,
      received_events_url: `${url}/received_events`,
      type,
      site_admin: false,
    };
  };
  const simpleUser = (id: number) => user(userOf(state, id));

  const publicUser = (found: User) => ({
    ...user(found),
    name: null,
    company: null,
    blog: null,
    location: null,
    email: null,
    hireable: null,
    bio: null,
    public_repos: 0,
    public_gists: 0,
    followers: 0,
    following: 0,
    created_at: time(0),
    updated_at: time(0),
  });

  const privateUser = (found: User) => ({
    ...publicUser(found),
    private_gists: 0,
    total_private_repos: 0,
    owned_private_repos: 0,
    disk_usage: 0,
    collaborators: 0,
    two_factor_authentication: true,
  });

  const flags = (permission: Permission) => ({
    admin: hasAtLeast(permission, 'admin'),
    maintain: hasAtLeast(permission, 'maintain'),
    push: hasAtLeast(permission, 'write'),
    triage: hasAtLeast(permission, 'triage'),
    pull: hasAtLeast(permission, 'read'),
  });

  const minimalRepository = (repository: Repository) => {
    const url = repoUrl(repository);
    const below = (...names: readonly string[]) =>
      Object.fromEntries(
        names.map((name) => [`${name.split('/')[0]}_url`, `${url}/${name.replaceAll('_', '/')}`]),
      );
    return {
      id: repository.id,
      node_id: nodeId('Repository', repository.id),
      name: repository.name,
      full_name: fullNameOf(state, repository),
      private: repository.isPrivate,
      owner: simpleUser(repository.ownerId),
      html_url: webUrl(repository),
      description: null,
      fork: false,
      url,
      ...below(
        'archive',
        'assignees',
        'blobs',
        'branches',
        'collaborators',
        'comments',
        'commits',
        'compare',
      ),
      ...below(
        'contents',
        'contributors',
        'deployments',
        'downloads',
        'events',
        'forks',
        'git_commits',
        'git_refs',
      ),
      ...below('git_tags', 'hooks', 'issue_comment', 'issue_events', 'issues', 'keys', 'labels', 'languages'),
      ...below('merges', 'milestones', 'notifications', 'pulls', 'releases', 'stargazers', 'statuses'),
      ...below('subscribers', 'subscription', 'tags', 'teams', 'trees'),
    };
  };

  const repository = (found: Repository, viewer: number | null) => ({
    ...minimalRepository(found),
    clone_url: `${webUrl(found)}.git`,
    git_url: `git://example.invalid/${found.id}.git`,
    ssh_url: `git@example.invalid:${found.id}.git`,
    svn_url: webUrl(found),
    homepage: null,
    language: null,
    forks: 0,
    forks_count: 0,
    stargazers_count: 0,
    watchers: 0,
    watchers_count: 0,
    size: 0,
    default_branch: found.defaultBranch,
    open_issues: 0,
    open_issues_count: 0,
    has_issues: true,
    has_projects: false,
    has_wiki: false,
    has_pages: false,
    has_downloads: false,
    has_discussions: false,
    archived: false,
    disabled: false,
    mirror_url: null,
    license: null,
    visibility: found.isPrivate ? 'private' : 'public',
    pushed_at: time(found.createdAt),
    created_at: time(found.createdAt),
    updated_at: time(found.createdAt),
    permissions: flags(permissionOf(found, viewer)),
    allow_squash_merge: true,
    allow_merge_commit: true,
    allow_rebase_merge: true,
    allow_auto_merge: false,
    delete_branch_on_merge: false,
    network_count: 0,
    subscribers_count: 0,
  });

  /** What a user without a role in a repository has there. */
  const association = (found: Repository, authorId: number): string => {
    if (authorId === found.ownerId) return 'OWNER';
    return found.collaborators.has(authorId) ? 'COLLABORATOR' : 'NONE';
  };

  const collaborator = (found: Repository, who: User) => {
    const role = permissionOf(found, who.id);
    const permission = role === 'maintain' ? 'write' : role === 'triage' ? 'read' : role;
    return {
      permission,
      role_name: role,
      user: { ...user(who), permissions: flags(role), role_name: role },
    };
  };

  const label = (found: Repository, { id, name, color, description }: Label) => ({
    id,
    node_id: nodeId('Label', id),
    url: `${repoUrl(found)}/labels/${encodeURIComponent(name)}`,
    name,
    color,
    default: false,
    description,
  });
  const labelsOf = (found: Repository, { labels }: Issue) =>
    labels.flatMap((name) => {
      const known = found.labels.get(name.toLowerCase());
      return known === undefined ? [] : [label(found, known)];
    });

  const closerOf = (found: Repository, { number, state: now }: Issue) => {
    const closed = found.events.findLast((each) => each.number === number && each.event === 'closed');
    return now === 'open' || closed === undefined ? null : simpleUser(closed.actorId);
  };

  const issue = (found: Repository, one: Issue) => {
    const url = `${repoUrl(found)}/issues/${one.number}`;
    const pull = found.pulls.get(one.number);
    const html = `${webUrl(found)}/${pull === undefined ? 'issues' : 'pull'}/${one.number}`;
    return {
      id: one.id,
      node_id: nodeId('Issue', one.id),
      url,
      repository_url: repoUrl(found),
      labels_url: `${url}/labels{/name}`,
      comments_url: `${url}/comments`,
      events_url: `${url}/events`,
      html_url: html,
      number: one.number,
      state: one.state,
      state_reason: one.stateReason,
      title: one.title,
      body: one.body,
      user: simpleUser(one.authorId),
      labels: labelsOf(found, one),
      assignee: null,
      assignees: [],
      milestone: null,
      locked: false,
      active_lock_reason: null,
      comments: found.comments.filter(({ number }) => number === one.number).length,
      closed_at: timeOrNull(one.closedAt),
      closed_by: closerOf(found, one),
      created_at: time(one.createdAt),
      updated_at: time(one.updatedAt),
      author_association: association(found, one.authorId),
      performed_via_github_app: null,
      ...(pull === undefined
        ? {}
        : {
            draft: pull.isDraft,
            pull_request: {
              url: `${repoUrl(found)}/pulls/${one.number}`,
              html_url: html,
              diff_url: `${html}.diff`,
              patch_url: `${html}.patch`,
              merged_at: timeOrNull(pull.mergedAt),
            },
          }),
    };
  };

  const comment = (found: Repository, one: Comment) => ({
    id: one.id,
    node_id: nodeId('IssueComment', one.id),
    url: `${repoUrl(found)}/issues/comments/${one.id}`,
    html_url: `${webUrl(found)}/issues/${one.number}#issuecomment-${one.id}`,
    issue_url: `${repoUrl(found)}/issues/${one.number}`,
    body: one.body,
    user: simpleUser(one.authorId),
    created_at: time(one.createdAt),
    updated_at: time(one.updatedAt),
    author_association: association(found, one.authorId),
    performed_via_github_app: null,
  });

  const event = (found: Repository, one: IssueEvent) => ({
    id: one.id,
    node_id: nodeId('Event', one.id),
    url: `${repoUrl(found)}/issues/events/${one.id}`,
    actor: simpleUser(one.actorId),
    event: one.event,
    commit_id: one.commitId,
    commit_url: one.commitId === null ? null : `${repoUrl(found)}/commits/${one.commitId}`,
    created_at: time(one.createdAt),
    performed_via_github_app: null,
    ...(one.label === null ? {} : { label: { name: one.label.name, color: one.label.color } }),
    ...(one.rename === null ? {} : { rename: one.rename }),
    ...(one.event === 'closed' || one.event === 'reopened' ? { state_reason: null } : {}),
  });

  const repositoryEvent = (found: Repository, one: IssueEvent) => ({
    ...event(found, one),
    issue: issue(found, issueOf(found, one.number)),
  });

  const status = (found: Repository, one: Status) => ({
    url: `${repoUrl(found)}/statuses/${one.sha}`,
    avatar_url: `${origin}/avatars/${one.creatorId}`,
    id: one.id,
    node_id: nodeId('StatusContext', one.id),
    state: one.state,
    description: one.description,
    target_url: one.targetUrl,
    context: one.context,
    created_at: time(one.createdAt),
    updated_at: time(one.createdAt),
  });

  const app = (id: number) => {
    const known = state.apps.get(id);
    if (known === undefined) throw new Error(`no app has the id ${id}`);
    return {
      id,
      slug: known.slug,
      node_id: nodeId('App', id),
      owner: simpleUser(known.botId),
      name: known.slug,
      description: null,
      external_url: `${webOrigin}/apps/${known.slug}`,
      html_url: `${webOrigin}/apps/${known.slug}`,
      created_at: time(0),
      updated_at: time(0),
      permissions: { checks: 'write', contents: 'write', issues: 'write', metadata: 'read' },
      events: [],
    };
  };

  const checkRun = (found: Repository, one: CheckRun) => ({
    id: one.id,
    head_sha: one.headSha,
    node_id: nodeId('CheckRun', one.id),
    external_id: one.externalId,
    url: `${repoUrl(found)}/check-runs/${one.id}`,
    html_url: `${webUrl(found)}/runs/${one.id}`,
    details_url: one.detailsUrl,
    status: one.status,
    conclusion: one.conclusion,
    started_at: time(one.startedAt),
    completed_at: timeOrNull(one.completedAt),
    output: {
      ...one.output,
      annotations_count: 0,
      annotations_url: `${repoUrl(found)}/check-runs/${one.id}/annotations`,
    },
    name: one.name,
    check_suite: { id: one.id },
    app: app(one.appId),
    pull_requests: [],
  });

  const ref = (found: Repository, name: string, sha: string) => ({
    ref: name,
    node_id: Buffer.from(name).toString('base64'),
    url: `${repoUrl(found)}/git/${name}`,
    object: { type: 'commit', sha, url: `${repoUrl(found)}/git/commits/${sha}` },
  });

  const common = {
    nodeId,
    time,
    timeOrNull,
    repoUrl,
    webUrl,
    association,
    user,
    simpleUser,
    publicUser,
    privateUser,
    minimalRepository,
    repository,
    collaborator,
    label,
    labelsOf,
    issue,
    comment,
    event,
    repositoryEvent,
    status,
    app,
    checkRun,
    ref,
  };
  return { ...common, ...createPullDocuments(state, common) };
}
