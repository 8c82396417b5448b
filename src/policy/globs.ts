import picomatch from 'picomatch/posix.js';
import { compileGlob } from '../text/glob.ts';

/** Whether any glob of an allow-list covers a path. A pattern that ends in `/` covers what is below. */
export function isAllowedBy(globs: readonly string[], path: string): boolean {
  return globs.some((glob) => matches(glob.endsWith('/') ? `${glob}**` : glob, path));
}

/**
 * The first glob of a forbidden list that covers a path. A plain name covers what is below it too: whoever
 * forbids a folder means its content.
 */
export function forbiddenBy(globs: readonly string[], path: string): string | null {
  const covering = globs.find((glob) => {
    const bare = glob.replace(/\/+$/, '');
    if (matches(bare, path)) return true;
    return (bare !== glob || isPlain(bare)) && matches(`${bare}/**`, path);
  });
  return covering ?? null;
}

export function matchesGlob(glob: string, name: string): boolean {
  return matches(glob, name);
}

/** A name may hold glob characters itself, such as `[id].ts`; written out it means itself. */
function matches(glob: string, path: string): boolean {
  const pattern = glob.replace(/^(?:\.\/)+/, '');
  return pattern === path || compiled(pattern)(path);
}

/** A policy has few patterns and a worktree many files. */
const matchers = new Map<string, (path: string) => boolean>();

function compiled(pattern: string): (path: string) => boolean {
  const known = matchers.get(pattern) ?? compileGlob(pattern, { dot: true });
  matchers.set(pattern, known);
  return known;
}

function isPlain(glob: string): boolean {
  return picomatch.scan(glob).isGlob === false;
}
