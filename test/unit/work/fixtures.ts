import type { JournalEntry, WorkEvent } from '../../../src/contracts/work/work-event.ts';
import type {
  Pipeline,
  Revision,
  Spec,
  WorkItem,
  WorkStatus,
} from '../../../src/contracts/work/work-item.ts';
import { createWorkState, evolve, type FoldedState } from '../../../src/work/engine/evolve.ts';
import type { WorkLimits } from '../../../src/work/items/limits.ts';

export function entriesOf(events: readonly WorkEvent[]): JournalEntry[] {
  return events.map((event, index) => ({ seq: index + 1, at: '2026-01-01T00:00:00.000Z', event }));
}

export function stateOf(...events: readonly (WorkEvent | readonly WorkEvent[])[]): FoldedState {
  const state = createWorkState();
  for (const entry of entriesOf(events.flat())) evolve(state, entry);
  return state;
}

function workItem(item: Partial<WorkItem> & { readonly id: string }): WorkItem {
  return {
    title: `item ${item.id}`,
    status: 'pending',
    type: 'implement',
    priority: 'medium',
    complexity: 'low',
    blockedBy: [],
    createdAt: '2026-01-01T00:00:00.000Z',
    linkedRevision: null,
    ...item,
  };
}

/** An item with a scope of its own, unless one is given. */
export function created(
  item: Partial<WorkItem> & { readonly id: string },
  scope: readonly string[] = [`src/${item.id}.ts`],
): WorkEvent {
  return {
    type: 'item_created',
    item: workItem(item),
    body: scope.map((path) => `- ${path}`).join('\n'),
    labels: [],
  };
}

export function moved(id: string, from: WorkStatus, to: WorkStatus, by = 'engine', reason = 'so'): WorkEvent {
  return { type: 'status_changed', item_id: id, from, to, by, reason };
}

export function accepted(
  runId: string,
  role: 'planner' | 'implementor' | 'reviewer',
  itemId: string | null = null,
  more: { readonly specs?: Spec[]; readonly revision?: string } = {},
): WorkEvent {
  return {
    type: 'run_accepted',
    run_id: runId,
    role,
    item_id: itemId,
    specs: more.specs ?? [],
    revision_id: more.revision ?? null,
  };
}

export function ended(runId: string, ok: boolean, reason = 'it fell over', counted = !ok): WorkEvent {
  return { type: 'run_ended', run_id: runId, ok, counted, reason };
}

function revision(itemId: string, more: Partial<Revision> = {}): Revision {
  return {
    id: `r${itemId}`,
    title: 't',
    url: null,
    headSHA: `head-${itemId}`,
    headRef: `conductor/item/${itemId}`,
    author: 'implementor',
    body: '',
    isDraft: false,
    workItemID: itemId,
    pipeline: { status: 'pending', url: null, reason: null },
    reviewID: null,
    ...more,
  };
}

export function made(itemId: string, more: Partial<Revision> = {}): WorkEvent {
  return { type: 'revision_made', revision: revision(itemId, more), run_id: `run of ${itemId}` };
}

export function checked(itemId: string, status: Pipeline['status'], reason: string | null = null): WorkEvent {
  return { type: 'pipeline_changed', revision_id: `r${itemId}`, pipeline: { status, url: null, reason } };
}

export function reviewed(
  itemId: string,
  verdict: 'approve' | 'needs-changes',
  headSHA = `head-${itemId}`,
): WorkEvent {
  return {
    type: 'review_posted',
    run_id: `review of ${itemId}`,
    review: {
      id: `review-r${itemId}`,
      revisionID: `r${itemId}`,
      headSHA,
      review: { verdict, summary: 's', comments: [] },
    },
  };
}

/** An item in review, with a revision whose checks came to this. */
export function inReview(id: string, status: Pipeline['status'], scope?: readonly string[]): WorkEvent[] {
  return [
    created({ id, status: 'review' }, scope),
    made(id),
    ...(status === 'pending' ? [] : [checked(id, status, 'red')]),
  ];
}

export function spec(
  filePath: string,
  blobSHA: string,
  frontmatterStatus: Spec['frontmatterStatus'] = 'approved',
): Spec {
  return { filePath, blobSHA, frontmatterStatus };
}

export function limits(more: Partial<WorkLimits> = {}): WorkLimits {
  return {
    slots: 2,
    scopeOf: (body) => body.split('\n').map((line) => line.slice(2)),
    starting: new Map(),
    startsPlanner: false,
    waitingRuns: new Map(),
    ...more,
  };
}
