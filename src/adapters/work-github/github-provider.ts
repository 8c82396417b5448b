import { ExpectedFailure } from '../../contracts/expected-failure.ts';
import { ForgeError, isForgeProblem } from '../../forge/forge-problem.ts';
import type {
  MergeRequest,
  MergeResult,
  ProviderState,
  ProviderWrite,
  RequestAnswer,
  WorkProvider,
} from '../../ports/work/work-provider.ts';
import { messageOf } from '../../text/error-message.ts';
import { ASKED } from '../../work/engine/provider-requests.ts';
import { formatProse } from '../../work/forge/forge-text.ts';
import { formatSummary } from '../../work/forge/item-pull.ts';
import type { LabelDefinition } from '../../work/items/labels.ts';
import type { ForgeMemory, MemoryFile } from './memory.ts';
import { mergePull } from './merge-pull.ts';
import { poll } from './poll.ts';
import { project } from './projection.ts';
import type { ForgeDeps, Projection } from './projection-context.ts';
import { reviewSha } from './pull-projection.ts';
import { addNote } from './requests.ts';
import { createTrust } from './trust.ts';

/**
 * Work items on a forge: the local provider has the items, and issues, labels, pull requests and reviews are their
 * projection. A write is done when it is done locally; the forge follows at once, or with the next read if it can't be
 * reached. What people change on the forge comes back as edits and requests. All methods but `settle`, `setUpLabels` and
 * `close` are called under the lock of the journal.
 */
export interface GitHubProviderDeps extends ForgeDeps {
  readonly local: WorkProvider;
  readonly memory: MemoryFile;
  /** How long an answer of the forge is good for. */
  readonly pollMs?: number;
}

const POLL_MS = 30_000;
/** The first pause before asking again for checks that run, and the longest. */
const CHECKS_MS = { first: 2_000, longest: 30_000 };
/** The pause is longer while many revisions wait: each costs two requests. */
const CHECKS_MS_EACH = 1_200;
/** The lock of the journal is held while these are sent, a second apart. */
const WRITES_PER_READ = 30;
const WRITES_PER_WRITE = 6;

export function createGitHubProvider(deps: GitHubProviderDeps): WorkProvider {
  const { local, forge, clock, pollMs = POLL_MS } = deps;
  const now = () => clock.now().getTime();
  let polledAt: number | null = null;

  const open = async (writesLeft: number): Promise<Projection> => {
    const memory = await deps.memory.load();
    return { ...deps, memory, save: () => deps.memory.save(memory), writesLeft };
  };
  const flush = async (projection: Projection): Promise<void> => project(projection, await local.read());
  /** What can't be written now is written with the next read, which reports the problem. */
  const tryFlush = async (projection: Projection): Promise<void> => {
    await flush(projection).catch((error: unknown) => {
      if (!(error instanceof ForgeError)) throw error;
    });
  };
  const refresh = async (projection: Projection): Promise<void> => {
    const isDue = polledAt === null || now() - polledAt >= pollMs;
    if (isDue) await checkRepository(deps, projection);
    await flush(projection);
    if (!isDue) return;
    const { memory, save } = projection;
    await poll({ forge, local, memory, save, trust: createTrust(forge), clock });
    polledAt = now();
    await flush(projection);
  };
  const show = (memory: ForgeMemory, state: ProviderState): ProviderState => ({
    ...state,
    revisions: state.revisions.map((revision) => ({
      ...revision,
      url: memory.pulls[revision.workItemID]?.url ?? revision.url,
    })),
    requests: memory.requests,
  });

  return {
    read: async () => {
      const projection = await open(WRITES_PER_READ);
      await refresh(projection);
      return show(projection.memory, await local.read());
    },
    write: async (key, writes) => {
      const projection = await open(WRITES_PER_WRITE);
      if (key.startsWith(ASKED)) await rememberAskedReviews(projection, local, writes);
      const written = await local.write(key, writes);
      rememberSummaries(projection.memory, writes);
      await projection.save();
      await tryFlush(projection);
      return written;
    },
    makeRevision: async (key, request) => {
      const made = await local.makeRevision(key, request);
      if (!made.ok) return made;
      const projection = await open(WRITES_PER_WRITE);
      await tryFlush(projection);
      const url = projection.memory.pulls[request.itemId]?.url ?? null;
      return { ok: true, revision: { ...made.revision, url } };
    },
    merge: (key, request) => merge(deps, key, request, open),
    settle: async (signal) => {
      for (let pauseMs = CHECKS_MS.first; !signal.aborted; ) {
        await local.settle(signal);
        const { revisions } = await local.read();
        const waiting = revisions.filter(({ pipeline }) => pipeline.status === 'pending').length;
        if (signal.aborted || waiting === 0) return;
        await clock.sleep(Math.max(pauseMs, waiting * CHECKS_MS_EACH), signal);
        pauseMs = Math.min(pauseMs * 2, CHECKS_MS.longest);
      }
    },
    setUpLabels: (labels) => setUpLabels(deps, labels),
    answer: async (key, answer) => {
      const projection = await open(WRITES_PER_WRITE);
      const { memory, save } = projection;
      const request = memory.requests.find((each) => each.key === key);
      if (request === undefined) return;
      memory.requests = memory.requests.filter((each) => each.key !== key);
      memory.answered.push(key);
      const text = describeAnswer(request, answer);
      const onPull = request.kind !== 'transition';
      if (text !== null) addNote(memory, request.itemId, `answer/${key}`, formatProse(text).text, onPull);
      await save();
      await tryFlush(projection);
    },
    close: local.close,
  };
}

