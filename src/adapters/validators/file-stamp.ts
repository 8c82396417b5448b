import { stat } from 'node:fs/promises';

/** A stamp that changes whenever the file is written; null if the file does not exist. */
export async function stampFile(path: string): Promise<string | null> {
  const found = await stat(path, { bigint: true }).catch(() => null);
  return found === null ? null : `${found.ino}:${found.size}:${found.mtimeNs}`;
}
