export interface DependencyPlace {
  readonly column: number;
  readonly row: number;
}

interface DependencyEdge {
  readonly from: string;
  readonly to: string;
}

export interface DependencyLayout {
  readonly places: ReadonlyMap<string, DependencyPlace>;
  /** For each edge the places between its ends, so that it passes no item. */
  readonly bends: ReadonlyMap<DependencyEdge, readonly DependencyPlace[]>;
}

/** A column per length of the longest chain of blockers before an item; rows in the order of the edges. */
export function layOutDependencies(edges: readonly DependencyEdge[]): DependencyLayout {
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
  const take = (column: number): DependencyPlace => {
    const row = rows.get(column) ?? 0;
    rows.set(column, row + 1);
    return { column, row };
  };
  const places = new Map([...blockers.keys()].map((id) => [id, take(columnOf(id, new Set()))] as const));
  const bends = new Map(
    edges.map((edge) => {
      const first = (columns.get(edge.from) ?? 0) + 1;
      const between = Math.max(0, (columns.get(edge.to) ?? 0) - first);
      return [edge, Array.from({ length: between }, (_, index) => take(first + index))] as const;
    }),
  );
  return { places, bends };
}