/** A checkout keeps its items with one repository: another one of the same name has other issues. */
async function checkRepository({ forge }: GitHubProviderDeps, { memory, save }: Projection): Promise<void> {
  const { id, fullName } = await forge.repository();
  if (memory.repositoryId === null) {
    memory.repositoryId = id;
    await save();
  } else if (memory.repositoryId !== id) throw new ForgeError({ kind: 'other_repository', name: fullName });
}

/** The forge shows a person's review already. */
async function rememberAskedReviews(
  { memory, save }: Projection,
  local: WorkProvider,
  writes: readonly ProviderWrite[],
): Promise<void> {
  const { revisions } = await local.read();
  for (const write of writes) {
    const revision =
      write.kind === 'post_review' ? revisions.find(({ id }) => id === write.revisionId) : undefined;
    if (write.kind !== 'post_review' || revision === undefined) continue;
    const sha = reviewSha({ review: write.review, headSHA: revision.headSHA });
    memory.reviews[write.revisionId] = { id: memory.reviews[write.revisionId]?.id ?? null, sha };
    await save();
  }
}

function rememberSummaries(memory: ForgeMemory, writes: readonly ProviderWrite[]): void {
  for (const write of writes)
    if (write.kind === 'keep_summary')
      addNote(
        memory,
        write.id,
        `summary/${write.id}/${write.runId}`,
        formatSummary(write.runId, write.summary),
      );
}

/** What a person who asked for something on the forge is told there; null if the forge shows it by itself. */
function describeAnswer(request: ForgeMemory['requests'][number], answer: RequestAnswer): string | null {
  const { itemId, by } = request;
  if (!answer.ok) {
    const help = answer.help === null ? '' : ` To continue: ${answer.help}.`;
    return `Work item ${itemId} stays as it is. ${by} asked for ${describeRequest(request)}, which was refused: ${answer.reason}.${help}`;
  }
  if (request.kind !== 'extend_scope') return null;
  return `Work item ${itemId} may change \`${request.path}\` from now on, as ${by} says: ${request.reason}`;
}

function describeRequest(request: ForgeMemory['requests'][number]): string {
  switch (request.kind) {
    case 'transition':
      return `the status ${request.to}`;
    case 'extend_scope':
      return `\`${request.path}\` in its scope`;
    case 'review':
      return request.review.verdict === 'approve' ? 'its approval' : 'changes';
    case 'merge':
      return 'its merge';
  }
}

/** A merge can't be repeated later: everything that it needs is written first, and a failure is an error. */
async function merge(
  deps: GitHubProviderDeps,
  key: string,
  request: MergeRequest,
  open: (writesLeft: number) => Promise<Projection>,
): Promise<MergeResult> {
  const { itemId, revisionId } = request;
  const state = await deps.local.read();
  const revision = state.revisions.find(({ id }) => id === revisionId);
  if (revision?.workItemID !== itemId)
    throw new ExpectedFailure(
      `there is no revision ${JSON.stringify(revisionId)} of work item ${JSON.stringify(itemId)}`,
    );
  const projection = await open(WRITES_PER_READ);
  await checkRepository(deps, projection);
  const items = state.items.filter(({ item }) => item.id === itemId);
  await project(projection, { ...state, items, revisions: [revision] });
  try {
    return await mergePull(projection, key, revision, request);
  } catch (error) {
    if (!isForgeProblem(error, 'conflict', 'refused')) throw error;
    return {
      ok: false,
      reason: messageOf(error),
      help: 'look at the pull request, and merge it again when the forge allows it',
    };
  }
}

async function setUpLabels(
  { forge }: GitHubProviderDeps,
  labels: readonly LabelDefinition[],
): Promise<readonly string[]> {
  const existing = new Set((await forge.labels.list()).map(({ name }) => name.toLowerCase()));
  const made: string[] = [];
  for (const { name, description, color } of labels) {
    if (existing.has(name.toLowerCase())) continue;
    try {
      await forge.labels.create({ name, description, color });
      made.push(name);
    } catch (error) {
      // Another process created it in the meantime.
      if (!isForgeProblem(error, 'conflict')) throw error;
    }
  }
  return made;
}
