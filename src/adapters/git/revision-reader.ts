import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RevisionReader } from '../../ports/revision-reader.ts';
import { commonGitDir } from './find-repository.ts';
import { createGit, type Git, printedValue } from './git-command.ts';
import { commitAt } from './run-worktree.ts';
import { diffTrees } from './tree-diff.ts';

/** Names a default branch has where no remote says which it is. */
const USUAL_NAMES = ['main', 'master'];

export function createRevisionReader({ repoRoot }: { readonly repoRoot: string }): RevisionReader {
  const git = createGit({ cwd: repoRoot });
  const compare = async (fromTree: string, toTree: string, patch?: { path: string; asBytes: boolean }) =>
    diffTrees({
      runId: null,
      gitDir: await commonGitDir(git),
      fromTree,
      toTree,
      patchPath: patch?.path,
      asBytes: patch?.asBytes ?? false,
      signal: undefined,
    });
  return {
    defaultBranch: () => findDefaultBranch(git),
    baseOf: async (commit) => {
      const branch = await findDefaultBranch(git);
      if (branch === null) return null;
      const found = await git(['merge-base', `refs/heads/${branch}`, commit], { answers: [1] });
      return found.exitCode === 0 ? printedValue(found) : null;
    },
    files: (from, to) => compare(from, to),
    patch: async (from, to) => {
      const folder = await mkdtemp(join(tmpdir(), 'conductor-patch-'));
      try {
        const path = join(folder, 'change.patch');
        await compare(from, to, { path, asBytes: false });
        const text = asText(await readFile(path));
        if (text !== null) return text;
        // Old encodings are no Unicode and would not come out as they went in.
        await compare(from, to, { path, asBytes: true });
        return await readFile(path, 'utf8');
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

function asText(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** What the remote calls its default, then a usual name, then what the checkout is on. */
async function findDefaultBranch(git: Git): Promise<string | null> {
  const remote = await symbolic(git, 'refs/remotes/origin/HEAD', 'refs/remotes/origin/');
  const current = await symbolic(git, 'HEAD', 'refs/heads/');
  for (const name of [remote, ...USUAL_NAMES, current])
    if (name !== null && (await commitAt(git, `refs/heads/${name}`)) !== null) return name;
  return null;
}

async function symbolic(git: Git, ref: string, prefix: string): Promise<string | null> {
  const found = await git(['symbolic-ref', '--quiet', ref], { answers: [1] });
  const target = found.exitCode === 0 ? printedValue(found) : '';
  return target.startsWith(prefix) ? target.slice(prefix.length) : null;
}
