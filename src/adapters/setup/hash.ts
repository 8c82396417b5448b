import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';

export function hashOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Null if there is no file. */
export async function hashOfFile(path: string): Promise<string | null> {
  const found = await stat(path).catch(() => null);
  return found?.isFile() === true ? hashOf(await readFile(path)) : null;
}
