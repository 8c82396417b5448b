import type { PullRequest } from '../../forge/forge-values.ts';
import type { ProviderItem, ProviderState } from '../../ports/work/work-provider.ts';
import {
  findReviewRequests,
  findScopeRequests,
  hasCommand,
  type SpokenText,
} from '../../work/forge/pull-requests.ts';
import { readIssueChanges } from './issue-changes.ts';
import { considerIssue } from './issue-import.ts';
import type { PullMemory } from './memory.ts';
import { addRequests, type Poll, transition } from './requests.ts';

/** Reads from the forge what people changed there: edits go to the local provider, wishes become requests. */

/** The forge counts in seconds, and its clock may differ from that of this machine. */
const SETTLED_MS = 10_000;

export async function poll(context: Poll): Promise<void> {
  const { forge, local, memory, save } = context;
  // Without a cursor only what is open can become an item.
  const issues = await forge.issues.list(
    memory.cursor === null ? { state: 'open' } : { state: 'all', since: memory.cursor },
  );
  const pulls = await forge.pulls.list({ state: 'open' });
  const state = await local.read();
  const itemByNumber = new Map(
    state.items.flatMap((each) => {
      const number = memory.issues[each.item.id]?.number;
      return number === undefined ? [] : [[number, each] as const];
    }),
  );
  // A merge closes the issue too, so pull requests come first.
  for (const item of state.items) await readPullChanges(context, state, item, pulls);
  const times: string[] = [];
  const openTimes: string[] = [];
  for (const issue of issues) {
    const item = itemByNumber.get(issue.number);
    const isRead =
      item === undefined ? await considerIssue(context, issue) : await readIssueChanges(context, item, issue);
    (isRead ? times : openTimes).push(issue.updatedAt);
  }
  // What could not be judged yet is listed again with the next poll.
  memory.cursor = openTimes.toSorted()[0] ?? times.toSorted().at(-1) ?? memory.cursor;
  await save();
}

async function readPullChanges(
  context: Poll,
  state: ProviderState,
  { item }: ProviderItem,
  open: readonly PullRequest[],
): Promise<void> {
  const { forge, memory, save, clock } = context;
  const known = memory.pulls[item.id];
  if (known?.number == null || known.state !== 'open' || item.status === 'closed') return;
  const { number } = known;
  const pull = open.find((each) => each.number === number) ?? (await forge.pulls.get(number));
  if (pull.state !== 'open') {
    readEnd(context, item, known, pull);
    await save();
    return;
  }
  const revision = state.revisions.find(({ id }) => id === item.linkedRevision);
  if (pull.updatedAt === known.updatedAt || revision === undefined) return;
  const comments = await forge.pulls.reviewComments(number);
  const reviews = await forge.pulls.reviews(number);
  const spoken: SpokenText[] = [
    ...(await forge.issues.comments(number)).map((each) => ({ ...each, key: `comment/${each.id}` })),
    ...reviews.map((each) => ({ ...each, key: `review-text/${each.id}` })),
    ...comments.map((each) => ({ ...each, key: `line-comment/${each.id}` })),
  ].filter(({ body }) => hasCommand(body));
  const trusted = await context.trust.findTrusted([
    ...reviews.filter((each) => each.state !== 'commented').map(({ author }) => author),
    ...spoken.map(({ author }) => author),
  ]);
  addRequests(memory, findScopeRequests(item.id, spoken, trusted));
  addRequests(memory, findReviewRequests({ item, revision, reviews, comments, trusted }));
  // Two acts within a second have one time, and only the first may be there yet.
  const ageMs = clock.now().getTime() - Date.parse(pull.updatedAt);
  known.updatedAt = ageMs > SETTLED_MS ? pull.updatedAt : null;
  await save();
}

/** A person merged or closed the pull request of an item. */
function readEnd({ memory }: Poll, item: ProviderItem['item'], known: PullMemory, pull: PullRequest): void {
  const name = `pull request #${pull.number}`;
  const by = pull.mergedBy?.login ?? 'a person on the forge';
  if (pull.state === 'merged') {
    known.state = 'merged';
    const isApproved = item.status === 'approved' && pull.headSha === known.headSHA;
    if (pull.mergeSha !== null)
      known.mergedAs = { headSHA: pull.headSha, commit: pull.mergeSha, into: pull.baseRef };
    addRequests(memory, [
      isApproved
        ? { key: `merged/${pull.number}`, kind: 'merge', itemId: item.id, by }
        : transition(`merged/${pull.number}`, item.id, 'closed', by, `${name} was merged`),
    ]);
    return;
  }
  known.state = 'closed';
  if (item.status === 'review')
    addRequests(memory, [
      transition(
        `closed/${pull.number}/${known.headSHA}`,
        item.id,
        'needs-refinement',
        by,
        `${name} was closed`,
      ),
    ]);
}
