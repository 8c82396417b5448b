import { stat } from 'node:fs/promises';

/** Tells whether a file was written between two looks; null when there is none. */
export async function stampFile(path: string): Promise<string | null> {
  const found = await stat(path, { bigint: true }).catch(() => null);
  return found === null ? null : `${found.ino}:${found.size}:${found.mtimeNs}`;
}
