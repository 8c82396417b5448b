import { join } from 'node:path';
import type { FileChange } from '../../contracts/workspace-change.ts';
import { TRACKED_PATHSPEC } from './harness-link.ts';
import { stampOf } from './observe-checkout.ts';
import type { RunWorktree } from './run-worktree.ts';
import { ourIndex } from './worktree-tree.ts';

/** Stamps by path of the files that git ignores. */
export type IgnoredFiles = ReadonlyMap<string, string>;

/**
 * No snapshot holds these files, so only those that somebody has a rule about are looked at. What is tracked comes
 * from our index: an agent can add an ignored file to its own, where it would be neither ignored nor in a snapshot.
 */
export async function readIgnored(
  worktree: RunWorktree,
  isOfInterest: (path: string) => boolean,
): Promise<IgnoredFiles> {
  const { git, workspace } = worktree;
  const argv = ['ls-files', '-o', '-i', '-z', '--exclude-standard', ...TRACKED_PATHSPEC];
  const listed = await git(argv, { env: { GIT_INDEX_FILE: ourIndex(worktree) } });
  const stamps = new Map<string, string>();
  for (const path of listed.stdout.toString('utf8').split('\0')) {
    if (path === '' || !isOfInterest(path)) continue;
    const stamp = await stampOf(join(workspace.worktreePath, path));
    if (stamp !== null) stamps.set(path, stamp.text);
  }
  return stamps;
}

export function compareIgnored(before: IgnoredFiles, after: IgnoredFiles): FileChange[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort();
  return paths.flatMap((path): FileChange[] => {
    const [old, now] = [before.get(path), after.get(path)];
    if (old === now) return [];
    const status = old === undefined ? 'A' : now === undefined ? 'D' : 'M';
    return [
      {
        path,
        oldPath: null,
        status,
        insertions: null,
        deletions: null,
        oldMode: modeOf(old),
        newMode: modeOf(now),
        blob: '0'.repeat(40),
      },
    ];
  });
}

function modeOf(stamp: string | undefined): string {
  return stamp === undefined ? '000000' : Number(stamp.split(' ')[2]).toString(8).padStart(6, '0');
}
