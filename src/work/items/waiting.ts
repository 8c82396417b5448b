import type { WaitingCode } from '../../contracts/work/work-item.ts';
import { firstLine } from '../../text/shorten.ts';
import { countUsedSlots, findBusyItems, findOverlapAmong, type WorkLimits } from './limits.ts';
import {
  describeConflict,
  findConflict,
  findOpenBlockers,
  findUnmergedBlockers,
  formatBlockers,
} from './stack.ts';
import {
  countFailedReviews,
  FAILURE_LIMIT,
  findRunOfItem,
  type ItemRecord,
  reviewOfHead,
  revisionOf,
  type WorkState,
} from './state.ts';

export interface Waiting {
  readonly code: WaitingCode;
  /** One line for users. It may contain text from agents: neutralise it before it is displayed. */
  readonly text: string;
  /** Whether only a user can end it. */
  readonly needsUser: boolean;
  /** The items that it waits for or that conflict. */
  readonly items: readonly string[];
  readonly files: readonly string[];
  /** When a parked run is resumed. */
  readonly until: string | null;
  /** The command with which a user answers. */
  readonly command: string | null;
}

const ATTENTION = 'needs attention: ';

/** What a waiting item asks a user, for places that show the command separately. */
export function formatQuestion({ text, command }: Waiting): string {
  const question = text.startsWith(ATTENTION) ? text.slice(ATTENTION.length) : text;
  return command === null ? question : question.replace(`; then: ${command}`, '').replace(`: ${command}`, '');
}

/** The state of all items, as a snapshot of the engine has it. */
export interface WaitingContext {
  readonly state: WorkState;
  readonly limits: WorkLimits;
}

/** Why an item waits; null if work on it is in progress or it is closed. */
export function explainWaiting(known: ItemRecord, context: WaitingContext): Waiting | null {
  switch (known.item.status) {
    case 'pending':
      return explainPending(known, context);
    case 'ready':
      return explainReady(known, context);
    case 'in-progress':
      return explainWaitingRun(known, context);
    case 'review':
      return explainReview(known, context);
    case 'approved':
      return explainApproved(known, context);
    case 'needs-refinement':
    case 'blocked':
      return explainStopped(known, context);
    case 'closed':
      return null;
  }
}

function explainPending({ item }: ItemRecord, { state }: WaitingContext): Waiting | null {
  const open = findOpenBlockers(state, item);
  if (open.length === 0) return null;
  return waitForEngine('blockers', `blocked by ${formatBlockers(state, open)}`, { items: open });
}

function explainReady(known: ItemRecord, context: WaitingContext): Waiting | null {
  const { state, limits } = context;
  const { id, type } = known.item;
  if (type === 'refinement')
    return waitForUser(
      'question',
      'waiting for an answer: it is a question about a spec',
      `conductor work transition ${id} closed --reason "…"`,
    );
  const busy = findBusyItems(state, limits);
  if (busy.has(id)) return null;
  return (
    explainFailedStarts(known) ??
    explainConflict(known, context) ??
    explainOverlap(known, context) ??
    explainFullSlots(context)
  );
}

function explainConflict(known: ItemRecord, { state }: WaitingContext): Waiting | null {
  const conflict = findConflict(state, known);
  if (conflict === null) return null;
  const { items, files } = conflict;
  const [first = ''] = items;
  const command = `conductor work merge ${first}`;
  const text = `blockers conflict: ${describeConflict(conflict)}; merge or redo one of them: ${command}`;
  return { ...waitForUser('stack_conflict', text, command), items, files };
}

function explainOverlap(known: ItemRecord, { state, limits }: WaitingContext): Waiting | null {
  const overlap = findOverlapAmong(state, limits, known, findBusyItems(state, limits));
  if (overlap === null) return null;
  const { itemId, path } = overlap;
  const text = `waiting for item ${itemId}, which is changing ${path}`;
  return waitForEngine('scope_overlap', text, { items: [itemId], files: [path] });
}

