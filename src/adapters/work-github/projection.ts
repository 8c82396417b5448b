import { isForgeProblem } from '../../forge/forge-problem.ts';
import { formatMarker, readMarker } from '../../forge/markers.ts';
import { writeOnce } from '../../forge/write-once.ts';
import { sha256Hex } from '../../node/sha256.ts';
import type { ProviderItem, ProviderState } from '../../ports/work/work-provider.ts';
import { planLabelSteps } from '../../work/forge/issue-labels.ts';
import { type IssuePlan, itemKey, planIssue } from '../../work/forge/item-issue.ts';
import type { IssueMemory, Note } from './memory.ts';
import { contextOf, type Projection, rememberIssue, textSha } from './projection-context.ts';
import { projectReviews, projectRevision } from './pull-projection.ts';

/** Writes to the forge what the local items, revisions and reviews look like and the forge does not show yet. */

/** Stops early, without an error, when `writesLeft` is used up. */
export async function project(projection: Projection, state: ProviderState): Promise<void> {
  for (const item of sortByDependency(state.items)) {
    if (projection.writesLeft <= 0) return;
    await projectItem(projection, item);
  }
  for (const revision of state.revisions) {
    if (projection.writesLeft <= 0) return;
    const owner = state.items.find(({ item }) => item.id === revision.workItemID);
    if (owner !== undefined) await projectRevision(projection, owner.item, revision);
  }
  await projectReviews(projection, state);
  for (const note of projection.memory.notes) {
    if (projection.writesLeft <= 0) return;
    await writeNote(projection, note);
  }
}

/** Blockers first, so that an issue can name theirs when it is opened. */
function sortByDependency(items: readonly ProviderItem[]): readonly ProviderItem[] {
  const byId = new Map(items.map((each) => [each.item.id, each]));
  const sorted = new Set<ProviderItem>();
  const visited = new Set<string>();
  // Chains can be longer than the stack.
  for (const start of items) {
    const stack = [start];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const next = visited.has(top.item.id)
        ? undefined
        : top.item.blockedBy
            .map((id) => byId.get(id))
            .find((each) => each !== undefined && !visited.has(each.item.id) && !stack.includes(each));
      if (next !== undefined) stack.push(next);
      else {
        visited.add(top.item.id);
        sorted.add(top);
        stack.pop();
      }
    }
  }
  return [...sorted];
}

async function projectItem(projection: Projection, theirs: ProviderItem): Promise<void> {
  const { memory } = projection;
  const { id } = theirs.item;
  const known = memory.issues[id];
  const plan = planIssue(theirs, contextOf(memory));
  if (known?.isGone === true) return;
  // A person has asked for something that is not answered yet: nothing of it is overwritten.
  if (memory.requests.some(({ itemId }) => itemId === id)) return;
  if (known === undefined) {
    if (plan.state === 'open') await openIssue(projection, id, plan);
    return;
  }
  try {
    await updateIssue(projection, known, plan);
  } catch (error) {
    if (!isForgeProblem(error, 'not_found')) throw error;
    known.isGone = true;
    await projection.save();
  }
}

async function openIssue(projection: Projection, id: string, plan: IssuePlan): Promise<void> {
  const { forge, intents, memory, save } = projection;
  const marker = itemKey(memory.owner, id);
  projection.writesLeft -= 1;
  const issue = await writeOnce(intents, {
    key: `issue/${marker}`,
    operation: 'open issue',
    recall: () => null,
    find: async () => {
      const self = await forge.self();
      const all = await forge.issues.list({ state: 'all' });
      return (
        all.find(({ author, body }) => author.id === self.id && readMarker('item', body) === marker) ?? null
      );
    },
    write: () => forge.issues.create({ title: plan.title, body: plan.body, labels: plan.labels }),
    record: ({ number }) => ({ number }),
  });
  memory.issues[id] = { ...rememberIssue(issue), wroteSha: textSha(plan), isGone: false };
  await save();
}

/** New labels first, old ones after. */
async function updateIssue(projection: Projection, known: IssueMemory, plan: IssuePlan): Promise<void> {
  const { forge, save } = projection;
  const { number } = known;
  const { add, remove } = planLabelSteps(plan.labels, known.labels);
  if (add.length > 0) {
    projection.writesLeft -= 1;
    await forge.issues.addLabels(number, add);
    known.labels = [...known.labels, ...add];
    await save();
  }
  for (const label of remove) {
    projection.writesLeft -= 1;
    await forge.issues.removeLabel(number, label);
    known.labels = known.labels.filter((each) => each !== label);
    await save();
  }
  const isText = textSha(plan) !== known.wroteSha;
  if (!isText && plan.state === known.state) return;
  projection.writesLeft -= 1;
  const { title, bodySha } = rememberIssue(
    await forge.issues.update(number, {
      ...(isText ? { title: plan.title, body: plan.body } : {}),
      ...(plan.state === known.state ? {} : { state: plan.state }),
    }),
  );
  known.state = plan.state;
  if (isText) Object.assign(known, { title, bodySha, wroteSha: textSha(plan) });
  await save();
}

/** A comment of conductor on the issue of an item or on its pull request. */
async function writeNote(projection: Projection, note: Note): Promise<void> {
  const { forge, intents, memory, save } = projection;
  const { itemId, key, text, onPull } = note;
  const issue = memory.issues[itemId];
  const number = (onPull ? memory.pulls[itemId]?.number : null) ?? issue?.number ?? null;
  // Its issue is not open yet.
  if (number === null && issue === undefined) return;
  if (number !== null && issue?.isGone !== true) {
    const marker = itemKey(memory.owner, sha256Hex(key).slice(0, 16));
    projection.writesLeft -= 1;
    await writeOnce<number>(intents, {
      key: `note/${marker}`,
      operation: 'comment',
      recall: (result) => (typeof result === 'number' ? result : null),
      find: async () => {
        const self = await forge.self();
        const all = await forge.issues.comments(number);
        const own = all.find(
          ({ author, body }) => author.id === self.id && readMarker('note', body) === marker,
        );
        return own?.id ?? null;
      },
      write: async () =>
        (await forge.issues.comment(number, `${text}\n\n${formatMarker('note', marker)}`)).id,
    });
  }
  memory.notes = memory.notes.filter((each) => each.key !== key);
  await save();
}
