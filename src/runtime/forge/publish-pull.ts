import { ForgeError } from '../../forge/forge-problem.ts';
import type { ForgeRepository, ForgeUser, PullRequest } from '../../forge/forge-values.ts';
import { readMarker } from '../../forge/markers.ts';
import { writeOnce } from '../../forge/write-once.ts';
import { replaceOwnPart } from '../../overview/pull-request-body.ts';
import type { Forge } from '../../ports/forge/forge.ts';
import type { IntentJournal } from '../../ports/forge/intents.ts';
import type { ProjectForge } from '../../ports/forge/project-forge.ts';

/** What a run publishes. */
export interface PullContent {
  readonly runId: string;
  readonly title: string;
  /** With the marker of the run. */
  readonly body: string;
  readonly branch: string;
  readonly commit: string;
  readonly isDraft: boolean;
  readonly status: { readonly state: 'pending' | 'success' | 'failure'; readonly description: string };
}

export interface PublishedPull {
  readonly pull: PullRequest;
  readonly repository: ForgeRepository;
  readonly self: ForgeUser;
}

export interface PublishDeps {
  readonly forge: Forge;
  readonly journal: IntentJournal;
  readonly push: ProjectForge['push'];
  readonly signal: AbortSignal;
}

/** The context of the commit status. */
const STATUS_CONTEXT = 'conductor';
/** GitHub refuses longer titles. */
const MAX_TITLE = 250;

/**
 * Pushes the work of a run and opens its pull request, or updates the one that is there. Every step is looked up before it
 * is repeated, so a process that was killed anywhere leaves one branch, one pull request and one status for the next one.
 * A pull request that was merged is returned as it is; a closed one is an error.
 */
export async function publishPull(deps: PublishDeps, content: PullContent): Promise<PublishedPull> {
  const { forge } = deps;
  const repository = await expectSameRepository(deps);
  const self = await forge.self();
  const known = await findPull(forge, repository, content);
  if (known?.state === 'merged') return { pull: known, repository, self };
  if (known?.state === 'closed')
    throw new ForgeError({
      kind: 'conflict',
      what: `publishing to pull request #${known.number}`,
      reason: 'it was closed; reopen it on the forge, and run the same command again',
    });
  await pushOnce(deps, repository, content);
  const opened = known ?? (await openOnce(deps, repository, content));
  const pull = await updateOnce(deps, opened, content);
  await setStatusOnce(deps, content);
  return { pull, repository, self };
}

/** The newest pull request of the run; null if there is none. A marker counts only on a branch of the repository. */
export async function findPull(
  forge: Forge,
  { id }: ForgeRepository,
  { branch, runId }: Pick<PullContent, 'branch' | 'runId'>,
): Promise<PullRequest | null> {
  const pulls = await forge.pulls.list({ state: 'all', headRef: branch });
  const own = pulls.filter(
    ({ body, headRepositoryId: from }) => readMarker('run', body) === runId && (from === null || from === id),
  );
  return own.find(({ state }) => state === 'open') ?? own[0] ?? null;
}

/** A name can lead to another repository later; the id is what was published to. */
async function expectSameRepository({ forge, journal }: PublishDeps): Promise<ForgeRepository> {
  const repository = await forge.repository();
  const id = await writeOnce(journal, {
    key: 'repository',
    operation: 'choose_repository',
    recall: (result) => (typeof result === 'number' ? result : null),
    find: async () => null,
    write: async () => repository.id,
  });
  if (id !== repository.id) throw new ForgeError({ kind: 'other_repository', name: repository.fullName });
  return repository;
}

async function pushOnce(
  { forge, journal, push, signal }: PublishDeps,
  { gitUrl }: ForgeRepository,
  { branch, commit }: PullContent,
): Promise<void> {
  const head = await forge.commits.headOf(branch);
  const before = await journal.look('branch');
  if (head === null && before.kind === 'finished')
    throw new ForgeError({ kind: 'branch_moved', branch, reason: 'it was deleted' });
  if (head !== null && head !== commit && (await journal.look(`push/${head}`)).kind === 'new')
    throw new ForgeError({ kind: 'branch_moved', branch, reason: `it is at ${head.slice(0, 12)}` });
  await writeOnce(journal, {
    key: `push/${commit}`,
    operation: 'push',
    recall: () => (head === commit ? commit : null),
    find: async () => ((await forge.commits.headOf(branch)) === commit ? commit : null),
    write: async () => {
      if (head !== commit) await push({ forge, gitUrl, commit, branch, expected: head, signal });
      return commit;
    },
  });
  await journal.finish('branch', commit);
}

async function openOnce(
  { forge, journal }: PublishDeps,
  repository: ForgeRepository,
  content: PullContent,
): Promise<PullRequest> {
  const { title, body, branch, isDraft } = content;
  const find = () => findPull(forge, repository, content);
  const number = await writeOnce(journal, {
    key: 'pull',
    operation: 'open_pull_request',
    // The list has been read already: a number that is recorded and not listed can't be used.
    recall: () => null,
    find: async () => (await find())?.number ?? null,
    write: async () => {
      const fields = { body, headRef: branch, baseRef: repository.defaultBranch, isDraft };
      return (await forge.pulls.create({ title: title.slice(0, MAX_TITLE), ...fields })).number;
    },
  });
  return forge.pulls.get(number);
}

/** The title stays as people left it; so does everything around conductor's part of the description. */
async function updateOnce(
  { forge, journal }: PublishDeps,
  pull: PullRequest,
  { runId, body, commit, status }: PullContent,
): Promise<PullRequest> {
  const wanted = replaceOwnPart(normalize(pull.body), runId, body);
  if (wanted === normalize(pull.body)) return pull;
  const find = async () => {
    const found = await forge.pulls.get(pull.number);
    return normalize(found.body) === wanted ? found.number : null;
  };
  await writeOnce(journal, {
    key: `update/${commit}/${status.state}/${status.description}`,
    operation: 'update_pull_request',
    recall: () => null,
    find,
    write: async () => (await forge.pulls.update(pull.number, { body: wanted })).number,
  });
  return forge.pulls.get(pull.number);
}

async function setStatusOnce(
  { forge, journal }: PublishDeps,
  { commit, status }: PullContent,
): Promise<void> {
  const { state, description } = status;
  const find = async () => {
    const found = (await forge.commits.statuses(commit)).find(({ context }) => context === STATUS_CONTEXT);
    return found?.state === state && found.description === description ? true : null;
  };
  if ((await find()) !== null) return;
  await writeOnce(journal, {
    key: `status/${commit}/${state}/${description}`,
    operation: 'set_status',
    recall: () => null,
    find,
    write: async () => {
      await forge.commits.setStatus(commit, { context: STATUS_CONTEXT, state, description, url: null });
      return true;
    },
  });
}

/** Forges store line ends as browsers send them. */
function normalize(text: string): string {
  return text.replaceAll('\r\n', '\n');
}
