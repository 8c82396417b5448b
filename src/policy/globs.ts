import picomatch from 'picomatch/posix.js';
import { compileGlob } from '../text/glob.ts';
import { stripDotSlash } from '../text/paths.ts';

/** Whether any glob of an allow-list covers a path. A pattern that ends in `/` covers everything below it. */
export function isAllowedBy(globs: readonly string[], path: string): boolean {
  return globs.some((glob) => matchesGlob(glob.endsWith('/') ? `${glob}**` : glob, path));
}

/**
 * The first glob that covers a path. A plain name also covers everything below it, because forbidding a folder means
 * forbidding its content.
 */
export function findCoveringGlob(globs: readonly string[], path: string): string | null {
  const covering = globs.find((glob) => {
    const bare = glob.replace(/\/+$/, '');
    if (matchesGlob(bare, path)) return true;
    return (bare !== glob || isPlain(bare)) && matchesGlob(`${bare}/**`, path);
  });
  return covering ?? null;
}

export function isCoveredBy(globs: readonly string[], path: string): boolean {
  return findCoveringGlob(globs, path) !== null;
}

/** A file name may contain glob characters, such as `[id].ts`; a glob that equals the name matches it. */
export function matchesGlob(glob: string, path: string): boolean {
  const pattern = stripDotSlash(glob);
  return pattern === path || compileCached(pattern)(path);
}

/** Caches compiled patterns: a policy has few patterns and a checkout many files. */
const matchers = new Map<string, (path: string) => boolean>();

function compileCached(pattern: string): (path: string) => boolean {
  const known = matchers.get(pattern) ?? compileGlob(pattern, { dot: true });
  matchers.set(pattern, known);
  return known;
}

function isPlain(glob: string): boolean {
  return picomatch.scan(glob).isGlob === false;
}
