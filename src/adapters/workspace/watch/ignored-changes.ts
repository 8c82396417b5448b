import { lstat, readdir } from 'node:fs/promises';
import type { FileChange } from '../../../contracts/run/workspace-change.ts';
import { lastIgnored } from '../files/file-tree.ts';
import { RUN_FOLDER } from '../files/harness-link.ts';
import { pathInside, textOfPath } from '../files/paths.ts';
import type { RunRepository } from '../repository/run-repository.ts';

/** Stamps by path of files that git ignores. */
export type IgnoredFiles = ReadonlyMap<string, string>;

/** Reads only the ignored files that a policy has a rule about: no snapshot contains them. */
export async function readIgnored(
  repository: RunRepository,
  isWatched: (path: string) => boolean,
): Promise<IgnoredFiles> {
  const stamps = new Map<string, string>();
  const waiting = [...(await lastIgnored(repository))];
  for (let entry = waiting.pop(); entry !== undefined; entry = waiting.pop()) {
    if (entry === `${RUN_FOLDER}/`) continue;
    const path = textOfPath(entry);
    if (entry.endsWith('/')) waiting.push(...(await entriesIn(repository, entry)));
    else if (isWatched(path)) {
      const stamp = await stampOf(pathInside(repository, entry));
      if (stamp !== null) stamps.set(path, stamp);
    }
  }
  return stamps;
}

async function entriesIn(repository: RunRepository, folder: string): Promise<string[]> {
  const options = { withFileTypes: true, encoding: 'latin1' } as const;
  const entries = await readdir(pathInside(repository, folder), options).catch(() => []);
  return entries.map((entry) => `${folder}${entry.name}${entry.isDirectory() ? '/' : ''}`);
}

async function stampOf(path: Buffer): Promise<string | null> {
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
