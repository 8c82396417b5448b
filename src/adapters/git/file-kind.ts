import { lstat } from 'node:fs/promises';

/** What stands at a path, without following links. */
export async function kindOf(path: string | Buffer): Promise<'missing' | 'folder' | 'link' | 'other'> {
  try {
    const found = await lstat(path);
    return found.isDirectory() ? 'folder' : found.isSymbolicLink() ? 'link' : 'other';
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return 'missing';
    throw error;
  }
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
