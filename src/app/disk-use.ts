import { formatBytes } from '../contracts/byte-size.ts';

/** Space that conductor may take before `doctor` suggests to remove runs. */
const LARGE_USE_BYTES = 20e9;
/** A disk with less free space is nearly full: one step may write 10 GB by default. */
const SCARCE_FREE_BYTES = 10e9;
/** How long measuring may take in total. */
const MEASURE_MS = 3_000;

/** Size of a folder; `isComplete` is false if there was no time to read all of it. */
export interface FolderUse {
  readonly bytes: number;
  readonly isComplete: boolean;
}

export interface DiskUse {
  readonly records: FolderUse;
  readonly workspaces: FolderUse;
  /** Results of setups and baselines. */
  readonly caches: FolderUse;
  /** Free space on the disk of the workspaces; null if unknown. */
  readonly freeBytes: number | null;
}

export interface DiskUseDeps {
  /** Bytes of all files below a path, as far as they can be read until `deadline`; 0 if it is missing. */
  readonly measure: (path: string, deadline: number) => Promise<FolderUse>;
  readonly listFolder: (path: string) => Promise<readonly string[]>;
  readonly readFreeBytes: (path: string) => Promise<number | null>;
  readonly now: () => number;
}

export interface DiskUsePlaces {
  readonly runsFolder: string;
  /** Contains workspaces by run id, and the caches. */
  readonly workspacesFolder: string;
}

/** Folders in the workspaces folder that are not workspaces. */
const CACHES: ReadonlySet<string> = new Set(['setup', 'baselines']);

/** Measures what conductor stores for one repository. Returns a lower limit if that takes too long. */
export async function measureDiskUse(deps: DiskUseDeps, places: DiskUsePlaces): Promise<DiskUse> {
  const { runsFolder, workspacesFolder } = places;
  const deadline = deps.now() + MEASURE_MS;
  const names = await deps.listFolder(workspacesFolder);
  const sum = async (paths: readonly string[]): Promise<FolderUse> => {
    let total: FolderUse = { bytes: 0, isComplete: true };
    for (const path of paths) {
      const { bytes, isComplete } = await deps.measure(path, deadline);
      total = { bytes: total.bytes + bytes, isComplete: total.isComplete && isComplete };
    }
    return total;
  };
  const below = (isCache: boolean) =>
    names.filter((name) => CACHES.has(name) === isCache).map((name) => `${workspacesFolder}/${name}`);
  const [records, caches, workspaces] = await Promise.all([
    sum([runsFolder]),
    sum(below(true)),
    sum(below(false)),
  ]);
  const freeBytes = await deps.readFreeBytes(names.length === 0 ? runsFolder : workspacesFolder);
  return { records, workspaces, caches, freeBytes };
}

/** `records 1.2 MB, workspaces at least 3.4 GB, caches 0 B; 120 GB free`. */
export function diskUseText({ records, workspaces, caches, freeBytes }: DiskUse): string {
  const part = (name: string, { bytes, isComplete }: FolderUse) =>
    `${name} ${isComplete ? '' : 'at least '}${formatBytes(bytes)}`;
  const used = [part('records', records), part('workspaces', workspaces), part('caches', caches)].join(', ');
  return freeBytes === null ? used : `${used}; ${formatBytes(freeBytes)} free`;
}

/** Why the user should free space, and how; null if there is enough. */
export function diskUseProblem(use: DiskUse): { readonly message: string; readonly help: string } | null {
  const { records, workspaces, caches, freeBytes } = use;
  const total = records.bytes + workspaces.bytes + caches.bytes;
  const isScarce = freeBytes !== null && freeBytes < SCARCE_FREE_BYTES;
  if (!isScarce && total <= LARGE_USE_BYTES) return null;
  const message = isScarce
    ? 'the disk is nearly full'
    : `conductor uses more than ${formatBytes(LARGE_USE_BYTES)}`;
  if (workspaces.bytes >= Math.max(records.bytes, caches.bytes))
    return {
      message,
      help: 'conductor worktree prune --all removes the workspaces of all runs that have ended; --dry-run only lists them',
    };
  return records.bytes >= caches.bytes
    ? {
        message,
        help: 'conductor clean --keep-runs 20 removes all runs but the newest; --dry-run only lists them',
      }
    : {
        message,
        help: 'remove the folder setup of the workspaces folder while no run is active; the next run creates it again',
      };
}
