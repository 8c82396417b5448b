import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import picomatch from 'picomatch';
import { compileGlob } from '../../text/glob.ts';
import type { ArtifactDeclaration } from './artifact-declaration.ts';
import { isOffLimits, type RootName, type Roots, realPathOf, rootOf } from './roots.ts';

/** A glob that matches more files is a mistake in the workflow, not evidence. */
const MATCH_LIMIT = 5_000;

export interface ArtifactMatch {
  /** Relative to its root. */
  readonly name: string;
  readonly root: RootName;
  readonly realPath: string;
}

export interface ArtifactSearch {
  /** Matches of the checkout come before those of the run directory. */
  readonly matches: readonly ArtifactMatch[];
  /** Why a match was refused. */
  readonly problems: readonly string[];
}

interface Collector {
  readonly root: RootName;
  readonly roots: Roots;
  readonly isMatch: (name: string) => boolean;
  readonly maxDepth: number;
  readonly matches: ArtifactMatch[];
  readonly problems: string[];
}

export async function findArtifacts(declaration: ArtifactDeclaration, roots: Roots): Promise<ArtifactSearch> {
  const matches: ArtifactMatch[] = [];
  const problems: string[] = [];
  for (const root of declaration.roots) {
    const collector = { ...matcherOf(declaration), root, roots, matches, problems };
    const start = declaration.literal ? declaration.name : picomatch.scan(declaration.name).base;
    await visit(start, collector);
  }
  if (matches.length > MATCH_LIMIT) {
    problems.push(`more than ${MATCH_LIMIT} files match \`${declaration.name}\``);
    matches.length = MATCH_LIMIT;
  }
  return { matches, problems };
}

function matcherOf({ name, literal }: ArtifactDeclaration): Pick<Collector, 'isMatch' | 'maxDepth'> {
  // A folder that is named without a glob is taken as a whole.
  if (literal) return { isMatch: () => true, maxDepth: Number.POSITIVE_INFINITY };
  const depthIsKnown = !/\*\*|[{}()]/.test(name);
  return {
    isMatch: compileGlob(name, { nonegate: true }),
    maxDepth: depthIsKnown ? name.split('/').length : Number.POSITIVE_INFINITY,
  };
}

/** Visits a path that the author wrote: links in it are followed as long as they stay inside the roots. */
async function visit(name: string, collector: Collector): Promise<void> {
  const { roots, root } = collector;
  const realPath = await realPathOf(join(roots[root], name));
  if (realPath === null) return;
  if (rootOf(roots, realPath) === null) {
    collector.problems.push(escapeProblem(name));
    return;
  }
  if (isOffLimits(roots, realPath)) return;
  const found = await stat(realPath).catch(() => null);
  if (found?.isDirectory() === true) await walk(name, realPath, collector);
  else if (found?.isFile() === true && collector.isMatch(name)) {
    collector.matches.push({ name, root, realPath });
  }
}

/** Walks a folder. Linked folders below a wildcard are not entered: they may lead out of the root, or into a cycle. */
async function walk(folder: string, realFolder: string, collector: Collector): Promise<void> {
  const depth = folder === '' ? 1 : folder.split('/').length + 1;
  if (depth > collector.maxDepth || collector.matches.length > MATCH_LIMIT) return;
  const entries = await readdir(realFolder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
    const path = join(realFolder, entry.name);
    if (isOffLimits(collector.roots, path)) continue;
    if (entry.isDirectory()) await walk(name, path, collector);
    else if (entry.isFile() && collector.isMatch(name)) {
      collector.matches.push({ name, root: collector.root, realPath: path });
    } else if (entry.isSymbolicLink() && collector.isMatch(name)) await visitLink(name, path, collector);
  }
}

async function visitLink(name: string, path: string, collector: Collector): Promise<void> {
  const realPath = await realPathOf(path);
  const found = realPath === null ? null : await stat(realPath).catch(() => null);
  if (realPath === null || found?.isFile() !== true) return;
  if (rootOf(collector.roots, realPath) === null) collector.problems.push(escapeProblem(name));
  else if (!isOffLimits(collector.roots, realPath)) {
    collector.matches.push({ name, root: collector.root, realPath });
  }
}

function escapeProblem(name: string): string {
  return `artifact refused: \`${name}\` leads out of the checkout and the run directory through a link`;
}
