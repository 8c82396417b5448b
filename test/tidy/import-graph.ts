import { posix } from 'node:path';
import { layerOf } from './layers.ts';
import type { ProjectFile } from './rule.ts';
import { type Import, scanImports } from './scan-imports.ts';

export interface Edge extends Import {
  readonly from: string;
  /** The path of one of our files; null for a package, a `node:` module or a computed import. */
  readonly to: string | null;
}

export function findEdges(files: readonly ProjectFile[]): Edge[] {
  return files.flatMap(({ path, text }) =>
    scanImports(text).map((found) => ({ ...found, from: path, to: resolveImport(path, found.specifier) })),
  );
}

function resolveImport(from: string, specifier: string | null): string | null {
  if (specifier === null || !/^\.{1,2}\//.test(specifier)) return null;
  return posix.join(posix.dirname(from), specifier);
}

/** Cycles of files. A type-only import counts: a reader who follows it goes round all the same. */
export function findFileCycles(edges: readonly Edge[]): string[][] {
  const graph = new Map<string, Set<string>>();
  for (const { from, to } of edges) if (to !== null) link(graph, from, to);
  return findCycles(graph);
}

/** Cycles of pure folders, which no cycle of files needs to show. */
export function findFolderCycles(edges: readonly Edge[]): string[][] {
  const graph = new Map<string, Set<string>>();
  for (const { from, to } of edges) {
    const source = layerOf(from);
    const target = layerOf(to ?? '');
    if (source.kind !== 'pure' || target.kind !== 'pure' || source.folder === target.folder) continue;
    link(graph, source.folder, target.folder);
  }
  return findCycles(graph);
}

function link(graph: Map<string, Set<string>>, from: string, to: string): void {
  const targets = graph.get(from) ?? new Set();
  graph.set(from, targets.add(to));
}

/** One cycle for each edge that leads back into the path that is being walked. */
function findCycles(graph: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const cycles: string[][] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const walk = (node: string): void => {
    const start = path.indexOf(node);
    if (start !== -1) cycles.push([...path.slice(start), node]);
    if (start !== -1 || done.has(node)) return;
    path.push(node);
    for (const next of graph.get(node) ?? []) walk(next);
    path.pop();
    done.add(node);
  };
  for (const node of graph.keys()) walk(node);
  return cycles;
}
