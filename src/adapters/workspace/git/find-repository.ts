import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { hasErrorCode } from '../../../text/error-code.ts';
import { createGit, type Git, GitError, printedValue } from './git-command.ts';

export type FoundRepository =
  | { readonly ok: true; readonly repoRoot: string; readonly gitDir: string }
  | {
      readonly ok: false;
      readonly reason: 'not_a_folder' | 'not_a_repository' | 'bare' | 'git_missing' | 'foreign_owner';
    };

/** The repository whose checkout contains `startDir`. `gitDir` is the one that all of its worktrees share. */
export async function findRepository(startDir: string): Promise<FoundRepository> {
  // Check the folder first: Node reports a missing working directory exactly as it reports a missing program.
  const start = await stat(startDir).catch(() => null);
  if (start?.isDirectory() !== true) return { ok: false, reason: 'not_a_folder' };
  try {
    return await askGit(createGit({ cwd: startDir }));
  } catch (error) {
    if (error instanceof GitError && hasErrorCode(error.cause, 'ENOENT'))
      return { ok: false, reason: 'git_missing' };
    throw error;
  }
}

async function askGit(git: Git): Promise<FoundRepository> {
  // A path may contain line feeds, so a `true` or `false` in front of each path serves as the separator.
  const questions = ['--is-bare-repository', '--git-common-dir', '--is-inside-work-tree', '--show-toplevel'];
  const answer = await git(['rev-parse', '--path-format=absolute', ...questions], { answers: [128] });
  const [, bare, gitDir, inside, toplevel] =
    /^(true|false)\n(.*?)\n(true|false)(?:\n(.*))?$/s.exec(printedValue(answer)) ?? [];
  if (bare === 'true') return { ok: false, reason: 'bare' };
  if (answer.exitCode !== 0) {
    const foreign = answer.stderr.includes('dubious ownership');
    return { ok: false, reason: foreign ? 'foreign_owner' : 'not_a_repository' };
  }
  if (inside !== 'true' || gitDir === undefined || toplevel === undefined)
    return { ok: false, reason: 'not_a_repository' };
  return { ok: true, repoRoot: toplevel, gitDir };
}

/**
 * Lists the main checkout of a repository and its linked worktrees. Reads files instead of running `git worktree list`,
 * which saves a process.
 */
export async function listCheckoutFolders(gitDir: string): Promise<readonly string[]> {
  const names = await readdir(join(gitDir, 'worktrees')).catch((): string[] => []);
  const linked = await Promise.all(
    names.map((name) => readFile(join(gitDir, 'worktrees', name, 'gitdir'), 'utf8').catch(() => '')),
  );
  const gitFiles = [gitDir, ...linked.map((text) => text.trim())];
  return gitFiles
    .filter((path) => isAbsolute(path) && basename(path) === '.git')
    .map((path) => dirname(path));
}

/** The git folder that all worktrees of the repository share. */
export async function commonGitDir(git: Git): Promise<string> {
  return printedValue(await git(['rev-parse', '--path-format=absolute', '--git-common-dir']));
}
