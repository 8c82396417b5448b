import { lstat, open, readdir, readlink, realpath, rename, rm, unlink } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import type { Removal } from '../../ports/upkeep.ts';

export interface RecordPlace {
  readonly repoRoot: string;
  /** Absolute folder that contains the records, or links to records elsewhere. */
  readonly runsDir: string;
}

const EVENTS_FILE = 'events.ndjson';
const OWN_FOLDERS = new Set(['artifacts', 'harness', 'screenshots', 'logs', 'sessions']);
/** Files that conductor writes; a name with a random suffix is a write that a crash interrupted. */
const OWN_FILES =
  /^(?:(?:metadata|status|harness_report|cancel_request)\.json|final-state\.txt|transcript\.md|diff\.patch|workflow\.yaml|\.gitignore|events\.ndjson\.torn-\d+)(?:\.[0-9a-f]{12}\.tmp)?$/;
const LOCK = /^lock\./;
/** Enough for the first event, which names the run and is far shorter. */
const FIRST_LINE_BYTES = 64 * 1024;

/** Records are renamed to this before they are deleted. */
const REMOVED = /^\.removed-[0-9a-f-]{36}$/;

/**
 * Removes the record of a run. A folder with any file that conductor did not write stays unchanged. The
 * folder is renamed first, so that an interrupted removal leaves a complete record or none; the next removal
 * deletes the rest.
 */
export async function removeRecord(
  place: RecordPlace,
  runId: string,
  { dryRun }: { readonly dryRun: boolean },
): Promise<Removal> {
  const entry = join(place.runsDir, runId);
  if (!dryRun && (await isRenamed(runId, entry))) {
    await unlink(entry);
    return { ok: true, removed: true, salvageRef: null, notes: [] };
  }
  const found = await findFolder(place, runId, entry);
  if (typeof found !== 'string') return found;
  if (!(await isRecordOf(found, runId))) return refused(`${found} is not the record of this run`);
  const names = await readdir(found);
  const foreign = await findForeignFiles(found, names);
  if (foreign.length > 0)
    return refused(`${found} contains files that are not part of the record: ${foreign.join(', ')}`);
  if (dryRun) return { ok: true, removed: false, salvageRef: null, notes: [] };
  await rename(found, removedName(found, runId));
  if (found !== entry) await unlink(entry);
  for (const folder of new Set([place.runsDir, dirname(found)])) await deleteRemoved(folder);
  return { ok: true, removed: true, salvageRef: null, notes: [] };
}

function removedName(folder: string, runId: string): string {
  return join(dirname(folder), `.removed-${runId}`);
}

/** Whether an interrupted removal renamed a record elsewhere and left the link to it. */
async function isRenamed(runId: string, entry: string): Promise<boolean> {
  if ((await kindAt(entry)) !== 'link') return false;
  const target = resolve(dirname(entry), await readlink(entry));
  return (await kindAt(target)) === 'missing' && (await kindAt(removedName(target, runId))) === 'folder';
}

async function deleteRemoved(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (REMOVED.test(name)) await rm(join(folder, name), { recursive: true, force: true });
}

/**
 * A record elsewhere is reached through a link that conductor made, to a folder in the repository named after
 * the run.
 */
async function findFolder(place: RecordPlace, runId: string, entry: string): Promise<string | Removal> {
  const kind = await kindAt(entry);
  if (kind === 'missing') return { ok: true, removed: false, salvageRef: null, notes: [] };
  if (kind === 'folder') return entry;
  if (kind === 'file') return refused(`${entry} is not a folder`);
  const target = resolve(dirname(entry), await readlink(entry));
  const real = await realpath(target).catch(() => null);
  const root = await realpath(place.repoRoot);
  const inside = real?.startsWith(`${root}${sep}`) === true && basename(real) === runId;
  if (!inside || (await kindAt(target)) !== 'folder') return refused(`${entry} leads to ${target}`);
  return target;
}

async function isRecordOf(folder: string, runId: string): Promise<boolean> {
  const log = await open(join(folder, EVENTS_FILE), 'r').catch(() => null);
  if (log === null) return false;
  try {
    const { buffer, bytesRead } = await log.read(Buffer.alloc(FIRST_LINE_BYTES), 0, FIRST_LINE_BYTES, 0);
    const [line = ''] = buffer.subarray(0, bytesRead).toString('utf8').split('\n', 1);
    const event: unknown = JSON.parse(line);
    return typeof event === 'object' && event !== null && 'run_id' in event && event.run_id === runId;
  } catch {
    return false;
  } finally {
    await log.close();
  }
}

async function findForeignFiles(folder: string, names: readonly string[]): Promise<string[]> {
  const foreign: string[] = [];
  for (const name of names) {
    const kind = await kindAt(join(folder, name));
    const own =
      kind === 'folder'
        ? OWN_FOLDERS.has(name)
        : kind === 'missing' || name === EVENTS_FILE || OWN_FILES.test(name) || LOCK.test(name);
    if (!own) foreign.push(name);
  }
  return foreign.sort();
}

async function kindAt(path: string): Promise<'missing' | 'folder' | 'link' | 'file'> {
  const found = await lstat(path).catch(() => null);
  if (found === null) return 'missing';
  return found.isDirectory() ? 'folder' : found.isSymbolicLink() ? 'link' : 'file';
}

function refused(reason: string): Removal {
  return { ok: false, reason };
}
