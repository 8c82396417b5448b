export interface DependencyPlace {
  readonly column: number;
  readonly row: number;
}

interface DependencyEdge {
  readonly from: string;
  readonly to: string;
}

/** A column per length of the longest chain of blockers before an item; rows in the order of the edges. */
export function layOutDependencies(edges: readonly DependencyEdge[]): Map<string, DependencyPlace> {
  const blockers = new Map<string, string[]>();
  for (const { from, to } of edges) {
    blockers.set(from, blockers.get(from) ?? []);
    blockers.set(to, [...(blockers.get(to) ?? []), from]);
  }
  const columns = new Map<string, number>();
  // The contract forbids cycles; a damaged board must still be drawn.
  const columnOf = (id: string, above: ReadonlySet<string>): number => {
    const known = columns.get(id);
    if (known !== undefined) return known;
    if (above.has(id)) return 0;
    const path = new Set([...above, id]);
    const column = Math.max(-1, ...(blockers.get(id) ?? []).map((blocker) => columnOf(blocker, path))) + 1;
    columns.set(id, column);
    return column;
  };
  const rows = new Map<number, number>();
  const places = new Map<string, DependencyPlace>();
  for (const id of blockers.keys()) {
    const column = columnOf(id, new Set());
    const row = rows.get(column) ?? 0;
    rows.set(column, row + 1);
    places.set(id, { column, row });
  }
  return places;
}
