import { readdir } from 'node:fs/promises';
import { hasCode, kindOf } from './file-kind.ts';
import type { Git } from './git-command.ts';
import { pathInside } from './ignored-files.ts';
import type { RunWorktree } from './run-worktree.ts';

const GITLINK = /^160000 /;

/** The places of submodules, by what is there. Paths are relative, in latin1 so that no byte is lost. */
export interface SubmoduleLinks {
  /** A repository, or nothing at all as in a fresh worktree. */
  readonly sound: readonly string[];
  /** Files without a repository, which git would not look at. */
  readonly stuffed: readonly string[];
}

const linksByCommit = new Map<string, readonly string[]>();

/** Whether files lie at a place where git takes a submodule for granted. */
export async function hasStuffedLink(git: Git, worktree: RunWorktree, commit: string): Promise<boolean> {
  const links =
    linksByCommit.get(commit) ?? linksIn(await git(['ls-tree', '-r', '-z', '--full-tree', commit]));
  linksByCommit.set(commit, links);
  return links.length > 0 && (await sortLinks(worktree, links)).stuffed.length > 0;
}

/** The submodules of the index. */
export async function readLinks(git: Git, worktree: RunWorktree): Promise<SubmoduleLinks> {
  return sortLinks(worktree, linksIn(await git(['ls-files', '-s', '-z'])));
}

/**
 * Lets `add` pass over the places of submodules: it would start a git in each, which runs what the configuration of that
 * repository says, and a step may have written it. Files that lie there without a repository become plain files.
 */
export async function addAroundLinks(git: Git, { sound, stuffed }: SubmoduleLinks): Promise<void> {
  await update(git, ['--force-remove'], stuffed);
  await update(git, ['--skip-worktree'], sound);
  // With the run folder excluded by pathspec, `add` fails wherever a committed .gitignore names it.
  await git(['add', '-A', '--', '.']);
  await update(git, ['--no-skip-worktree'], sound);
  // This only looks up the commit that the repository there is at.
  await update(git, ['--add', '--remove'], sound);
}

async function update(git: Git, options: readonly string[], paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  const stdin = Buffer.from(paths.map((path) => `${path}\0`).join(''), 'latin1');
  await git(['update-index', '-z', ...options, '--stdin'], { stdin });
}

function linksIn({ stdout }: Awaited<ReturnType<Git>>): string[] {
  return stdout
    .toString('latin1')
    .split('\0')
    .filter((record) => GITLINK.test(record))
    .map((record) => record.slice(record.indexOf('\t') + 1));
}

async function sortLinks(worktree: RunWorktree, links: readonly string[]): Promise<SubmoduleLinks> {
  const sound: string[] = [];
  const stuffed: string[] = [];
  for (const link of links) {
    const path = pathInside(worktree, link);
    // Whatever else stands there is plain for git to see.
    if ((await kindOf(path)) !== 'folder') continue;
    const names = await namesIn(path);
    (names.length === 0 || names.includes('.git') ? sound : stuffed).push(link);
  }
  return { sound, stuffed };
}

async function namesIn(folder: Buffer): Promise<string[]> {
  return readdir(folder, 'latin1').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'EACCES')) return [];
    throw error;
  });
}
