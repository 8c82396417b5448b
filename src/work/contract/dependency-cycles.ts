/** The ids of the items that block each item. */
export type BlockersById = ReadonlyMap<string, readonly string[]>;

/**
 * The dependency cycles that can be reached from `starts`, one for each connected group of them, as ids with the first one
 * repeated at the end. Walks with a stack of its own: a chain can be longer than calls can be deep. An item that blocks
 * itself is reported separately.
 */
export function findCycles(
  blockers: BlockersById,
  starts: readonly string[],
): readonly (readonly string[])[] {
  const cycles: (readonly string[])[] = [];
  const done = new Set<string>();
  const knotted = new Set<string>();
  for (const start of starts) {
    const way: string[] = [];
    const places = new Map<string, number>();
    const waiting: Step[] = [{ kind: 'enter', id: start }];
    for (let step = waiting.pop(); step !== undefined; step = waiting.pop()) {
      if (step.kind === 'leave') {
        way.pop();
        places.delete(step.id);
        done.add(step.id);
        continue;
      }
      const { id } = step;
      const place = places.get(id);
      if (place !== undefined) {
        const round = way.slice(place);
        if (!round.some((each) => knotted.has(each))) cycles.push([...round, id]);
        for (const each of round) knotted.add(each);
      }
      if (place !== undefined || done.has(id)) continue;
      places.set(id, way.length);
      way.push(id);
      waiting.push({ kind: 'leave', id });
      for (const next of (blockers.get(id) ?? []).toReversed())
        if (next !== id) waiting.push({ kind: 'enter', id: next });
    }
  }
  return cycles;
}

type Step = { readonly kind: 'enter' | 'leave'; readonly id: string };
