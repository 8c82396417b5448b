import type { ForgeIssue } from '../../forge/forge-values.ts';
import { sha256Hex } from '../../node/sha256.ts';
import type { ItemFields, ProviderItem, ProviderWrite } from '../../ports/work/work-provider.ts';
import { includesLabel, readLabelEdits, readStatus } from '../../work/forge/issue-labels.ts';
import { planIssue, readIssue } from '../../work/forge/item-issue.ts';
import type { ForgeMemory, IssueMemory } from './memory.ts';
import { contextOf, isProjected, rememberIssue, textSha } from './projection-context.ts';
import { addNote, addRequests, type Poll, transition } from './requests.ts';

/**
 * What a person changed on the issue of an item: fields are taken, a status is asked for and judged by the engine. Returns
 * false if the issue has to be looked at again.
 */
export async function readIssueChanges(
  context: Poll,
  item: ProviderItem,
  listed: ForgeIssue,
): Promise<boolean> {
  const { forge, memory } = context;
  const known = memory.issues[item.item.id];
  if (known === undefined || known.isGone) return true;
  if (!isProjected(memory, item)) return false;
  if (memory.requests.some(({ itemId }) => itemId === item.item.id)) return false;
  if (isSame(item, known, listed)) return true;
  // A list can be older than what was written since; one issue is not.
  const issue = await forge.issues.get(listed.number);
  if (isSame(item, known, issue)) return true;
  await takeText(context, item, known, issue);
  await takeLabels(context, item, issue);
  const judged = await judgeStatus(context, item, issue);
  // What is known decides what the projection restores.
  if (judged) Object.assign(known, { labels: [...issue.labels], state: issue.state });
  await context.save();
  return judged;
}

function isSame({ item }: ProviderItem, known: IssueMemory, issue: ForgeIssue): boolean {
  const { title, bodySha, labels, state } = rememberIssue(issue);
  return (
    title === known.title &&
    bodySha === known.bodySha &&
    state === known.state &&
    labels.length === known.labels.length &&
    labels.every((label) => includesLabel(known.labels, label)) &&
    readStatus(item.status, labels, state).kind === 'same'
  );
}

async function takeText(
  context: Poll,
  item: ProviderItem,
  known: IssueMemory,
  issue: ForgeIssue,
): Promise<void> {
  const { forge, local, memory, trust } = context;
  const seen = rememberIssue(issue);
  const isTitle = seen.title !== known.title;
  const isBody = seen.bodySha !== known.bodySha;
  if (!isTitle && !isBody) return;
  const edit = await forge.issues.lastEdit(issue.number);
  const isOwn = await trust.isTrusted(edit?.by ?? issue.author);
  const plan = planIssue(item, contextOf(memory));
  Object.assign(known, { title: seen.title, bodySha: seen.bodySha });
  if (!isOwn || (isBody && plan.isCut)) {
    const who = edit?.by?.login ?? issue.author.login;
    const why = isOwn
      ? `its body is longer than a forge shows, so it can't be edited here`
      : `${who} may not write to this repository`;
    addNote(
      memory,
      item.item.id,
      `edit/${issue.number}/${textSha(issue)}`,
      `This edit does not change work item ${item.item.id}: ${why}.`,
    );
    return;
  }
  const reading = readIssue(issue.body);
  const fields: Partial<ItemFields> = {
    ...(isTitle ? { title: issue.title } : {}),
    ...(isBody && reading.text !== readIssue(plan.body).text ? { body: reading.text } : {}),
  };
  const blockedBy = isBody ? findBlockers(memory, item, reading.blockers) : null;
  const writes: ProviderWrite[] = [
    ...(Object.keys(fields).length === 0 ? [] : [{ kind: 'update_item' as const, id: item.item.id, fields }]),
    ...(blockedBy === null ? [] : [{ kind: 'link_item' as const, item: item.item.id, blockedBy }]),
  ];
  if (writes.length > 0) await local.write(`edit/${issue.number}/${textSha(issue)}`, writes);
  const after = (await local.read()).items.find((each) => each.item.id === item.item.id);
  // A text with its markers stays as the person wrote it; without them it is written again.
  if (after !== undefined && reading.itemKey !== null)
    known.wroteSha = textSha(planIssue(after, contextOf(memory)));
  else known.wroteSha = '';
}

/** The blockers that a marker names; null if they are the same, or name an issue that is no item. */
function findBlockers(
  memory: ForgeMemory,
  { item }: ProviderItem,
  numbers: readonly number[] | null,
): readonly string[] | null {
  if (numbers === null) return null;
  const ids = numbers.map(
    (number) => Object.entries(memory.issues).find(([, each]) => each.number === number)?.[0] ?? null,
  );
  const found = ids.filter((id) => id !== null);
  if (found.length < ids.length || found.includes(item.id)) return null;
  const isSame = found.length === item.blockedBy.length && found.every((id) => item.blockedBy.includes(id));
  return isSame ? null : found;
}

async function takeLabels({ local }: Poll, { item, labels }: ProviderItem, issue: ForgeIssue): Promise<void> {
  const fields = readLabelEdits(item, labels, issue.labels);
  if (Object.keys(fields).length === 0) return;
  const key = `labels/${issue.number}/${sha256Hex(JSON.stringify([issue.updatedAt, issue.labels, fields]))}`;
  await local.write(key, [{ kind: 'update_item', id: item.id, fields }]);
}

/** Returns false if the forge does not say yet who changed the status. */
export async function judgeStatus(
  context: Poll,
  { item }: ProviderItem,
  issue: ForgeIssue,
): Promise<boolean> {
  const { forge, memory, trust } = context;
  const reading = readStatus(item.status, issue.labels, issue.state);
  const { number } = issue;
  // The merge of its pull request closed it, which is judged as a merge.
  if (issue.state === 'closed' && memory.pulls[item.id]?.state === 'merged') return true;
  switch (reading.kind) {
    case 'same':
      return true;
    case 'unclear':
      addNote(
        memory,
        item.id,
        `unclear/${number}/${issue.updatedAt}`,
        `Work item ${item.id} stays ${item.status}: ${reading.reason}. Add exactly one status label to move it.`,
      );
      return true;
    case 'asks': {
      const { to, label } = reading;
      if (label === null) {
        const by = issue.closedBy;
        if (issue.state === 'closed' && by !== null && !(await trust.isTrusted(by)))
          return refuseStranger(memory, item.id, `state/${number}/${issue.updatedAt}`, by.login);
        const act = issue.state === 'closed' ? 'closed' : 'reopened';
        const name = by?.login ?? 'a person on the forge';
        addRequests(memory, [
          transition(`state/${number}/${issue.updatedAt}`, item.id, to, name, `issue #${number} was ${act}`),
        ]);
        return true;
      }
      const changes = await forge.issues.labelChanges(number);
      const change = changes.findLast(
        (each) => each.change === 'added' && each.label.toLowerCase() === label.toLowerCase(),
      );
      if (change === undefined) return false;
      const { actor, id } = change;
      if (!(await trust.isTrusted(actor)))
        return refuseStranger(memory, item.id, `label/${id}`, actor?.login ?? 'an account that is gone');
      const reason = `label ${label} was set on issue #${number}`;
      addRequests(memory, [transition(`label/${id}`, item.id, to, actor?.login ?? '', reason)]);
      return true;
    }
  }
}

function refuseStranger(memory: ForgeMemory, itemId: string, key: string, login: string): true {
  addNote(
    memory,
    itemId,
    key,
    `Work item ${itemId} stays as it is: ${login} may not write to this repository.`,
  );
  return true;
}
