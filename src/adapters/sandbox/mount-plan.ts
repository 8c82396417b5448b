import { isAbsolute, relative, sep } from 'node:path';

/**
 * `hidden` is shown empty, `private` is an empty one of its own to write in, and a `sealed` file is there but can't be
 * opened.
 */
export type Access = 'hidden' | 'private' | 'sealed' | 'readable' | 'writable';

export interface Mount {
  /** Where it is seen. */
  readonly path: string;
  /** Where it really is: a link would not lead there from inside. */
  readonly source: string;
  readonly access: Access;
}

/** Where two mounts are for one path, the one that gives more is meant. */
const RANK: Readonly<Record<Access, number>> = {
  hidden: 0,
  private: 1,
  sealed: 1,
  readable: 2,
  writable: 3,
};

/** Mounts in the order in which they have to be made: what lies inside another comes after it. */
export function planMounts(mounts: readonly Mount[]): Mount[] {
  const byPath = new Map<string, Mount>();
  for (const mount of mounts) {
    const known = byPath.get(mount.path);
    if (known === undefined || RANK[mount.access] > RANK[known.access]) byPath.set(mount.path, mount);
  }
  return [...byPath.values()].sort((left, right) => depthOf(left.path) - depthOf(right.path));
}

function depthOf(path: string): number {
  return path.split(sep).length;
}

/** True for the folder itself and for what lies below it. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** What a hidden folder holds at most: the folders that lead to what is mounted inside. */
export const HIDDEN_BYTES = 1_000_000;
