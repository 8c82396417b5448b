import { sep } from 'node:path';

/**
 * `hidden` is an empty read-only folder, `private` is an empty writable folder of the sandbox, and a `sealed` file
 * exists but can't be opened.
 */
export type Access = 'hidden' | 'private' | 'sealed' | 'readable' | 'writable';

export interface Mount {
  /** The path inside the sandbox. */
  readonly path: string;
  /** The real path, without links: a link might not resolve inside the sandbox. */
  readonly source: string;
  readonly access: Access;
}

/** If two mounts have the same path, the one that grants more wins. */
const RANK: Readonly<Record<Access, number>> = {
  hidden: 0,
  private: 1,
  sealed: 1,
  readable: 2,
  writable: 3,
};

/** Sorts mounts so that a mount inside another one comes after it. */
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

/** Enough for the folders that lead to mounts inside. */
const HIDDEN_BYTES = 1_000_000;

/** The flags for all mounts. `privateBytes` is the maximum size of each private folder. */
export function mountFlags(mounts: readonly Mount[], privateBytes: number): string[] {
  const hidden = mounts.filter(({ access }) => access === 'hidden');
  return [
    ...mounts.flatMap((mount) => flagsOf(mount, privateBytes)),
    // Remount last, because mount points of other mounts are created inside. Without this, the owner could make the
    // folder writable again.
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
      // The mount forbids devices, so not even the owner can open it.
      return ['--ro-bind', '/dev/null', path];
    case 'readable':
      return ['--ro-bind', source, path];
    case 'writable':
      return ['--bind', source, path];
  }
}
