import type { Git } from '../git/git-command.ts';
import { readObjects } from '../git/read-objects.ts';

/** Larger files are not read: no manifest or configuration is that large. */
const LIMIT_BYTES = 2 * 1024 * 1024;
/** Number of remembered texts. */
const REMEMBERED = 2_048;

export type ReadTexts = (
  git: Git,
  revision: string,
  paths: readonly string[],
) => Promise<ReadonlyMap<string, string | null>>;

/**
 * Reads the text of files at a revision; null if a file is missing or too large. Revisions are object ids, so each file
 * is read once.
 */
export function createTextReader(): ReadTexts {
  const known = new Map<string, string | null>();
  return async (git, revision, paths) => {
    const nameOf = (path: string) => `${revision}:${path}`;
    const unknown = paths.map(nameOf).filter((name) => !known.has(name));
    const read = await readObjects(git, unknown, LIMIT_BYTES);
    if (known.size > REMEMBERED) known.clear();
    for (const [at, name] of unknown.entries()) {
      const object = read[at];
      known.set(name, object?.kind === 'blob' ? object.content.toString('utf8') : null);
    }
    return new Map(paths.map((path) => [path, known.get(nameOf(path)) ?? null]));
  };
}
