import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { kindOf } from '../git/file-kind.ts';
import type { RunRepository } from '../repository/run-repository.ts';

/**
 * Names of files are bytes, and not all of them are UTF-8. Between git and the file system they are strings in latin1,
 * which keeps every byte.
 */
export function pathBelow(root: string, latin1Path: string): Buffer {
  return Buffer.concat([Buffer.from(join(root, '/')), Buffer.from(latin1Path, 'latin1')]);
}

/** The absolute path of a file of the work checkout. */
export function pathInside({ workspace }: RunRepository, latin1Path: string): Buffer {
  return pathBelow(workspace.checkoutPath, latin1Path);
}

/** Decodes a path in latin1 to text for messages and globs. */
export function textOfPath(latin1Path: string): string {
  return Buffer.from(latin1Path, 'latin1').toString('utf8');
}

/** The folders above a path, outermost first. */
export function parentsOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'));
}

/**
 * Removes what is at a path, or a file or link in the place of one of its parent folders. Never removes anything behind
 * a link.
 */
export async function clearPlace(root: string, latin1Path: string): Promise<void> {
  for (const path of [...parentsOf(latin1Path), latin1Path]) {
    const kind = await kindOf(pathBelow(root, path));
    if (kind === 'missing') return;
    if (kind === 'folder' && path !== latin1Path) continue;
    await rm(pathBelow(root, path), { recursive: true, force: true });
    return;
  }
}
