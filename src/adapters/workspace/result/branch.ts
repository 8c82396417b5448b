import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Git } from '../git/git-command.ts';
import { ownBranchRef, type RunRepository } from '../repository/run-repository.ts';
import { writeDurably } from '../repository/store-refs.ts';

const FILE = 'branch';
const ABSENT = '-';

/** The commit of a branch of the user's repository, and the checkout that has it checked out. */
export interface FoundBranch {
  /** Null if it does not exist. */
  readonly at: string | null;
  readonly checkout: string | null;
}

export async function findBranch(git: Git, branchName: string): Promise<FoundBranch> {
  const ref = ownBranchRef(branchName);
  const listed = await git(['for-each-ref', '--format=%(objectname) %(refname) %(worktreepath)', ref]);
  for (const line of listed.stdout.toString('utf8').split('\n')) {
    const [at = '', name = '', ...checkout] = line.split(' ');
    if (name === ref) return { at, checkout: checkout.join(' ') || null };
  }
  return { at: null, checkout: null };
}

/** Records the commit of the branch, to detect later whether the user moved it. */
export async function rememberBranch({ folder, storeDir }: RunRepository, at: string | null): Promise<void> {
  await writeDurably(storeDir, join(folder, FILE), `${at ?? ABSENT}\n`);
}

export async function recallBranch({ folder }: RunRepository): Promise<string | null> {
  const text = (await readFile(join(folder, FILE), 'utf8').catch(() => ABSENT)).trim();
  return text === ABSENT ? null : text;
}
