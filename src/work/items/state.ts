import type { ReviewRecord } from '../../contracts/work/work-event.ts';
import type { Revision, Spec, StackedOn, WorkItem } from '../../contracts/work/work-item.ts';
import type { Role } from '../../contracts/work/work-results.ts';
import type { Requester } from '../engine/command.ts';

/** Number of failures in a row after which an item is no longer retried. */
export const FAILURE_LIMIT = 3;

/** The stages at which an item can fail. */
export type FailedAt = 'implementor' | 'checks' | 'reviewer';

export interface ItemFailure {
  readonly at: FailedAt;
  readonly reason: string;
}

export interface ItemRecord {
  readonly item: WorkItem;
  readonly body: string;
  /** Without the label of its status. */
  readonly labels: readonly string[];
  /** The journal entry that set its status. */
  readonly statusSeq: number;
  /** Why it has its status, and who set it. */
  readonly statusReason: string;
  readonly statusBy: string;
  /** Failures in a row: later progress clears them. */
  readonly failures: readonly ItemFailure[];
  /** Runs in a row that could not be started. */
  readonly failedStarts: readonly string[];
  readonly summaries: readonly { readonly runId: string; readonly summary: string }[];
  /** The commit that was approved. */
  readonly approvedSHA: string | null;
  /** The commit that was merged. */
  readonly mergedSHA: string | null;
  /** Reviews in a row that asked for changes, since a user last moved the item to pending. */
  readonly rounds: number;
  /** Paths that users allowed besides those of the body. */
  readonly extensions: readonly ScopeExtension[];
  /** Why its blockers can't be merged into one base; it counts while `stack` is what it would be built on. */
  readonly conflict: StackConflict | null;
  /** What made it wait for a user, for notifications; null if that is over. */
  readonly question: ItemQuestion | null;
}

export interface ItemQuestion {
  /** The entry of the journal. */
  readonly seq: number;
  readonly at: string;
  /** Targets whose notification is recorded, sent or failed. */
  readonly notified: readonly string[];
}

export interface ScopeExtension {
  readonly path: string;
  readonly reason: string;
  /** The name of the user. */
  readonly by: string;
}

export interface StackConflict {
  /** The two items; one, if it conflicts with the default branch. */
  readonly items: readonly string[];
  readonly files: readonly string[];
  readonly stack: readonly StackedOn[];
}

export interface ActiveRun {
  readonly runId: string;
  readonly role: Role;
  readonly itemId: string | null;
  readonly specs: readonly Spec[];
  readonly revisionId: string | null;
  /** The commit that the reviewer got. */
  readonly headSHA: string | null;
  /** The revisions that an implementor builds on. */
  readonly stackedOn: readonly StackedOn[];
}

export interface StartedCommand {
  readonly key: string;
  readonly by: Requester;
  /** The time of the start: a process that completes the command uses the same time. */
  readonly at: string;
  readonly recorded: Readonly<Record<string, unknown>>;
}

/** The state according to the journal. Items are in the order of their creation. */
export interface WorkState {
  readonly seq: number;
  readonly items: ReadonlyMap<string, ItemRecord>;
  readonly revisions: ReadonlyMap<string, Revision>;
  /** By revision, oldest first. */
  readonly reviews: ReadonlyMap<string, readonly ReviewRecord[]>;
  readonly runs: ReadonlyMap<string, ActiveRun>;
  readonly started: ReadonlyMap<string, StartedCommand>;
  /** When commands that have failed since were first started. */
  readonly firstTries: ReadonlyMap<string, string>;
  readonly doneKeys: ReadonlySet<string>;
  /** The last refusal of each command, so that a repeated one is not recorded again. */
  readonly refusals: ReadonlyMap<string, string>;
  readonly specs: readonly Spec[];
  /** The content of each spec when it was last planned. */
  readonly planned: ReadonlyMap<string, string>;
  /** Failed planner runs in a row, and the specs that they got. */
  readonly planFailures: { readonly specs: string; readonly reasons: readonly string[] };
}

export function findApprovedSpecs(state: WorkState): readonly Spec[] {
  return state.specs.filter((spec) => spec.frontmatterStatus === 'approved');
}

/** Identifies a set of specs with their content. */
export function specsKey(specs: readonly Spec[]): string {
  return specs
    .map((spec) => `${spec.filePath}@${spec.blobSHA}`)
    .toSorted()
    .join('\n');
}

export function findRunOfItem(state: WorkState, itemId: string): ActiveRun | null {
  for (const run of state.runs.values()) if (run.itemId === itemId) return run;
  return null;
}

export function findPlannerRun(state: WorkState): ActiveRun | null {
  for (const run of state.runs.values()) if (run.role === 'planner') return run;
  return null;
}

export function revisionOf(state: WorkState, item: WorkItem): Revision | null {
  return item.linkedRevision === null ? null : (state.revisions.get(item.linkedRevision) ?? null);
}

/** The review of exactly this commit. */
export function reviewOfHead(state: WorkState, revision: Revision): ReviewRecord | null {
  const reviews = state.reviews.get(revision.id) ?? [];
  return reviews.findLast((review) => review.headSHA === revision.headSHA) ?? null;
}

/** The failed reviews in a row of the current revision. */
export function countFailedReviews({ failures }: Pick<ItemRecord, 'failures'>): number {
  return failures.filter(({ at }) => at === 'reviewer').length;
}

/** A copy that does not change while the journal grows. Values in the maps are immutable. */
export function copyState(state: WorkState): WorkState {
  return {
    ...state,
    items: new Map(state.items),
    revisions: new Map(state.revisions),
    reviews: new Map(state.reviews),
    runs: new Map(state.runs),
    started: new Map(state.started),
    firstTries: new Map(state.firstTries),
    doneKeys: new Set(state.doneKeys),
    refusals: new Map(state.refusals),
    planned: new Map(state.planned),
  };
}
