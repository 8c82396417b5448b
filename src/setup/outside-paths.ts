import { isPathInside, resolveFrom } from '../text/paths.ts';
import { readDeclaredPaths } from './declared-paths.ts';
import type { TopFiles } from './lock-files.ts';

/** A dependency by path, declared in a file at the top of the repository. */
export interface OutsidePath {
  readonly file: string;
  /** As written, without `file:`. */
  readonly path: string;
}

/**
 * Finds dependencies by a relative path that leaves the repository, such as `file:../lib`. The checkouts of a run are
 * elsewhere on the disk, where this path is missing or leads to another checkout: the install fails or uses that one.
 */
export function findOutsidePaths(files: TopFiles): readonly OutsidePath[] {
  const found = new Map<string, OutsidePath>();
  for (const [file, text] of files)
    for (const { path: declared } of readDeclaredPaths(file, text)) {
      const path = declared.replace(/^file:/, '');
      if (leavesFolder(path)) found.set(path, found.get(path) ?? { file, path });
    }
  return [...found.values()];
}

const ANY_FOLDER = '/repository';

function leavesFolder(path: string): boolean {
  return !/^[/~]/.test(path) && !isPathInside(ANY_FOLDER, resolveFrom(ANY_FOLDER, path));
}
