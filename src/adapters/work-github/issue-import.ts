import type { ForgeIssue, LabelChange } from '../../forge/forge-values.ts';
import { normalizeLabel } from '../../work/forge/issue-labels.ts';
import { readIssue } from '../../work/forge/item-issue.ts';
import { readLabelFields, readPlannedLabels } from '../../work/items/labels.ts';
import { judgeStatus } from './issue-changes.ts';
import { rememberIssue } from './projection-context.ts';
import type { Poll } from './requests.ts';

/**
 * An issue that a person opened becomes an item if it has a type label, and a person with write access wrote it, or labelled
 * it as it is now. Any other issue is left alone. Returns false if the issue has to be looked at again.
 */
export async function considerIssue(context: Poll, issue: ForgeIssue): Promise<boolean> {
  const { local, memory, save } = context;
  const reading = readIssue(issue.body);
  const labels = issue.labels.map(normalizeLabel);
  if (issue.state !== 'open' || readLabelFields(labels).type === null) return true;
  // It belongs to the work items of another checkout, or to an item that is about to be remembered.
  if (reading.itemKey !== null) return true;
  if (memory.refused[issue.number] === issue.updatedAt) return true;
  if (!(await mayBecomeItem(context, issue))) {
    memory.refused[issue.number] = issue.updatedAt;
    await save();
    return true;
  }
  const fields = readPlannedLabels(labels);
  const ids = (reading.blockers ?? []).flatMap(
    (number) => Object.entries(memory.issues).find(([, each]) => each.number === number)?.[0] ?? [],
  );
  const written = await local.write(`import/${issue.number}`, [
    {
      kind: 'create_item',
      ref: 'new',
      at: issue.createdAt,
      fields: { title: issue.title, body: reading.text, ...fields },
    },
    ...(ids.length === 0 ? [] : [{ kind: 'link_item' as const, item: 'new', blockedBy: ids }]),
  ]);
  const [first] = written;
  if (first?.kind !== 'item') throw new Error(`issue #${issue.number} did not become an item`);
  memory.issues[first.item.id] = { ...rememberIssue(issue), wroteSha: '', isGone: false };
  delete memory.refused[issue.number];
  // A status that the issue has already is what a person asks for.
  const isJudged =
    readLabelFields(labels).status === null ||
    (await judgeStatus(context, { item: first.item, body: first.body, labels: first.labels }, issue));
  await save();
  return isJudged;
}

async function mayBecomeItem({ forge, trust }: Poll, issue: ForgeIssue): Promise<boolean> {
  if (await trust.isTrusted(issue.author)) return true;
  const changes = await forge.issues.labelChanges(issue.number);
  const labelled = await findTrustedLabel(trust, changes);
  if (labelled === null) return false;
  const edit = await forge.issues.lastEdit(issue.number);
  return edit === null || edit.at < labelled.at || trust.isTrusted(edit.by);
}

/** The last time that a person with write access said that the issue is work. */
async function findTrustedLabel(
  trust: Poll['trust'],
  changes: readonly LabelChange[],
): Promise<LabelChange | null> {
  for (const change of changes.toReversed()) {
    const isType = change.change === 'added' && readLabelFields([change.label.toLowerCase()]).type !== null;
    if (isType && (await trust.isTrusted(change.actor))) return change;
  }
  return null;
}
