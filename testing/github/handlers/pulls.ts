import {
  actor,
  checkTexts,
  findPull,
  type Handler,
  invalid,
  list,
  type RepositoryCall,
  read,
  recordEvent,
  refused,
  sortByQuery,
  write,
} from '../call.ts';
import type { PullFigures } from '../pull-documents.ts';
import { issueOf, nextId, type Pull, type Repository } from '../state.ts';
import { createIssue, setState } from './issues.ts';

/** Pull requests and their files. Reviews are in a file of their own. */
export const pullHandlers: Readonly<Record<string, Handler>> = {
  'pulls/list': read(({ documents, query, repository }) => {
    const state = query.get('state') ?? 'open';
    const head = query.get('head');
    const base = query.get('base');
    const found = [...repository.pulls.values()].filter((pull) => {
      const label = documents.simplePull(repository, pull).head.label;
      return (
        (state === 'all' || issueOf(repository, pull.number).state === state) &&
        (base === null || pull.baseRef === base) &&
        // GitHub ignores a filter that names no owner.
        (head?.includes(':') !== true || label.toLowerCase() === head.toLowerCase())
      );
    });
    return list(
      sortByQuery(found, query, (pull) => issueOf(repository, pull.number)),
      (pull) => documents.simplePull(repository, pull),
    );
  }),

  'pulls/get': read(async (call) => {
    const { pull } = findPull(call);
    return { status: 200, body: await fullPull(call, pull) };
  }),

  'pulls/create': write('read', async (call) => {
    const { repository, documents, state } = call;
    const fields = call.body as {
      title?: string;
      body?: string;
      head: string;
      base: string;
      draft?: boolean;
    };
    checkTexts('PullRequest', fields);
    if (fields.title === undefined)
      throw invalid([{ resource: 'PullRequest', code: 'missing_field', field: 'title' }]);
    const owner = documents.simpleUser(repository.ownerId).login;
    const [namespace, ref = ''] = fields.head.includes(':') ? fields.head.split(':') : [owner, fields.head];
    const head =
      namespace?.toLowerCase() === owner.toLowerCase()
        ? await repository.bare.resolve(`refs/heads/${ref}`)
        : null;
    if (head === null) throw invalid([{ resource: 'PullRequest', code: 'invalid', field: 'head' }]);
    const base = await repository.bare.resolve(`refs/heads/${fields.base}`);
    if (base === null) throw invalid([{ resource: 'PullRequest', code: 'invalid', field: 'base' }]);
    const fork = await repository.bare.mergeBase(base, head);
    if (fork === null)
      throw invalid([custom(`The ${fields.base} branch has no history in common with ${owner}:${ref}`)]);
    if ((await repository.bare.commits(base, head)) === 0)
      throw invalid([custom(`No commits between ${fields.base} and ${ref}`)]);
    const earlier = [...repository.pulls.values()].find(
      (pull) =>
        pull.headRef === ref &&
        pull.baseRef === fields.base &&
        issueOf(repository, pull.number).state === 'open',
    );
    if (earlier !== undefined) throw invalid([custom(`A pull request already exists for ${owner}:${ref}.`)]);
    const issue = createIssue(call, fields.title, fields.body ?? null);
    const pull: Pull = {
      id: nextId(state),
      number: issue.number,
      headRef: ref,
      headSha: head,
      baseRef: fields.base,
      baseSha: base,
      isDraft: fields.draft ?? false,
      mergedAt: null,
      mergedById: null,
      mergeSha: null,
    };
    repository.pulls.set(pull.number, pull);
    return { status: 201, body: await fullPull(call, pull) };
  }),

  'pulls/update': write('read', async (call) => {
    const { repository, now } = call;
    const { pull, issue } = findPull(call);
    if (call.permission === 'read' && issue.authorId !== actor(call).id)
      throw refused(403, 'Must have admin rights to Repository.');
    const fields = call.body as { title?: string; body?: string; state?: 'open' | 'closed'; base?: string };
    checkTexts('PullRequest', fields);
    if (fields.state === 'open' && issue.state === 'closed') await checkReopening(repository, pull);
    if (fields.base !== undefined && fields.base !== pull.baseRef) {
      const base = await repository.bare.resolve(`refs/heads/${fields.base}`);
      if (base === null) throw invalid([{ resource: 'PullRequest', code: 'invalid', field: 'base' }]);
      pull.baseRef = fields.base;
      pull.baseSha = base;
    }
    if (fields.title !== undefined) issue.title = fields.title;
    if (fields.body !== undefined) issue.body = fields.body;
    if (fields.state !== undefined) setState(call, issue, fields.state, null);
    issue.updatedAt = now;
    return { status: 200, body: await fullPull(call, pull) };
  }),

  'pulls/list-files': read(async (call) => {
    const { repository, documents } = call;
    const { pull } = findPull(call);
    const url = documents.repoUrl(repository);
    return list(await filesOf(repository, pull), (file) => ({
      sha: file.sha,
      filename: file.path,
      status: file.status,
      additions: file.additions,
      deletions: file.deletions,
      changes: file.additions + file.deletions,
      blob_url: `${url}/blob/${pull.headSha}/${encodeURIComponent(file.path)}`,
      raw_url: `${url}/raw/${pull.headSha}/${encodeURIComponent(file.path)}`,
      contents_url: `${url}/contents/${encodeURIComponent(file.path)}?ref=${pull.headSha}`,
      patch: file.patch,
      ...(file.previousPath === null ? {} : { previous_filename: file.previousPath }),
    }));
  }),

  'pulls/check-if-merged': read((call) => ({
    status: findPull(call).pull.mergedAt === null ? 404 : 204,
  })),

  'pulls/merge': write('write', async (call) => {
    const { repository, documents, now } = call;
    const { pull, issue } = findPull(call);
    const fields = (call.body ?? {}) as {
      sha?: string;
      merge_method?: 'merge' | 'squash' | 'rebase';
      commit_title?: string;
      commit_message?: string;
    };
    if (pull.mergedAt !== null || issue.state === 'closed')
      throw refused(405, 'Pull Request is not mergeable');
    if (pull.isDraft) throw refused(405, 'Pull Request is still a draft');
    if (fields.sha !== undefined && fields.sha !== pull.headSha)
      throw refused(409, 'Head branch was modified. Review and try the merge again.');
    const method = fields.merge_method ?? 'merge';
    if (method === 'rebase') throw refused(405, 'Rebase merges are not allowed on this repository.');
    const base = await repository.bare.resolve(`refs/heads/${pull.baseRef}`);
    const title = fields.commit_title ?? `Merge pull request #${pull.number} from ${pull.headRef}`;
    const merged =
      base === null
        ? null
        : await repository.bare.merge({
            base,
            head: pull.headSha,
            method: method === 'squash' ? 'squash' : 'merge',
            message: `${title}\n\n${fields.commit_message ?? issue.title}`,
            author: documents.simpleUser(actor(call).id).login,
            at: now,
          });
    if (merged === null || base === null) throw refused(405, 'Pull Request is not mergeable');
    await repository.bare.git('update-ref', `refs/heads/${pull.baseRef}`, merged, base);
    markMerged(call, repository, pull, actor(call).id, merged);
    return {
      status: 200,
      body: { sha: merged, merged: true, message: 'Pull Request successfully merged' },
    };
  }),
};

