import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, readlink, stat, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** What a container needs to know about this machine. */
export interface PodmanMachine {
  /** The root of the container: only places for mounts, and the links of the real root. */
  readonly root: string;
  /** The folders of the real root that are shown. */
  readonly folders: readonly string[];
  /** Where other file systems are mounted. */
  readonly mountPoints: readonly string[];
  readonly limits: readonly ResourceLimit[];
  /** In octal digits. */
  readonly umask: string;
  readonly isRoot: boolean;
  /** Whether podman can set limits of a control group; where it can't, it warns. */
  readonly canLimitProcesses: boolean;
}

export interface ResourceLimit {
  readonly name: 'nofile' | 'nproc';
  readonly soft: number;
  readonly hard: number;
}

/** Podman mounts its own. */
const KERNEL_FOLDERS = new Set(['/dev', '/proc', '/sys']);

export async function readMachine(rootsFolder: string): Promise<PodmanMachine> {
  const entries = await readRoot();
  const points = readMountPoints(await readFile('/proc/self/mountinfo', 'utf8'));
  const isRoot = process.getuid?.() === 0;
  return {
    root: await makeRoot(rootsFolder, entries),
    folders: entries.flatMap(({ path, target }) =>
      target === null && !KERNEL_FOLDERS.has(path) ? [path] : [],
    ),
    mountPoints: await filterReachable(points, isRoot),
    limits: readLimits(await readFile('/proc/self/limits', 'utf8')),
    umask: readUmask(await readFile('/proc/self/status', 'utf8')),
    isRoot,
    canLimitProcesses: isRoot || (await exists('/sys/fs/cgroup/cgroup.controllers')),
  };
}

interface RootEntry {
  readonly path: string;
  /** Where a link leads; null for a folder. */
  readonly target: string | null;
}

async function readRoot(): Promise<RootEntry[]> {
  const entries = (await readdir('/', { withFileTypes: true })).sort((left, right) =>
    left.name < right.name ? -1 : 1,
  );
  return Promise.all(
    entries
      .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
      .map(async (entry): Promise<RootEntry> => {
        const path = `/${entry.name}`;
        return { path, target: entry.isSymbolicLink() ? await readlink(path) : null };
      }),
  );
}

/** Named by what is in it, so that several conductors can make and use the same one. */
async function makeRoot(rootsFolder: string, entries: readonly RootEntry[]): Promise<string> {
  const digest = createHash('sha256').update(JSON.stringify(entries)).digest('hex').slice(0, 16);
  const root = join(rootsFolder, digest);
  await mkdir(root, { recursive: true });
  await Promise.all(
    entries.map(({ path, target }) =>
      target === null
        ? mkdir(join(root, path), { recursive: true })
        : symlink(target, join(root, path)).catch((error: unknown) => {
            if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
          }),
    ),
  );
  return root;
}

/** The mount points of a `mountinfo` file. */
export function readMountPoints(mountinfo: string): string[] {
  const points = mountinfo
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '')
    .filter((point) => point !== '')
    .map((point) =>
      point.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8))),
    );
  return [...new Set(points)];
}

/**
 * Of some file systems only the user who mounted them sees the top. For root, those in folders that other users can't
 * enter are left out too: container engines mount and unmount there all the time.
 */
async function filterReachable(points: readonly string[], isRoot: boolean): Promise<string[]> {
  const found = await Promise.all(points.map((point) => (isRoot ? isOpenToOthers(point) : exists(point))));
  return points.filter((_, index) => found[index] === true);
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

const OTHERS_ENTER = 0o001;

async function isOpenToOthers(path: string): Promise<boolean> {
  const folder = dirname(path);
  if (folder === path) return true;
  const mode = await stat(folder).then(
    (found) => found.mode,
    () => 0,
  );
  return (mode & OTHERS_ENTER) !== 0 && (await exists(path)) && isOpenToOthers(folder);
}

/** The largest values that podman gives itself before it starts a container. */
const LIMITS = [
  { name: 'nofile', label: 'Max open files', most: 1_048_576 },
  { name: 'nproc', label: 'Max processes', most: 32_768 },
] as const;

/** The limits of a `limits` file, as far as a container can have them. */
export function readLimits(limits: string): ResourceLimit[] {
  return LIMITS.map(({ name, label, most }) => {
    const line = limits.split('\n').find((one) => one.startsWith(label)) ?? '';
    const [soft, hard] = line
      .slice(label.length)
      .trim()
      .split(/\s+/)
      .map((value) => Math.min(/^\d+$/.test(value) ? Number(value) : most, most));
    return { name, soft: soft ?? most, hard: hard ?? most };
  });
}

/** The umask of a `status` file. */
export function readUmask(status: string): string {
  return /^Umask:\s*([0-7]+)$/m.exec(status)?.[1] ?? '0022';
}
