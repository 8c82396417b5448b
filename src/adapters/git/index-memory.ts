import { stat } from 'node:fs/promises';

/** What this process knows of an index that it wrote: the tree it stands for, and where that was taken. */
export interface IndexMemory {
  readonly head: string;
  readonly tree: string;
}

interface Entry {
  readonly stamp: string;
  readonly memory: IndexMemory | null;
}

/**
 * An agent can write everywhere in the git folder, so an index is only believed when it is still the very file that
 * was written here. What another process wrote, before a crash, is believed as a cache and no more.
 */
const entriesByPath = new Map<string, Entry>();

export async function rememberIndex(path: string, memory: IndexMemory | null): Promise<void> {
  const stamp = await stampOf(path);
  if (stamp === null) entriesByPath.delete(path);
  else entriesByPath.set(path, { stamp, memory });
}

/** `forged`: somebody else has written it since. */
export async function recallIndex(path: string): Promise<'unknown' | 'forged' | IndexMemory> {
  const entry = entriesByPath.get(path);
  if (entry === undefined) return 'unknown';
  if ((await stampOf(path)) !== entry.stamp) return 'forged';
  return entry.memory ?? 'unknown';
}

/** The same as long as nobody writes the file; null when it is not there. */
export async function stampOf(path: string): Promise<string | null> {
  const found = await stat(path, { bigint: true }).catch(() => null);
  return found === null ? null : `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`;
}
