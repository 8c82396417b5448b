import type { TestResult } from './test-results.ts';

/** `test/a.test.ts:12`: a path inside the checkout with a line, as in stacks and messages of all languages. */
const PLACE = /(?:^|[\s("'`[])((?:[\w@+~-][\w.@+~-]*\/)*[\w@+~-][\w.@+~-]*\.[A-Za-z]{1,5}):(\d+)/gm;

/**
 * The location of a failed case, as a path from the workspace root. The location that the runner reports takes
 * precedence; if it has no line, the line comes from an observation that names the same file.
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
