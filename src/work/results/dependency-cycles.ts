/** The ids of the items that block each item. */
export type BlockersById = ReadonlyMap<string, readonly string[]>;

/**
 * Finds the dependency cycles that are reachable from `starts`, one for each connected group, as ids with the
 * first one repeated at the end. Uses an explicit stack, because a dependency chain can exceed the call
 * stack. An item that blocks itself is reported separately.
 */
export function findCycles(
  blockers: BlockersById,
  starts: readonly string[],
): readonly (readonly string[])[] {
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
