import type { JournalEntry, ReviewRecord, WorkEvent } from '../../contracts/work/work-event.ts';
import type { Revision, Spec, WorkStatus } from '../../contracts/work/work-item.ts';
import { findStack, findStaleBlocker } from '../items/stack.ts';
import {
  type ActiveRun,
  countFailedReviews,
  FAILURE_LIMIT,
  type FailedAt,
  type ItemFailure,
  type ItemQuestion,
  type ItemRecord,
  revisionOf,
  type StartedCommand,
  specsKey,
  type WorkState,
} from '../items/state.ts';

/** An entry that is invalid at this position of the journal: a violated invariant, never a user error. */
export class WorkBug extends Error {
  override readonly name = 'WorkBug';
}

/** The mutable state of the fold; all other code sees it as a `WorkState`. */
export interface FoldedState extends WorkState {
  seq: number;
  readonly items: Map<string, ItemRecord>;
  readonly revisions: Map<string, Revision>;
  readonly reviews: Map<string, readonly ReviewRecord[]>;
  readonly runs: Map<string, ActiveRun>;
  readonly started: Map<string, StartedCommand>;
  readonly firstTries: Map<string, string>;
  readonly doneKeys: Set<string>;
  readonly refusals: Map<string, string>;
  specs: readonly Spec[];
  readonly planned: Map<string, string>;
  planFailures: WorkState['planFailures'];
}

type EventOf<Type extends WorkEvent['type']> = Extract<WorkEvent, { readonly type: Type }>;

export function createWorkState(): FoldedState {
  return {
    seq: 0,
    items: new Map(),
    revisions: new Map(),
    reviews: new Map(),
    runs: new Map(),
    started: new Map(),
    firstTries: new Map(),
    doneKeys: new Set(),
    refusals: new Map(),
    specs: [],
    planned: new Map(),
    planFailures: { specs: '', reasons: [] },
  };
}

/** Updates the state in place: copying its maps for each of a hundred thousand entries would be too slow. */
export function evolve(state: FoldedState, entry: JournalEntry): void {
  try {
    if (entry.seq !== state.seq + 1) reject(`follows entry ${state.seq}`);
    evolveEvent(state, entry);
    state.seq = entry.seq;
  } catch (error) {
    if (!(error instanceof WorkBug)) throw error;
    throw new WorkBug(`entry ${entry.seq} of the journal of work items: ${error.message}`);
  }
}

function reject(message: string): never {
  throw new WorkBug(message);
}

function evolveEvent(state: FoldedState, entry: JournalEntry): void {
  const { event } = entry;
  switch (event.type) {
    case 'command_started':
      if (state.started.has(event.key)) reject(`command ${event.key} has already started`);
      if (state.doneKeys.has(event.key)) reject(`command ${event.key} is already done`);
      state.started.set(event.key, {
        key: event.key,
        by: event.by === 'engine' ? { kind: 'engine' } : { kind: 'person', name: event.by },
        at: state.firstTries.get(event.key) ?? entry.at,
        recorded: event.command,
      });
      return;
    case 'command_done':
      if (!state.started.delete(event.key)) reject(`command ${event.key} has not started`);
      state.doneKeys.add(event.key);
      state.firstTries.delete(event.key);
      state.refusals.delete(event.key);
      return;
    case 'command_refused':
      state.refusals.set(event.key, `${event.code}: ${event.reason}`);
      return;
    case 'command_failed':
      keepFirstTry(state, event.key);
      state.started.delete(event.key);
      countFailedStart(state, event, entry);
      return;
    case 'item_created':
      if (state.items.has(event.item.id)) reject(`item ${event.item.id} already exists`);
      state.items.set(event.item.id, createItemRecord(event, entry));
      return;
    case 'item_linked':
      patchItem(state, event.item_id, (known) => ({
        item: { ...known.item, blockedBy: event.blocked_by },
      }));
      return;
    case 'item_updated':
      patchItem(state, event.item.id, (known) => ({
        item: { ...event.item, status: known.item.status },
        body: event.body,
        labels: event.labels,
      }));
      return;
    case 'status_changed':
      evolveStatus(state, event, entry);
      return;
    case 'summary_kept':
      patchItem(state, event.item_id, (known) => ({
        summaries: [...known.summaries, { runId: event.run_id, summary: event.summary }],
      }));
      return;
    case 'revision_made':
      state.revisions.set(event.revision.id, event.revision);
      patchItem(state, event.revision.workItemID, (known) => ({
        item: { ...known.item, linkedRevision: event.revision.id },
        // Failed reviews belong to the previous commit.
        failures: withoutFailuresAt(known.failures, ['reviewer']),
      }));
      return;
    case 'pipeline_changed':
      evolvePipeline(state, event);
      return;
    case 'review_posted':
      evolveReview(state, event.review);
      return;
    case 'revision_merged':
      evolveMerged(state, event);
      return;
    case 'scope_extended':
      patchItem(state, event.item_id, (known) => ({
        extensions: [...known.extensions, { path: event.path, reason: event.reason, by: event.by }],
      }));
      return;
    case 'stack_conflicted':
      patchItem(state, event.item_id, () => ({
        conflict: { items: event.items, files: event.files, stack: event.stack },
        question: askUser(entry),
      }));
      return;
    case 'notification_sent':
      patchItem(state, event.item_id, ({ question }) =>
        question?.seq === event.for_seq
          ? { question: { ...question, notified: [...question.notified, event.target] } }
          : {},
      );
      return;
    case 'specs_seen':
      state.specs = event.specs;
      return;
    case 'specs_planned':
      for (const spec of event.specs) state.planned.set(spec.filePath, spec.blobSHA);
      state.planFailures = { specs: '', reasons: [] };
      return;
    case 'run_accepted':
      if (state.runs.has(event.run_id)) reject(`run ${event.run_id} was already accepted`);
      evolveAccepted(state, event);
      return;
    case 'run_ended':
      evolveEnded(state, event, entry);
      return;
    default:
      reject(`unknown event ${JSON.stringify(event satisfies never)}`);
  }
}

