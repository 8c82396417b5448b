import picomatch from 'picomatch/posix.js';
import { compileGlob } from '../text/glob.ts';
import { stripDotSlash } from '../text/paths.ts';

/** Normalises a path or glob of `setup`: no leading `./`, no trailing slash. */
export function normalizePattern(pattern: string): string {
  return stripDotSlash(pattern).replace(/\/+$/, '');
}

export function isGlob(pattern: string): boolean {
  return picomatch.scan(pattern).isGlob;
}

/** Whether a pattern matches a path, as a glob or literally: a file name may contain glob characters. */
export function matchesPattern(pattern: string, path: string): boolean {
  const normal = normalizePattern(pattern);
  return normal === path || compileGlob(normal, { dot: true })(path);
}

/** Whether a pattern matches a path or one of its parent folders. */
export function isOwned(patterns: readonly string[], path: string): boolean {
  const parts = path.split('/');
  return parts.some((_, index) => {
    const outer = parts.slice(0, index + 1).join('/');
    return patterns.some((pattern) => matchesPattern(pattern, outer));
  });
}

/** The deepest folder that contains every possible match of a glob. */
export function fixedBeginning(pattern: string): string {
  const { base } = picomatch.scan(normalizePattern(pattern));
  return base;
}
