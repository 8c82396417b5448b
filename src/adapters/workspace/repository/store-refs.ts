import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Contains temporary files, named by the id of the process that writes them. Resuming a run removes those of dead
 * processes.
 */
export const SCRATCH_FOLDER = 'scratch';

/**
 * Writes a ref of a store. Only conductor writes to a store, so it writes the file itself, which saves a git process
 * per snapshot. The file is durable before any record names its commit.
 */
export async function writeStoreRef(storeDir: string, ref: string, commit: string): Promise<void> {
  const path = join(storeDir, ref);
  await mkdir(dirname(path), { recursive: true });
  await writeDurably(storeDir, path, `${commit}\n`);
}

/**
 * Writes a file atomically and durably: after a crash or a power failure it is either complete or missing. It is
 * written in the store's scratch folder first, so that a process that dies leaves no partial file in its place.
 */
export async function writeDurably(storeDir: string, path: string, content: string | Buffer): Promise<void> {
  const scratch = join(storeDir, SCRATCH_FOLDER);
  await mkdir(scratch, { recursive: true });
  const temporary = join(scratch, `${process.pid}-${randomBytes(6).toString('hex')}`);
  await writeFile(temporary, content, { flush: true });
  await rename(temporary, path);
}

export async function readStoreRef(storeDir: string, ref: string): Promise<string | null> {
  const text = await readFile(join(storeDir, ref), 'utf8').catch(() => null);
  return text === null ? null : text.trim();
}

/**
 * Adds a salvage ref. A salvage is the last copy of something, so a salvage ref is never overwritten: if the name is
 * taken, a number is appended. If `isSame` says that an existing ref keeps the same content, nothing is added.
 */
export async function addStoreRef(
  storeDir: string,
  wanted: string,
  commit: string,
  isSame: (existing: string) => Promise<boolean> = async (existing) => existing === commit,
): Promise<{ readonly ref: string; readonly commit: string }> {
  for (let count = 1; ; count += 1) {
    const ref = count === 1 ? wanted : `${wanted}-${count}`;
    const existing = await readStoreRef(storeDir, ref);
    if (existing !== null && (await isSame(existing))) return { ref, commit: existing };
    if (existing !== null) continue;
    await writeStoreRef(storeDir, ref, commit);
    return { ref, commit };
  }
}

/** Commits by full ref name, for all refs below a folder of refs. */
export async function listStoreRefs(storeDir: string, root: string): Promise<ReadonlyMap<string, string>> {
  const names = await readdir(join(storeDir, root), { recursive: true }).catch((): string[] => []);
  const found = new Map<string, string>();
  for (const name of names.filter((each) => !each.endsWith('.lock'))) {
    // A folder is not a ref and can't be read.
    const commit = await readStoreRef(storeDir, `${root}/${name}`);
    if (commit !== null) found.set(`${root}/${name}`, commit);
  }
  return found;
}
