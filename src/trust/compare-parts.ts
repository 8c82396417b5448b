import type { TrustedPart } from '../contracts/config/trust.ts';
import { isCoveredBy } from '../policy/globs.ts';
import type { Part } from './part.ts';

export interface ComparedPart extends Part {
  readonly digest: string;
  readonly state: 'trusted' | 'new' | 'changed';
  /** The text that the user last approved under this name; null unless it changed. */
  readonly before: string | null;
}

/** Compares what would execute now with what the user approved. Approved parts that no longer exist are ignored. */
export function compareParts(
  parts: readonly Part[],
  trusted: readonly TrustedPart[],
  digestOf: (text: string) => string,
): readonly ComparedPart[] {
  const digests = new Set(trusted.map(({ digest }) => digest));
  return parts.map((part) => {
    const digest = digestOf(part.canonical);
    if (digests.has(digest)) return { ...part, digest, state: 'trusted', before: null };
    const earlier = trusted.findLast(({ kind, name }) => kind === part.kind && name === part.name);
    if (earlier === undefined) return { ...part, digest, state: 'new', before: null };
    return { ...part, digest, state: 'changed', before: earlier.text };
  });
}

/** Whether the `trusted` globs of the user's configuration cover a repository. A folder covers everything below it. */
export function isCovered(globs: readonly string[], repository: string, home: string | undefined): boolean {
  const written = globs.map((glob) =>
    home !== undefined && /^~(?=\/|$)/.test(glob) ? `${home}${glob.slice(1)}` : glob,
  );
  return isCoveredBy(
    written.filter((glob) => glob.startsWith('/')),
    repository,
  );
}
