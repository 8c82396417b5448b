import type { TestResult } from './test-results.ts';

/** `test/a.test.ts:12`: a path inside the checkout with a line, as stacks and messages of all languages have it. */
const PLACE = /(?:^|[\s("'`[])((?:[\w@+~-][\w.@+~-]*\/)*[\w@+~-][\w.@+~-]*\.[A-Za-z]{1,5}):(\d+)/gm;

/**
 * Where a failed case is, as a path that opens from the root of the workspace. The runner's own word counts first; its
 * line, where it gives none, is the one that the observation names for the same file.
 */
export function locate(
  { location = null }: Pick<TestResult, 'location'>,
  observations: readonly string[],
  folder: string,
): string | null {
  const places = observations.flatMap((text) => [...text.matchAll(PLACE)]);
  if (location === null) return null;
  const at = inFolder(location, folder);
  if (/:\d+$/.test(at)) return at;
  const seen = places.find(([, path = '']) => path === at || inFolder(path, folder) === at);
  return seen === undefined ? at : `${at}:${seen[2]}`;
}

function inFolder(path: string, folder: string): string {
  return folder === '' || path.startsWith('/') ? path : `${folder}/${path}`;
}
