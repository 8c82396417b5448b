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
  /** Accepted runs that wait for a user or for a time. */
  readonly waitingRuns: ReadonlyMap<string, WaitingRun>;
}

export interface WaitingRun {
  readonly reason: string;
  /** The gate that a user has to answer. */
  readonly gate?: string;
  /** When a parked run can be resumed. */
  readonly until?: string;
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
    const path = findOverlap(listScope(limits, known), listScope(limits, other));
    if (path !== null) return { itemId, path };
  }
  return null;
}

function listScope(limits: WorkLimits, { body, extensions }: ItemRecord): readonly string[] {
  return [...limits.scopeOf(body), ...extensions.map(({ path }) => path)];
}

/** Bodies are long and rarely change, so the result is kept by body. */
export function rememberScopes(scopeOf: WorkLimits['scopeOf']): WorkLimits['scopeOf'] {
  const scopes = new Map<string, readonly string[]>();
  return (body) => {
    const known = scopes.get(body) ?? scopeOf(body);
    scopes.set(body, known);
    return known;
  };
}
