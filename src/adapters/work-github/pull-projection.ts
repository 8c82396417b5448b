import type { ReviewRecord } from '../../contracts/work/work-event.ts';
import type { Revision, WorkItem } from '../../contracts/work/work-item.ts';
import { ForgeError, isForgeProblem } from '../../forge/forge-problem.ts';
import type { PullRequest } from '../../forge/forge-values.ts';
import { readMarker } from '../../forge/markers.ts';
import { writeOnce } from '../../forge/write-once.ts';
import { sha256Hex } from '../../node/sha256.ts';
import type { ProviderState } from '../../ports/work/work-provider.ts';
import { itemKey } from '../../work/forge/item-issue.ts';
import { formatReview, type PullPlan, planPull } from '../../work/forge/item-pull.ts';
import type { PullMemory } from './memory.ts';
import { contextOf, type Projection, textSha } from './projection-context.ts';

/** Pushes the commit of a revision and opens or updates its pull request. Closes it if its item is closed without a merge. */
export async function projectRevision(
  projection: Projection,
  item: WorkItem,
  revision: Revision,
): Promise<void> {
  const { memory } = projection;
  const known = memory.pulls[item.id];
  if (known?.state === 'merged') return;
  if (item.status === 'closed') {
    if (known?.number != null && known.state === 'open') await closePull(projection, known, known.number);
    return;
  }
  const pushed =
    known?.headSHA === revision.headSHA && known.pushedAt !== ''
      ? known
      : await pushRevision(projection, known ?? null, revision);
  // A person closed it; another revision opens it again.
  if (pushed.number !== null && pushed.state === 'closed') return;
  const plan = planPull(revision, contextOf(memory));
  if (pushed.number === null) await openPull(projection, pushed, revision, plan);
  else if (pushed.wroteSha !== textSha(plan)) await updatePull(projection, pushed, pushed.number, plan);
}

function branchOf({ headRef }: Pick<Revision, 'headRef'>): string {
  return headRef.replace(/^refs\/heads\//, '');
}

async function pushRevision(
  projection: Projection,
  known: PullMemory | null,
  revision: Revision,
): Promise<PullMemory> {
  const { branches, memory, save, clock } = projection;
  projection.writesLeft -= 1;
  const lease = known?.headSHA ?? null;
  await branches.push({ branch: branchOf(revision), commit: revision.headSHA, lease });
  const isClosed = known?.state === 'closed';
  const pushed: PullMemory = {
    number: isClosed ? null : (known?.number ?? null),
    url: isClosed ? null : (known?.url ?? null),
    baseRef: known?.baseRef ?? null,
    headSHA: revision.headSHA,
    pushedAt: clock.now().toISOString(),
    wroteSha: known?.wroteSha ?? '',
    state: 'open',
    updatedAt: null,
    mergedAs: null,
  };
  memory.pulls[revision.workItemID] = pushed;
  await save();
  return pushed;
}

async function openPull(
  projection: Projection,
  known: PullMemory,
  revision: Revision,
  plan: PullPlan,
): Promise<void> {
  const { forge, intents, branches, memory, save } = projection;
  const headRef = branchOf(revision);
  const baseRef = await branches.baseBranch();
  if (baseRef === null)
    throw new ForgeError({ kind: 'not_found', what: 'the default branch of the repository' });
  const marker = itemKey(memory.owner, revision.workItemID);
  projection.writesLeft -= 1;
  const pull = await writeOnce<PullRequest>(intents, {
    key: `pull/${marker}/${revision.headSHA}`,
    operation: 'open pull request',
    recall: () => null,
    // The branch is conductor's own, so its open pull request is adopted, by whichever account it was opened.
    find: async () => (await forge.pulls.list({ state: 'open', headRef }))[0] ?? null,
    write: () => forge.pulls.create({ ...plan, headRef, baseRef, isDraft: false }),
    record: ({ number }) => ({ number }),
  });
  Object.assign(known, {
    number: pull.number,
    url: pull.url,
    baseRef: pull.baseRef,
    wroteSha: textSha(plan),
  });
  await save();
  const isOurs = readMarker('revision', pull.body) === marker;
  if (!isOurs) await updatePull(projection, known, pull.number, plan);
}

async function updatePull(
  { forge, save, ...projection }: Projection,
  known: PullMemory,
  number: number,
  plan: PullPlan,
): Promise<void> {
  projection.writesLeft -= 1;
  await forge.pulls.update(number, plan);
  known.wroteSha = textSha(plan);
  await save();
}

async function closePull(projection: Projection, known: PullMemory, number: number): Promise<void> {
  projection.writesLeft -= 1;
  await projection.forge.pulls.update(number, { state: 'closed' });
  known.state = 'closed';
  await projection.save();
}

export function reviewSha({ review, headSHA }: Pick<ReviewRecord, 'review' | 'headSHA'>): string {
  return sha256Hex(JSON.stringify([headSHA, review.verdict, review.summary, review.comments]));
}

/** Agents' reviews are comments: a forge refuses an approval by the author of a pull request. */
export async function projectReviews(projection: Projection, state: ProviderState): Promise<void> {
  const { memory } = projection;
  for (const review of state.reviews) {
    if (projection.writesLeft <= 0) return;
    const shown = memory.reviews[review.revisionID];
    if (shown?.sha === reviewSha(review)) continue;
    const revision = state.revisions.find(({ id }) => id === review.revisionID);
    const pull = revision === undefined ? undefined : memory.pulls[revision.workItemID];
    if (pull?.number == null || pull.headSHA !== review.headSHA) continue;
    await showReview(projection, pull.number, review, shown?.id ?? null);
  }
}

async function showReview(
  projection: Projection,
  number: number,
  review: ReviewRecord,
  earlier: number | null,
): Promise<void> {
  const { forge, intents, memory, save } = projection;
  const body = formatReview(review, memory.owner);
  const sha = reviewSha(review);
  projection.writesLeft -= 1;
  const post = () =>
    writeOnce<number>(intents, {
      key: `review/${memory.owner}/${review.revisionID}/${sha}`,
      operation: 'review',
      recall: (result) => (typeof result === 'number' ? result : null),
      find: async () => {
        const self = await forge.self();
        const all = await forge.pulls.reviews(number);
        return all.find((each) => each.author.id === self.id && each.body === body)?.id ?? null;
      },
      write: async () =>
        (await forge.pulls.review(number, { commit: review.headSHA, event: 'comment', body })).id,
    });
  const id = earlier === null ? await post() : await replaceReview(projection, number, earlier, body, post);
  memory.reviews[review.revisionID] = { id, sha };
  await save();
}

async function replaceReview(
  { forge }: Projection,
  number: number,
  id: number,
  body: string,
  post: () => Promise<number>,
): Promise<number> {
  try {
    return (await forge.pulls.updateReview(number, id, body)).id;
  } catch (error) {
    // It is a review of an earlier pull request of the item.
    if (!isForgeProblem(error, 'not_found')) throw error;
    return post();
  }
}
