import type { BoardDocument, BoardItem } from '../../contracts/http/work-page.ts';
import type { JournalEntry } from '../../contracts/work/work-event.ts';
import { WORK_STATUSES, type WorkStatus } from '../../contracts/work/work-item.ts';
import type { WorkSnapshot } from '../../runtime/work/work-engine.ts';
import { readBody } from '../../work/bodies/body.ts';
import { findUnmergedBlockers } from '../../work/items/stack.ts';
import { type ItemRecord, revisionOf } from '../../work/items/state.ts';
import { checkTransition, isTerminal } from '../../work/items/status-table.ts';
import { itemDocument, shownItemDocument } from '../work/show-item.ts';

export interface BoardQuery {
  /** Null for all. */
  readonly status: WorkStatus | null;
  /** Words that must all occur in the id or the title; empty for all items. */
  readonly text: string;
  readonly offset: number;
  readonly limit: number;
}

/** The board of work items: why each of them waits, what it is stacked on, and what blocks what. */
export function composeBoard(
  snapshot: WorkSnapshot,
  { status, text, offset, limit }: BoardQuery,
): BoardDocument {
  const all = [...snapshot.state.items.values()];
  const words = text.toLowerCase().split(/\s+/);
  const matching = all.filter(
    ({ item }) =>
      (status === null || item.status === status) &&
      words.every((word) => `${item.id}\n${item.title.toLowerCase()}`.includes(word)),
  );
  const ordered = stackItems(snapshot, matching);
  return {
    statuses: WORK_STATUSES.map((each) => ({
      status: each,
      items: all.filter(({ item }) => item.status === each).length,
    })),
    total: ordered.length,
    offset,
    items: ordered
      .slice(offset, offset + limit)
      .map(({ known, depth }): BoardItem => ({ ...itemDocument(snapshot, known), depth })),
    edges: all.flatMap((known) => edgesTo(snapshot, known)),
    unplanned: snapshot.unplanned.map(({ filePath }) => filePath),
    planning_stopped: snapshot.planningStopped,
  };
}

function edgesTo({ state }: WorkSnapshot, { item }: ItemRecord): BoardDocument['edges'] {
  const stack = new Set((revisionOf(state, item)?.stackedOn ?? []).map(({ itemID }) => itemID));
  return item.blockedBy.map((from) => {
    const status = state.items.get(from)?.item.status;
    const done = status !== undefined && isTerminal(status);
    return { from, to: item.id, kind: stack.has(from) ? 'stacked' : 'blocks', done };
  });
}

interface PlacedItem {
  readonly known: ItemRecord;
  readonly depth: number;
}

/** An item comes after its first blocker that is not merged, one step further in. */
function stackItems({ state }: WorkSnapshot, items: readonly ItemRecord[]): readonly PlacedItem[] {
  const shown = new Set(items.map(({ item }) => item.id));
  const children = new Map<string | null, ItemRecord[]>();
  for (const known of items) {
    const parent =
      known.item.blockedBy.find((id) => shown.has(id) && state.items.get(id)?.item.status !== 'closed') ??
      null;
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [known]);
    else siblings.push(known);
  }
  const placed: PlacedItem[] = [];
  const isPlaced = new Set<string>();
  const place = (start: readonly ItemRecord[]) => {
    const queue: PlacedItem[] = start.map((known) => ({ known, depth: 0 })).reverse();
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      const { known, depth } = next;
      if (isPlaced.has(known.item.id)) continue;
      isPlaced.add(known.item.id);
      placed.push(next);
      const below = children.get(known.item.id) ?? [];
      queue.push(...below.map((each) => ({ known: each, depth: depth + 1 })).reverse());
    }
  };
  place(children.get(null) ?? []);
  // Items that block each other have no first one.
  place(items.filter(({ item }) => !isPlaced.has(item.id)));
  return placed;
}

/** The document of `work show --json`, with what a user can do. */
export function composeItem(snapshot: WorkSnapshot, known: ItemRecord, history: readonly JournalEntry[]) {
  const { item } = known;
  const body = readBody(known.body);
  const transitions = WORK_STATUSES.filter((to) => checkTransition(item.status, to, 'person').ok);
  const isQuestion = item.type === 'refinement';
  return {
    schema_version: 1 as const,
    ...shownItemDocument(snapshot, known, history),
    question: isQuestion
      ? {
          text: body.ambiguity === '' ? body.objective : body.ambiguity,
          options: body.options.map(({ text }) => text),
          recommendation: body.recommendation,
        }
      : null,
    actions: {
      transitions,
      merge: item.status === 'approved',
      merge_blockers: findUnmergedBlockers(snapshot.state, item).map((blocker) => blocker.item.id),
      scope: !isQuestion && !isTerminal(item.status),
    },
    commands: [
      `conductor work show ${item.id}`,
      ...transitions.map((to) => `conductor work transition ${item.id} ${to} --reason "…"`),
      ...(item.status === 'approved' ? [`conductor work merge ${item.id}`] : []),
      ...(item.status === 'review' ? [`conductor work review ${item.id}`] : []),
    ],
  };
}
