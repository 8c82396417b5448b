import { join } from 'node:path';

/** What of an agent's own folder it needs to work. */
export interface OwnFolder {
  /** To be read: programs named there are started by who comes later, outside of any sandbox. */
  readonly settings: readonly string[];
  /** May be renewed by the agent. */
  readonly login: readonly string[];
}

export function ownFolderOf(named: string | undefined, usual: string): string {
  return named === undefined || named === '' ? usual : named;
}

/**
 * Of the usual folder only what is needed is shown, in an empty one of its own. A folder that somebody named is there as a whole,
 * since an empty one in its place can't be made; its settings still can't be changed.
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
