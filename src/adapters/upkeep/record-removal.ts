import { lstat, open, readdir, readlink, realpath, rm, rmdir, unlink } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import type { Removal } from '../../ports/upkeep.ts';

export interface RecordPlace {
  readonly repoRoot: string;
  /** Absolute folder that holds the records, or links to those that live elsewhere. */
  readonly runsDir: string;
}

const EVENTS_FILE = 'events.ndjson';
const OWN_FOLDERS = new Set(['artifacts', 'harness', 'screenshots', 'logs']);
/** Written by the conductor; a name with a random tail is a write that a crash cut short. */
const OWN_FILES =
  /^(?:(?:metadata|status|harness_report|cancel_request)\.json|final-state\.txt|transcript\.md|diff\.patch|workflow\.yaml|\.gitignore|events\.ndjson\.torn-\d+)(?:\.[0-9a-f]{12}\.tmp)?$/;
const LOCK = /^lock\./;
/** The first event names the run and is far shorter. */
const FIRST_LINE_BYTES = 64 * 1024;

/**
 * Takes the record of a run away, file by file as the conductor wrote them: a folder that holds anything else stays
 * as it is. What tells whose folder it is goes last, so that a removal that was cut short can be done again.
 */
export async function removeRecord(
  place: RecordPlace,
  runId: string,
  { dryRun }: { readonly dryRun: boolean },
): Promise<Removal> {
  const entry = join(place.runsDir, runId);
  const found = await findFolder(place, runId, entry);
  if (typeof found !== 'string') return found;
  if (!(await isRecordOf(found, runId))) return refused(`${found} is not the record of this run`);
  const names = await readdir(found);
  const strangers = await strangersAmong(found, names);
  if (strangers.length > 0) return refused(`${found} holds what is not of the run: ${strangers.join(', ')}`);
  if (dryRun) return { ok: true, removed: false, salvageRef: null, notes: [] };
  const folders = names.filter((name) => OWN_FOLDERS.has(name));
  for (const name of folders) await rm(join(found, name), { recursive: true, force: true });
  for (const name of names.filter((name) => OWN_FILES.test(name))) await unlink(join(found, name));
  await unlink(join(found, EVENTS_FILE));
  for (const name of names.filter((name) => LOCK.test(name))) await rm(join(found, name), { force: true });
  await rmdir(found);
  if (found !== entry) await unlink(entry);
  return { ok: true, removed: true, salvageRef: null, notes: [] };
}

/** A record elsewhere is found through a link that the conductor made: to a folder of the run's name in the repository. */
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

async function strangersAmong(folder: string, names: readonly string[]): Promise<string[]> {
  const strangers: string[] = [];
  for (const name of names) {
    const kind = await kindAt(join(folder, name));
    const own =
      kind === 'folder'
        ? OWN_FOLDERS.has(name)
        : kind === 'missing' || name === EVENTS_FILE || OWN_FILES.test(name) || LOCK.test(name);
    if (!own) strangers.push(name);
  }
  return strangers.sort();
}

async function kindAt(path: string): Promise<'missing' | 'folder' | 'link' | 'file'> {
  const found = await lstat(path).catch(() => null);
  if (found === null) return 'missing';
  return found.isDirectory() ? 'folder' : found.isSymbolicLink() ? 'link' : 'file';
}

function refused(reason: string): Removal {
  return { ok: false, reason };
}