function explainReview(known: ItemRecord, context: WaitingContext): Waiting | null {
  const { state, limits } = context;
  const { id } = known.item;
  const run = findRunOfItem(state, id);
  if (run !== null || findBusyItems(state, limits).has(id)) return explainWaitingRun(known, context);
  const revision = revisionOf(state, known.item);
  const again = `conductor work review ${id}`;
  if (revision === null)
    return waitForUser(
      'no_revision',
      `${ATTENTION}there is no revision to review`,
      `conductor work transition ${id} pending --reason "…"`,
    );
  if (revision.pipeline.status === 'pending') return waitForEngine('checks', 'waiting for its checks');
  if (revision.pipeline.status === 'failure') return null;
  const review = reviewOfHead(state, revision);
  if (review !== null)
    return waitForUser(
      'reviewed',
      `${ATTENTION}its review already says ${review.review.verdict}; review it again: ${again}`,
      again,
    );
  return explainFailedReviews(known) ?? explainFailedStarts(known) ?? explainFullSlots(context);
}

function explainFailedReviews(known: ItemRecord): Waiting | null {
  const count = countFailedReviews(known);
  if (count < FAILURE_LIMIT) return null;
  const command = `conductor work review ${known.item.id}`;
  const reason = firstLine(known.failures.findLast(({ at }) => at === 'reviewer')?.reason ?? '');
  const text = `review failed ${count} times; run it again: ${command} (${reason})`;
  return waitForUser('failed_reviews', text, command);
}

function explainWaitingRun(known: ItemRecord, { state, limits }: WaitingContext): Waiting | null {
  const run = findRunOfItem(state, known.item.id);
  const waiting = run === null ? undefined : limits.waitingRuns.get(run.runId);
  if (run === null || waiting === undefined) return null;
  const reason = firstLine(waiting.reason);
  if (waiting.gate !== undefined) {
    const command = `conductor approve ${run.runId}`;
    return waitForUser('gate', `${reason}; answer it: ${command}`, command);
  }
  if (waiting.until !== undefined) return waitForEngine('parked', reason, { until: waiting.until });
  return waitForUser('run', reason, `conductor show ${run.runId}`);
}

function explainFailedStarts({ item, failedStarts }: ItemRecord): Waiting | null {
  if (failedStarts.length < FAILURE_LIMIT) return null;
  const action = item.status === 'review' ? 'review' : 'dispatch';
  const text = `${ATTENTION}${failedStarts.length} runs in a row could not start: ${failedStarts.at(-1)}`;
  return waitForUser('failed_starts', text, `conductor work ${action} ${item.id}`);
}

function explainFullSlots({ state, limits }: WaitingContext): Waiting | null {
  const taken = countUsedSlots(state, limits);
  if (taken < limits.slots) return null;
  return waitForEngine('slots', `waiting for a free slot (${taken} of ${limits.slots} in use)`);
}

function explainApproved({ item }: ItemRecord, { state }: WaitingContext): Waiting {
  const unmerged = findUnmergedBlockers(state, item).map((blocker) => blocker.item.id);
  const command = `conductor work merge ${item.id}${unmerged.length === 0 ? '' : ' --with-blockers'}`;
  const stack = unmerged.length === 0 ? '' : `, on top of ${unmerged.join(', ')}`;
  return { ...waitForUser('approved', `approved${stack}; merge it: ${command}`, command), items: unmerged };
}

function explainStopped(known: ItemRecord, { state }: WaitingContext): Waiting {
  const { item, statusReason, rounds } = known;
  const command = `conductor work transition ${item.id} pending --reason "…"`;
  const text = `${ATTENTION}${firstLine(statusReason).replace(/\.$/, '')}; then: ${command}`;
  if (item.status === 'blocked') return waitForUser('blocked', text, command);
  const revision = revisionOf(state, item);
  const verdict = revision === null ? undefined : reviewOfHead(state, revision)?.review.verdict;
  const isUsedUp = rounds > 0 && verdict === 'needs-changes';
  return waitForUser(isUsedUp ? 'rounds_used_up' : 'needs_refinement', text, command);
}

function waitForUser(code: WaitingCode, text: string, command: string): Waiting {
  return { code, text, needsUser: true, items: [], files: [], until: null, command };
}

function waitForEngine(
  code: WaitingCode,
  text: string,
  more: Partial<Pick<Waiting, 'items' | 'files' | 'until'>> = {},
): Waiting {
  return { code, text, needsUser: false, items: [], files: [], until: null, command: null, ...more };
}
