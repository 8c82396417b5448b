interface Link {
  readonly from: number;
  readonly to: number;
}

/**
 * Finds the back edges of a depth-first search from the entry: without them the graph has no cycle. Iterative, because
 * a chain of thousands of steps is legal.
 */
export function findBackEdges(count: number, edges: readonly Link[], entry: number): ReadonlySet<number> {
  const outgoing = groupByStart(count, edges);
  const state: ('open' | 'done' | undefined)[] = [];
  const back = new Set<number>();
  for (const root of [entry, ...outgoing.keys()]) {
    if (state[root] !== undefined) continue;
    const stack = [{ node: root, next: 0 }];
    state[root] = 'open';
    for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
      const at = outgoing[frame.node]?.[frame.next];
      frame.next += 1;
      const to = at === undefined ? undefined : edges[at]?.to;
      if (at === undefined || to === undefined) {
        state[frame.node] = 'done';
        stack.pop();
      } else if (state[to] === 'open') {
        back.add(at);
      } else if (state[to] === undefined) {
        state[to] = 'open';
        stack.push({ node: to, next: 0 });
      }
    }
  }
  return back;
}

/** The length of the longest path to each node. The edges must not contain a cycle. */
export function longestPaths(count: number, edges: readonly Link[]): number[] {
  const outgoing = groupByStart(count, edges);
  const layers = Array.from({ length: count }, () => 0);
  const waiting = Array.from({ length: count }, () => 0);
  for (const { to } of edges) waiting[to] = (waiting[to] ?? 0) + 1;
  const ready = [...waiting.keys()].filter((node) => waiting[node] === 0);
  for (let node = ready.pop(); node !== undefined; node = ready.pop()) {
    for (const at of outgoing[node] ?? []) {
      const to = edges[at]?.to;
      if (to === undefined) continue;
      layers[to] = Math.max(layers[to] ?? 0, (layers[node] ?? 0) + 1);
      waiting[to] = (waiting[to] ?? 0) - 1;
      if (waiting[to] === 0) ready.push(to);
    }
  }
  return layers;
}

function groupByStart(count: number, edges: readonly Link[]): readonly (readonly number[])[] {
  const groups: number[][] = Array.from({ length: count }, () => []);
  for (const [at, { from }] of edges.entries()) groups[from]?.push(at);
  return groups;
}
