import { stat } from 'node:fs/promises';
import { hasCode } from './file-kind.ts';
import { createGit, type Git, GitError, printedValue } from './git-command.ts';

export type FoundRepository =
  | {
      readonly ok: true;
      readonly repoRoot: string;
      /** The folder that all worktrees share, also when `repoRoot` is a linked worktree itself. */
      readonly gitDir: string;
    }
  | {
      readonly ok: false;
      readonly reason: 'not_a_folder' | 'not_a_repository' | 'bare' | 'git_missing' | 'foreign_owner';
    };

/** The repository whose checkout holds `startDir`. */
export async function findRepository(startDir: string): Promise<FoundRepository> {
  // Node reports a missing folder to start in exactly as it reports a missing program.
  const start = await stat(startDir).catch(() => null);
  if (start?.isDirectory() !== true) return { ok: false, reason: 'not_a_folder' };
  const git = createGit({ cwd: startDir });
  try {
    const inside = await git(['rev-parse', '--is-inside-work-tree', '--is-bare-repository'], {
      answers: [128],
    });
    if (inside.exitCode !== 0) {
      const foreign = inside.stderr.includes('dubious ownership');
      return { ok: false, reason: foreign ? 'foreign_owner' : 'not_a_repository' };
    }
    const [insideWorkTree, bare] = printedValue(inside).split('\n');
    if (bare === 'true') return { ok: false, reason: 'bare' };
    if (insideWorkTree !== 'true') return { ok: false, reason: 'not_a_repository' };
    return {
      ok: true,
      repoRoot: await absolutePath(git, '--show-toplevel'),
      gitDir: await commonGitDir(git),
    };
  } catch (error) {
    if (error instanceof GitError && hasCode(error.cause, 'ENOENT')) {
      return { ok: false, reason: 'git_missing' };
    }
    throw error;
  }
}

export function commonGitDir(git: Git): Promise<string> {
  return absolutePath(git, '--git-common-dir');
}

async function absolutePath(git: Git, what: string): Promise<string> {
  return printedValue(await git(['rev-parse', '--path-format=absolute', what]));
}
