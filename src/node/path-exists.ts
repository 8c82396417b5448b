import { access } from 'node:fs/promises';

/** Whether something is at a path, after following links. */
export function pathExists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
