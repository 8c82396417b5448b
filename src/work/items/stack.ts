/**
 * Stacked bases: the work on an item starts from the default branch with the revisions of its approved, unmerged
 * blockers merged in. If one of them changes later, everything that was built on it is stale.
 */

import type { StackedOn, WorkItem } from '../../contracts/work/work-item.ts';
import { type ItemRecord, revisionOf, type StackConflict, type WorkState } from './state.ts';
import { isTerminal } from './status-table.ts';

/** Blockers that are not done: unknown, not terminal, or approved on a base that has changed since. */
export function findOpenBlockers(state: WorkState, item: WorkItem): readonly string[] {
  return item.blockedBy.filter((id) => {
    const blocker = state.items.get(id);
    return (
      blocker === undefined || !isTerminal(blocker.item.status) || findStaleBlocker(state, blocker) !== null
    );
  });
}

/** Blockers with their statuses, for messages. */
export function formatBlockers(state: WorkState, ids: readonly string[]): string {
  return ids.map((id) => `${id} (${state.items.get(id)?.item.status ?? 'unknown'})`).join(', ');
}

/** The approved, unmerged items that an item depends on, directly or not, in dependency order. */
export function findUnmergedBlockers(state: WorkState, item: WorkItem): readonly ItemRecord[] {
  const visited = new Set<string>([item.id]);
  const ordered: ItemRecord[] = [];
  const visit = (id: string) => {
    const known = state.items.get(id);
    if (visited.has(id) || known === undefined) return;
    visited.add(id);
    for (const blocker of known.item.blockedBy) visit(blocker);
    if (known.item.status === 'approved') ordered.push(known);
  };
  for (const blocker of item.blockedBy) visit(blocker);
  return ordered;
}

/** The revisions that new work on an item is built on. */
export function findStack(state: WorkState, item: WorkItem): readonly StackedOn[] {
  return findUnmergedBlockers(state, item).flatMap((known) => {
    const revision = revisionOf(state, known.item);
    return revision === null ? [] : [{ itemID: known.item.id, headSHA: revision.headSHA }];
  });
}

/** The blocker that changed after the item's revision was built on it; null if the revision is not stale. */
export function findStaleBlocker(state: WorkState, { item }: ItemRecord): string | null {
  const revision = revisionOf(state, item);
  return revision === null ? null : findChangedBlocker(state, revision.stackedOn ?? []);
}

/** The first entry of a stack whose item has another revision now, or was closed without a merge. */
export function findChangedBlocker(state: WorkState, stack: readonly StackedOn[]): string | null {
  return stack.find((entry) => hasChanged(state, entry))?.itemID ?? null;
}

function hasChanged(state: WorkState, { itemID, headSHA }: StackedOn): boolean {
  const blocker = state.items.get(itemID);
  if (blocker === undefined) return true;
  if (blocker.item.status === 'closed') return blocker.mergedSHA !== headSHA;
  return revisionOf(state, blocker.item)?.headSHA !== headSHA;
}

/** The conflict that keeps new work on an item from starting; null if its blockers have changed since. */
export function findConflict(state: WorkState, { item, conflict }: ItemRecord): StackConflict | null {
  if (conflict === null) return null;
  return stackKey(conflict.stack) === stackKey(findStack(state, item)) ? conflict : null;
}

function stackKey(stack: readonly StackedOn[]): string {
  return stack.map(({ itemID, headSHA }) => `${itemID}@${headSHA}`).join(' ');
}

/** Names the conflicting items and files, for users. */
export function describeConflict({ items, files }: Pick<StackConflict, 'items' | 'files'>): string {
  const [first, second] = items;
  const pair = second === undefined ? `item ${first} and the default branch` : `items ${first} and ${second}`;
  return `${pair} both changed ${files.join(', ')}`;
}
