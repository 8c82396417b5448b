import { sep } from 'node:path';

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

/** Room for the folders that lead to what is mounted inside. */
const HIDDEN_BYTES = 1_000_000;

/** The flags that make all mounts. `privateBytes` is what each private folder holds at most. */
export function mountFlags(mounts: readonly Mount[], privateBytes: number): string[] {
  const hidden = mounts.filter(({ access }) => access === 'hidden');
  return [
    ...mounts.flatMap((mount) => flagsOf(mount, privateBytes)),
    // At the end: places for other mounts are made inside. Without this the owner could make the folder writable again.
    ...hidden.flatMap(({ path }) => ['--remount-ro', path]),
  ];
}

function flagsOf({ path, source, access }: Mount, privateBytes: number): string[] {
  switch (access) {
    case 'hidden':
      return ['--perms', '0555', '--size', String(HIDDEN_BYTES), '--tmpfs', path];
    case 'private':
      return ['--perms', '1777', '--size', String(privateBytes), '--tmpfs', path];
    case 'sealed':
      // The mount forbids devices, so it can't be opened, not even by its owner.
      return ['--ro-bind', '/dev/null', path];
    case 'readable':
      return ['--ro-bind', source, path];
    case 'writable':
      return ['--bind', source, path];
  }
}
