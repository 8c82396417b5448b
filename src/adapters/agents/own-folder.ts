import { join } from 'node:path';

/** The entries of an agent's own configuration folder that it needs to work. */
export interface OwnFolder {
  /** Read-only: programs named in the settings are started by later sessions outside of any sandbox. */
  readonly settings: readonly string[];
  /** Writable, since the agent renews its login. */
  readonly login: readonly string[];
}

export function ownFolderOf(named: string | undefined, usual: string): string {
  return named === undefined || named === '' ? usual : named;
}

/**
 * The paths that an agent may read and write in its configuration folder. Of the default folder only the
 * needed entries are mounted, in an otherwise empty folder. A folder that the user configured is mounted as a
 * whole, since an empty one can't be created in its place; its settings are still read-only.
 */
export function reachOf(
  { settings, login }: OwnFolder,
  named: string | undefined,
  usual: string,
): { readonly readable: readonly string[]; readonly writable: readonly string[] } {
  const folder = ownFolderOf(named, usual);
  const inside = (names: readonly string[]) => names.map((name) => join(folder, name));
  return { readable: inside(settings), writable: folder === usual ? inside(login) : [folder] };
}
