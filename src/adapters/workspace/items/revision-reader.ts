import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RevisionReader } from '../../../ports/work/revisions.ts';
import { decodeUtf8 } from '../../../text/utf8.ts';
import { diffTrees } from '../files/tree-diff.ts';
import { findDefaultBranch } from '../git/default-branch.ts';
import { commonGitDir } from '../git/find-repository.ts';
import { createGit, printedValue } from '../git/git-command.ts';
import { mergeStack } from './item-stack.ts';

export interface RevisionReaderDeps {
  readonly repoRoot: string;
  /** The name of the default branch, if it is configured. */
  readonly branch?: string | null;
}

export function createRevisionReader({ repoRoot, branch: named = null }: RevisionReaderDeps): RevisionReader {
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
    defaultBranch: async () => (await findDefaultBranch(git, named))?.name ?? null,
    baseOf: async (commit) => {
      const branch = await findDefaultBranch(git, named);
      if (branch === null) return null;
      const found = await git(['merge-base', branch.commit, commit], { answers: [1] });
      return found.exitCode === 0 ? printedValue(found) : null;
    },
    files: (from, to) => compare(from, to),
    mergeStack: (base, stack) => mergeStack(git, base, stack),
    patch: async (from, to) => {
      const folder = await mkdtemp(join(tmpdir(), 'conductor-patch-'));
      try {
        const path = join(folder, 'change.patch');
        await compare(from, to, { path, asBytes: false });
        const text = decodeUtf8(await readFile(path));
        if (text !== null) return text;
        // The patch contains a file that is not UTF-8, which text can't represent: encode the files as binary.
        await compare(from, to, { path, asBytes: true });
        return await readFile(path, 'utf8');
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}