/** Only a user can continue from here on. */
function askUser({ seq, at }: JournalEntry): ItemQuestion {
  return { seq, at, notified: [] };
}

function createItemRecord(event: EventOf<'item_created'>, entry: JournalEntry): ItemRecord {
  return {
    item: event.item,
    body: event.body,
    labels: event.labels,
    statusSeq: entry.seq,
    statusReason: 'created',
    statusBy: 'engine',
    failures: [],
    failedStarts: [],
    summaries: [],
    approvedSHA: null,
    mergedSHA: null,
    rounds: 0,
    extensions: [],
    conflict: null,
    question: event.item.type === 'refinement' ? askUser(entry) : null,
  };
}

function patchItem(state: FoldedState, id: string, patch: (known: ItemRecord) => Partial<ItemRecord>): void {
  const known = state.items.get(id) ?? reject(`there is no item ${id}`);
  state.items.set(id, { ...known, ...patch(known) });
}

const WAITING_FOR_USER: readonly WorkStatus[] = ['blocked', 'needs-refinement'];

function evolveStatus(state: FoldedState, event: EventOf<'status_changed'>, entry: JournalEntry): void {
  patchItem(state, event.item_id, (known) => {
    const { item } = known;
    if (item.status !== event.from) reject(`item ${item.id} is ${item.status}, not ${event.from}`);
    const revision = item.linkedRevision === null ? undefined : state.revisions.get(item.linkedRevision);
    const isByUser = event.by !== 'engine';
    // A user who moves an item back to pending resets its failures and rounds.
    const fresh = isByUser && event.to === 'pending';
    const reviewAgain = isByUser && event.to === 'review';
    const asks = !isByUser && WAITING_FOR_USER.includes(event.to);
    return {
      item: { ...item, status: event.to },
      statusSeq: entry.seq,
      statusReason: event.reason,
      statusBy: event.by,
      question: asks ? askUser(entry) : item.type === 'refinement' ? known.question : null,
      ...(fresh ? { failures: [], failedStarts: [], rounds: 0, conflict: null } : {}),
      ...(reviewAgain ? { failures: [], failedStarts: [] } : {}),
      ...(event.to === 'approved' ? { approvedSHA: revision?.headSHA ?? null } : {}),
    };
  });
}

function evolvePipeline(state: FoldedState, event: EventOf<'pipeline_changed'>): void {
  const revision =
    state.revisions.get(event.revision_id) ?? reject(`there is no revision ${event.revision_id}`);
  state.revisions.set(revision.id, { ...revision, pipeline: event.pipeline });
  const { status, reason } = event.pipeline;
  patchItem(state, revision.workItemID, (known) => {
    if (status === 'success')
      return { failures: withoutFailuresAt(known.failures, ['implementor', 'checks']) };
    if (status === 'pending' || known.item.status !== 'review') return {};
    return { failures: [...known.failures, { at: 'checks', reason: reason ?? 'its checks failed' }] };
  });
}

