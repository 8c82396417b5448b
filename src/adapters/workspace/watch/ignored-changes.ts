import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileChange } from '../../../contracts/workspace-change.ts';
import { TRACKED_PATHSPEC } from '../files/harness-link.ts';
import type { RunRepository } from '../repository/run-repository.ts';

/** Stamps by path of files that git ignores. */
export type IgnoredFiles = ReadonlyMap<string, string>;

/** Reads only the ignored files that a policy has a rule about: no snapshot contains them. */
export async function readIgnored(
  { git, workspace }: RunRepository,
  isWatched: (path: string) => boolean,
): Promise<IgnoredFiles> {
  const argv = ['ls-files', '-o', '-i', '-z', '--exclude-standard', ...TRACKED_PATHSPEC];
  const listed = await git(argv);
  const stamps = new Map<string, string>();
  for (const path of listed.stdout.toString('utf8').split('\0')) {
    if (path === '' || !isWatched(path)) continue;
    const stamp = await stampOf(join(workspace.worktreePath, path));
    if (stamp !== null) stamps.set(path, stamp);
  }
  return stamps;
}

async function stampOf(path: string): Promise<string | null> {
  const found = await lstat(path, { bigint: true }).catch(() => null);
  return found === null ? null : `${found.mode} ${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`;
}

export function compareIgnored(before: IgnoredFiles, after: IgnoredFiles): FileChange[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort();
  return paths.flatMap((path): FileChange[] => {
    const [old, now] = [before.get(path), after.get(path)];
    if (old === now) return [];
    const status = old === undefined ? 'A' : now === undefined ? 'D' : 'M';
    const modes = { oldMode: modeOf(old), newMode: modeOf(now) };
    const counts = { insertions: null, deletions: null };
    return [{ path, oldPath: null, status, ...counts, ...modes, blob: '0'.repeat(40) }];
  });
}

function modeOf(stamp: string | undefined): string {
  return stamp === undefined ? '000000' : Number(stamp.split(' ')[0]).toString(8).padStart(6, '0');
}
