import type { Role } from '../../contracts/work/work-results.ts';
import { findOverlap } from '../scope/overlap.ts';
import type { ItemRecord, WorkState } from './state.ts';

/** Inputs of decisions that are not in the journal. */
export interface WorkLimits {
  /** Maximum number of items that agents work on at the same time. */
  readonly slots: number;
  /** The paths under In Scope of a body. */
  readonly scopeOf: (body: string) => readonly string[];
  /** Runs that this engine has requested and that have no id yet, by item. */
  readonly starting: ReadonlyMap<string, Role>;
  /** Whether a planner is being started. */
  readonly startsPlanner: boolean;
  /** Items for which runs are started; all items if missing. */
  readonly onlyItems?: ReadonlySet<string>;
  /** Accepted runs that wait for a user, with the reason. */
  readonly waitingRuns: ReadonlyMap<string, string>;
}

/** Whether runs are started for an item. */
export function isSelected({ onlyItems }: WorkLimits, itemId: string): boolean {
  return onlyItems === undefined || onlyItems.has(itemId);
}

/** Items that an agent works on or is about to work on, with its role. */
export function findBusyItems(state: WorkState, limits: WorkLimits): ReadonlyMap<string, Role> {
  const busy = new Map(limits.starting);
  for (const run of state.runs.values()) if (run.itemId !== null) busy.set(run.itemId, run.role);
  return busy;
}

/** The number of places in use. A run that waits at a gate takes none, or two gates would stop all work. */
export function countUsedSlots(state: WorkState, limits: WorkLimits): number {
  const waiting = [...state.runs.values()].filter(
    ({ runId, itemId }) => itemId !== null && limits.waitingRuns.has(runId),
  );
  return findBusyItems(state, limits).size - waiting.length;
}

export interface Overlap {
  readonly itemId: string;
  readonly path: string;
}

/** Another item in implementation that could touch the same file. */
export function findOverlapAmong(
  state: WorkState,
  limits: WorkLimits,
  known: ItemRecord,
  busy: ReadonlyMap<string, Role>,
): Overlap | null {
  for (const [itemId, role] of busy) {
    const other = state.items.get(itemId);
    if (role !== 'implementor' || other === undefined || itemId === known.item.id) continue;
    const path = findOverlap(limits.scopeOf(known.body), limits.scopeOf(other.body));
    if (path !== null) return { itemId, path };
  }
  return null;
}
