/**
 * Finds the strongly connected components of a graph given as successor lists (Tarjan). Iterative, because a
 * chain of thousands of steps is legal. Successors below zero are not nodes and are skipped.
 */
export function findComponents(successors: readonly (readonly number[])[]): number[][] {
  const order: number[] = [];
  const low: number[] = [];
  const onStack = new Set<number>();
  const stack: number[] = [];
  const components: number[][] = [];
  let counter = 0;

  const open = (node: number): { node: number; next: number } => {
    order[node] = counter;
    low[node] = counter;
    counter += 1;
    stack.push(node);
    onStack.add(node);
    return { node, next: 0 };
  };

  const close = (root: number): void => {
    if (low[root] !== order[root]) return;
    const component: number[] = [];
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      onStack.delete(node);
      component.push(node);
      if (node === root) break;
    }
    components.push(component.sort((a, b) => a - b));
  };

  const lower = (node: number, value: number | undefined): void => {
    low[node] = Math.min(low[node] ?? 0, value ?? Number.POSITIVE_INFINITY);
  };

  for (const start of successors.keys()) {
    if (order[start] !== undefined) continue;
    const work = [open(start)];
    for (let frame = work.at(-1); frame !== undefined; frame = work.at(-1)) {
      const to = successors[frame.node]?.[frame.next];
      frame.next += 1;
      if (to === undefined) {
        work.pop();
        close(frame.node);
        const parent = work.at(-1);
        if (parent !== undefined) lower(parent.node, low[frame.node]);
      } else if (to >= 0 && order[to] === undefined) {
        work.push(open(to));
      } else if (to >= 0 && onStack.has(to)) {
        lower(frame.node, order[to]);
      }
    }
  }
  return components;
}
