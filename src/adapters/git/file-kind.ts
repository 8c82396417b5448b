import { lstat, readFile } from 'node:fs/promises';

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

/** The text of a file; null for anything else. To open a pipe would wait for ever for somebody to write. */
export async function readFileHere(path: string): Promise<string | null> {
  const found = await lstat(path).catch(() => null);
  return found?.isFile() === true ? readFile(path, 'utf8').catch(() => null) : null;
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