interface Context {
  readonly state: RepositoryCall['state'];
  readonly now: number;
}

function markMerged(
  context: Context,
  repository: Repository,
  pull: Pull,
  actorId: number,
  sha: string,
): void {
  const issue = issueOf(repository, pull.number);
  pull.mergedAt = context.now;
  pull.mergedById = actorId;
  pull.mergeSha = sha;
  issue.state = 'closed';
  issue.closedAt = context.now;
  issue.updatedAt = context.now;
  const event = { number: pull.number, actorId, commitId: sha };
  recordEvent(context, repository, { ...event, event: 'merged' });
  recordEvent(context, repository, { ...event, event: 'closed', commitId: null });
  closeReferenced(context, repository, issue.body ?? '', actorId);
}

/** A merged pull request closes the issues that its text says it closes. */
function closeReferenced(context: Context, repository: Repository, body: string, actorId: number): void {
  for (const [, number] of body.matchAll(/\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):? +#(\d+)\b/gi)) {
    const issue = repository.issues.get(Number(number));
    if (issue === undefined || issue.state === 'closed' || repository.pulls.has(issue.number)) continue;
    issue.state = 'closed';
    issue.stateReason = 'completed';
    issue.closedAt = context.now;
    issue.updatedAt = context.now;
    recordEvent(context, repository, { number: issue.number, event: 'closed', actorId });
  }
}

/** After a push: moves the heads of open pull requests, closes those whose branch is gone or whose commits are merged. */
export async function followBranches(
  context: Context,
  repository: Repository,
  actorId: number,
): Promise<void> {
  const branches = await repository.bare.branches();
  for (const pull of repository.pulls.values()) {
    const issue = issueOf(repository, pull.number);
    if (issue.state === 'closed') continue;
    const head = branches.get(pull.headRef);
    const base = branches.get(pull.baseRef);
    if (head === undefined) {
      issue.state = 'closed';
      issue.closedAt = context.now;
      issue.updatedAt = context.now;
      recordEvent(context, repository, { number: pull.number, event: 'head_ref_deleted', actorId });
      recordEvent(context, repository, { number: pull.number, event: 'closed', actorId });
      continue;
    }
    if (head !== pull.headSha) {
      if (!(await repository.bare.isAncestor(pull.headSha, head)))
        recordEvent(context, repository, { number: pull.number, event: 'head_ref_force_pushed', actorId });
      pull.headSha = head;
      issue.updatedAt = context.now;
    }
    if (base !== undefined && base !== pull.baseSha && (await repository.bare.isAncestor(head, base)))
      markMerged(context, repository, pull, actorId, base);
  }
}

export async function filesOf(repository: Repository, pull: Pull) {
  const from = (await repository.bare.mergeBase(pull.baseSha, pull.headSha)) ?? pull.baseSha;
  return repository.bare.files(from, pull.headSha);
}

async function fullPull({ repository, documents }: RepositoryCall, pull: Pull): Promise<object> {
  return documents.pull(repository, pull, await figuresOf(repository, pull));
}

async function figuresOf(repository: Repository, pull: Pull): Promise<PullFigures> {
  const base = await repository.bare.resolve(`refs/heads/${pull.baseRef}`);
  const files = await filesOf(repository, pull);
  const isOpen = issueOf(repository, pull.number).state === 'open';
  return {
    mergeable: isOpen && base !== null ? await repository.bare.canMerge(base, pull.headSha) : null,
    commits: await repository.bare.commits(pull.baseSha, pull.headSha),
    additions: files.reduce((sum, file) => sum + file.additions, 0),
    deletions: files.reduce((sum, file) => sum + file.deletions, 0),
    files: files.length,
  };
}

async function checkReopening(repository: Repository, pull: Pull): Promise<void> {
  if (pull.mergedAt !== null)
    throw invalid([custom('state cannot be changed. The pull request was merged.')]);
  if ((await repository.bare.resolve(`refs/heads/${pull.headRef}`)) === null)
    throw invalid([custom(`state cannot be changed. The ${pull.headRef} branch was deleted.`)]);
}

function custom(message: string): object {
  return { resource: 'PullRequest', code: 'custom', message };
}