function evolveReview(state: FoldedState, review: ReviewRecord): void {
  const revision =
    state.revisions.get(review.revisionID) ?? reject(`there is no revision ${review.revisionID}`);
  const earlier = (state.reviews.get(revision.id) ?? []).filter((old) => old.headSHA !== review.headSHA);
  state.reviews.set(revision.id, [...earlier, review]);
  state.revisions.set(revision.id, { ...revision, reviewID: review.id });
  const asksForChanges = review.review.verdict === 'needs-changes';
  patchItem(state, revision.workItemID, ({ rounds }) => ({ rounds: asksForChanges ? rounds + 1 : 0 }));
}

function evolveMerged(state: FoldedState, event: EventOf<'revision_merged'>): void {
  const revision =
    state.revisions.get(event.revision_id) ?? reject(`there is no revision ${event.revision_id}`);
  patchItem(state, event.item_id, () => ({ mergedSHA: revision.headSHA }));
}

function evolveAccepted(state: FoldedState, event: EventOf<'run_accepted'>): void {
  const { run_id: runId, role, item_id: itemId, specs, revision_id: revisionId } = event;
  const headSHA = revisionId === null ? null : (state.revisions.get(revisionId)?.headSHA ?? null);
  const stackedOn = role === 'implementor' ? findRunStack(state, itemId) : [];
  state.runs.set(runId, { runId, role, itemId, specs, revisionId, headSHA, stackedOn });
  if (itemId !== null) patchItem(state, itemId, () => ({ failedStarts: [] }));
}

/** An implementor continues its revision, unless that is stale; new work starts on the current blockers. */
function findRunStack(state: FoldedState, itemId: string | null): ActiveRun['stackedOn'] {
  const known = itemId === null ? undefined : state.items.get(itemId);
  if (known === undefined) return [];
  const revision = revisionOf(state, known.item);
  return revision === null || findStaleBlocker(state, known) !== null
    ? findStack(state, known.item)
    : (revision.stackedOn ?? []);
}

function evolveEnded(state: FoldedState, event: EventOf<'run_ended'>, entry: JournalEntry): void {
  const run = state.runs.get(event.run_id) ?? reject(`run ${event.run_id} is not active`);
  state.runs.delete(run.runId);
  if (run.role === 'planner') {
    if (event.counted) countPlanFailure(state, run.specs, event.reason);
    return;
  }
  const { role, itemId } = run;
  if (itemId === null) return;
  patchItem(state, itemId, (known) => {
    if (event.ok) return { failures: withoutFailuresAt(known.failures, CLEARED_BY[role]) };
    if (!event.counted) return {};
    const failures = [...known.failures, { at: role, reason: event.reason }];
    const asks = role === 'reviewer' && countFailedReviews({ failures }) >= FAILURE_LIMIT;
    return { failures, ...(asks ? { question: askUser(entry) } : {}) };
  });
}

/** A success clears the failures of the stages up to it, but not those of later stages. */
const CLEARED_BY: Readonly<Record<'implementor' | 'reviewer', readonly FailedAt[]>> = {
  implementor: ['implementor'],
  reviewer: ['implementor', 'checks', 'reviewer'],
};

function withoutFailuresAt(
  failures: readonly ItemFailure[],
  at: readonly FailedAt[],
): readonly ItemFailure[] {
  return failures.filter((failure) => !at.includes(failure.at));
}

/**
 * Keeps the time of the first try: it may have been carried out in part under the same key, so a retry must
 * repeat it unchanged.
 */
function keepFirstTry({ started, firstTries }: FoldedState, key: string): void {
  const tried = started.get(key);
  if (tried !== undefined) firstTries.set(key, tried.at);
}

function countFailedStart(state: FoldedState, event: EventOf<'command_failed'>, entry: JournalEntry): void {
  if (event.kind === 'request_planner_run')
    countPlanFailure(
      state,
      state.specs.filter((spec) => spec.frontmatterStatus === 'approved'),
      event.reason,
    );
  const known = event.item_id === null ? undefined : state.items.get(event.item_id);
  if (known === undefined) return;
  if (event.kind !== 'request_implementor_run' && event.kind !== 'request_reviewer_run') return;
  const failedStarts = [...known.failedStarts, event.reason];
  const question = failedStarts.length >= FAILURE_LIMIT ? askUser(entry) : known.question;
  state.items.set(known.item.id, { ...known, failedStarts, question });
}

function countPlanFailure(state: FoldedState, specs: readonly Spec[], reason: string): void {
  const key = specsKey(specs);
  const reasons = state.planFailures.specs === key ? state.planFailures.reasons : [];
  state.planFailures = { specs: key, reasons: [...reasons, reason] };
}
