import type { PlannedWorkItem } from '../../contracts/work/work-results.ts';
import { didYouMean } from '../../diagnostics/did-you-mean.ts';
import { type KnownIds, type Placed, quoteId } from './planned-ids.ts';
import type { ContractProblem } from './problem-codes.ts';

/** Forward references are allowed: links are created after all items. */
export function checkBlockers(
  create: readonly Placed<PlannedWorkItem>[],
  known: KnownIds,
): readonly ContractProblem[] {
  return [...create.flatMap((entry) => checkNames(entry, known)), ...checkCycles(create, known)];
}

function checkNames(
  { index, value: { tempID, blockedBy } }: Placed<PlannedWorkItem>,
  known: KnownIds,
): readonly ContractProblem[] {
  const seen = new Set<string>();
  return blockedBy.flatMap((blocker, at): readonly ContractProblem[] => {
    if (seen.has(blocker)) return [];
    seen.add(blocker);
    const path = `create.${index}.blockedBy.${at}`;
    if (blocker === tempID)
      return [{ path, code: 'WR105', message: `dependency cycle: ${quoteId(tempID)} is blocked by itself` }];
    if (known.tempIds.has(blocker) || known.items === null || known.items.has(blocker)) return [];
    const near = didYouMean(blocker, [...known.tempIds, ...known.items.keys()]);
    const hint = near === null ? '' : `; did you mean ${quoteId(near)}?`;
    const what = `${quoteId(blocker)}, which blocks ${quoteId(tempID)},`;
    const message = `${what} is neither a tempID of this result nor an existing item${hint}`;
    return [{ path, code: 'WR104', message }];
  });
}

/** In longer cycles only the ids are shown, without titles. */
const MAX_TITLED = 12;

function checkCycles(
  create: readonly Placed<PlannedWorkItem>[],
  { items }: KnownIds,
): readonly ContractProblem[] {
  const blockers = new Map<string, readonly string[]>();
  const titles = new Map<string, string>();
  const indexes = new Map<string, number>();
  for (const { id, blockedBy = [], title } of items?.values() ?? []) {
    blockers.set(id, blockedBy);
    if (title !== undefined) titles.set(id, title);
  }
  for (const { index, value } of create) {
    // If two items share a tempID, the blockers of both are merged.
    blockers.set(value.tempID, [...(blockers.get(value.tempID) ?? []), ...value.blockedBy]);
    titles.set(value.tempID, value.title);
    if (!indexes.has(value.tempID)) indexes.set(value.tempID, index);
  }
  return findCycles(blockers satisfies BlockersById, [...indexes.keys()]).map((cycle) => {
    const titled = cycle.length <= MAX_TITLED;
    const path = cycle.map((id) => (titled && titles.has(id) ? `${id} (${titles.get(id)})` : id));
    const index = cycle.map((id) => indexes.get(id)).find((found) => found !== undefined);
    return {
      path: index === undefined ? 'create' : `create.${index}.blockedBy`,
      code: 'WR106',
      message: `dependency cycle: ${path.join(' → ')}`,
    };
  });
}

type BlockersById = ReadonlyMap<string, readonly string[]>;

/**
 * Finds the dependency cycles that are reachable from `starts`, one for each connected group, as ids with the
 * first one repeated at the end. Uses an explicit stack, because a dependency chain can exceed the call
 * stack. An item that blocks itself is reported separately.
 */
function findCycles(blockers: BlockersById, starts: readonly string[]): readonly (readonly string[])[] {
  const cycles: (readonly string[])[] = [];
  const done = new Set<string>();
  const inCycle = new Set<string>();
  for (const start of starts) {
    const path: string[] = [];
    const places = new Map<string, number>();
    const stack: Step[] = [{ kind: 'enter', id: start }];
    for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
      if (step.kind === 'leave') {
        path.pop();
        places.delete(step.id);
        done.add(step.id);
        continue;
      }
      const { id } = step;
      const place = places.get(id);
      if (place !== undefined) {
        const cycle = path.slice(place);
        if (!cycle.some((each) => inCycle.has(each))) cycles.push([...cycle, id]);
        for (const each of cycle) inCycle.add(each);
      }
      if (place !== undefined || done.has(id)) continue;
      places.set(id, path.length);
      path.push(id);
      stack.push({ kind: 'leave', id });
      for (const next of (blockers.get(id) ?? []).toReversed())
        if (next !== id) stack.push({ kind: 'enter', id: next });
    }
  }
  return cycles;
}

type Step = { readonly kind: 'enter' | 'leave'; readonly id: string };
