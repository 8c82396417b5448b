import { compileGlob, type GlobMatcher } from '../../text/glob.ts';

/** Matches file names. The globs are compiled on first use, because most commands never need them. */
export function createNameMatcher(
  globs: readonly string[],
  letters: 'any case' | 'as written',
): (name: string) => boolean {
  let matchers: readonly GlobMatcher[] | null = null;
  return (name) => {
    matchers ??= globs.map((glob) => compileGlob(glob, { dot: true, nocase: letters === 'any case' }));
    return matchers.some((matches) => matches(name));
  };
}
