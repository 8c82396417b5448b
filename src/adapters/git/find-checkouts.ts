import { join } from 'node:path';
import { kindOf, readFileHere } from './file-kind.ts';
import { createGit, type Git } from './git-command.ts';
import { withoutFilters } from './no-filters.ts';
import type { Checkout } from './observe-checkout.ts';

const DEPTH_LIMIT = 8;

/** The user's checkout, and those of its submodules that hold files. */
export async function findCheckouts(
  top: Omit<Checkout, 'git' | 'prefix'>,
  runId: string,
): Promise<readonly Checkout[]> {
  const found: Checkout[] = [];
  const open = [{ prefix: '', depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { prefix, depth } = next;
    const root = join(top.root, prefix);
    const plain = createGit({ cwd: root, runId });
    const git = createGit({ cwd: root, runId, env: await withoutFilters(plain) });
    found.push({ ...top, root, git, prefix });
    if (depth === DEPTH_LIMIT) continue;
    for (const path of await submodulesOf(plain, root))
      if ((await kindOf(join(root, path, '.git'))) !== 'missing')
        open.push({ prefix: `${prefix}${path}/`, depth: depth + 1 });
  }
  return found;
}

/** As the checkout's own list has them; one that is not on it is told by its commit alone. */
async function submodulesOf(git: Git, root: string): Promise<string[]> {
  const text = await readFileHere(join(root, '.gitmodules'));
  if (text === null) return [];
  const argv = ['config', '--file', '-', '--null', '--get-regexp', String.raw`^submodule\..*\.path$`];
  const listed = await git(argv, { stdin: text, answers: [1, 128] });
  return listed.stdout
    .toString('utf8')
    .split('\0')
    .map((entry) => entry.slice(entry.indexOf('\n') + 1))
    .filter((path) => path !== '' && !path.split('/').includes('..') && !path.startsWith('/'));
}
