import picomatch from 'picomatch/posix.js';
import { compileGlob } from '../text/glob.ts';

/** Paths and globs of `setup`, without the details of how they were written. */
export function normalizePattern(pattern: string): string {
  return pattern.replace(/^(?:\.\/)+/, '').replace(/\/+$/, '');
}

export function isGlob(pattern: string): boolean {
  return picomatch.scan(pattern).isGlob;
}

/** Whether a path is one that a pattern names. A name that holds glob characters means itself, too. */
export function matchesPattern(pattern: string, path: string): boolean {
  const normal = normalizePattern(pattern);
  return normal === path || compileGlob(normal, { dot: true })(path);
}

/** Whether a path is named by a pattern or lies below such a path. */
export function isOwned(patterns: readonly string[], path: string): boolean {
  const parts = path.split('/');
  return parts.some((_, index) => {
    const outer = parts.slice(0, index + 1).join('/');
    return patterns.some((pattern) => matchesPattern(pattern, outer));
  });
}

/** The folder below which everything that a glob can match lies. */
export function fixedBeginning(pattern: string): string {
  const { base } = picomatch.scan(normalizePattern(pattern));
  return base;
}
