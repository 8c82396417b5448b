import picomatch from 'picomatch/posix.js';

/** Matches names of files. The globs are compiled at the first use: most commands never ask. */
export function createNameMatcher(
  globs: readonly string[],
  letters: 'any case' | 'as written',
): (name: string) => boolean {
  let matches: ((name: string) => boolean) | null = null;
  return (name) => {
    matches ??= picomatch([...globs], { dot: true, nocase: letters === 'any case' });
    return matches(name);
  };
}
