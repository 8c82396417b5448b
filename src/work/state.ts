import type { ReviewRecord } from '../contracts/work-event.ts';
import type { Revision, Spec, WorkItem } from '../contracts/work-item.ts';
import type { Role } from '../contracts/work-results.ts';
import type { Asker } from './command.ts';
import { isTerminal } from './status-table.ts';

/** How many failures in a row are enough. */
export const FAILURE_LIMIT = 3;

/** What an item can fail at. */
export type FailedAt = 'implementor' | 'checks' | 'reviewer';

export interface ItemFailure {
  readonly at: FailedAt;
  readonly reason: string;
}

export interface KnownItem {
  readonly item: WorkItem;
  readonly body: string;
  /** Without the label of its status. */
  readonly labels: readonly string[];
  /** The entry that gave it its status. */
  readonly statusSeq: number;
  /** Why it has its status, and who gave it. */
  readonly statusReason: string;
  readonly statusBy: string;
  /** In a row: what was reached since then takes them away. */
  readonly failures: readonly ItemFailure[];
  /** Runs in a row that could not even be started. */
  readonly failedStarts: readonly string[];
  readonly summaries: readonly { readonly runId: string; readonly summary: string }[];
  /** The commit that was approved. */
  readonly approvedSHA: string | null;
}

export interface ActiveRun {
  readonly runId: string;
  readonly role: Role;
  readonly itemId: string | null;
  readonly specs: readonly Spec[];
  readonly revisionId: string | null;
  /** The commit that a reviewer was given. */
  readonly headSHA: string | null;
}

export interface StartedCommand {
  readonly key: string;
  readonly by: Asker;
  /** When it was started: whoever completes it uses the same time. */
  readonly at: string;
  readonly recorded: Readonly<Record<string, unknown>>;
}

/** Everything that the journal says. Items stand in the order in which they were made. */
export interface WorkState {
  readonly seq: number;
  readonly items: ReadonlyMap<string, KnownItem>;
  readonly revisions: ReadonlyMap<string, Revision>;
  /** By revision, oldest first. */
  readonly reviews: ReadonlyMap<string, readonly ReviewRecord[]>;
  readonly runs: ReadonlyMap<string, ActiveRun>;
  readonly started: ReadonlyMap<string, StartedCommand>;
  /** When commands were first started that have failed since. */
  readonly firstTries: ReadonlyMap<string, string>;
  readonly doneKeys: ReadonlySet<string>;
  /** The last refusal of a command, so that it is not told again and again. */
  readonly refusals: ReadonlyMap<string, string>;
  readonly specs: readonly Spec[];
  /** The content of each spec when it was last planned. */
  readonly planned: ReadonlyMap<string, string>;
  /** Planner runs in a row that came to nothing, and the specs that they were given. */
  readonly planFailures: { readonly specs: string; readonly reasons: readonly string[] };
}

export function approvedSpecs(state: WorkState): readonly Spec[] {
  return state.specs.filter((spec) => spec.frontmatterStatus === 'approved');
}

/** The same text for the same specs with the same content. */
export function specsKey(specs: readonly Spec[]): string {
  return specs
    .map((spec) => `${spec.filePath}@${spec.blobSHA}`)
    .toSorted()
    .join('\n');
}

/** Blockers that still hold an item up. One that nobody knows holds it up too. */
export function openBlockers(state: WorkState, item: WorkItem): readonly string[] {
  return item.blockedBy.filter((id) => {
    const blocker = state.items.get(id);
    return blocker === undefined || !isTerminal(blocker.item.status);
  });
}

export function runOfItem(state: WorkState, itemId: string): ActiveRun | null {
  for (const run of state.runs.values()) if (run.itemId === itemId) return run;
  return null;
}

export function plannerRun(state: WorkState): ActiveRun | null {
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

/** A copy that stays as it is while the journal goes on. What is in the maps is never changed, only replaced. */
export function snapshotOf(state: WorkState): WorkState {
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
