import { join } from 'node:path';
import { readRegularFile } from '../git/file-kind.ts';
import { type Git, GitError } from '../git/git-command.ts';
import { ownBranchRef, type RunRepository } from './run-repository.ts';

const OBJECT_ID = /^[0-9a-f]{40,64}$/;

/** Commits that this process has already copied, by store. */
const keptByStore = new Map<string, Set<string>>();

/**
 * Git that uses the store's configuration and can also read the objects of the agent's repository. Conductor never
 * starts git with the configuration of the agent's repository.
 */
export function agentGit({ git, gitDir }: RunRepository): Git {
  // The path is quoted, because an unquoted colon would end it. Git resolves the escapes of a quoted path.
  const objects = JSON.stringify(join(gitDir, 'objects'));
  return (argv, call) =>
    git(argv, { ...call, env: { ...call?.env, GIT_ALTERNATE_OBJECT_DIRECTORIES: objects } });
}

/**
 * The current commits of the agent's repository: that of the run's branch, and that of HEAD if it is not on the branch.
 */
export interface AgentHeads {
  /** Null if the branch is missing or unreadable. */
  readonly branch: string | null;
  readonly head: string | null;
}

export async function readHeads({ workspace, gitDir }: RunRepository): Promise<AgentHeads> {
  const own = ownBranchRef(workspace.branchName);
  const head = (await readRegularFile(join(gitDir, 'HEAD')))?.trim() ?? '';
  const branch = await resolveRef(gitDir, own);
  if (head === `ref: ${own}`) return { branch, head: null };
  return { branch, head: head.startsWith('ref: ') ? await resolveRef(gitDir, head.slice(5)) : idOf(head) };
}

async function resolveRef(gitDir: string, ref: string): Promise<string | null> {
  if (!ref.startsWith('refs/') || ref.split('/').includes('..')) return null;
  const loose = idOf((await readRegularFile(join(gitDir, ref)))?.trim() ?? '');
  if (loose !== null) return loose;
  const packed = (await readRegularFile(join(gitDir, 'packed-refs'))) ?? '';
  const line = packed.split('\n').find((each) => each.endsWith(` ${ref}`));
  return idOf(line?.split(' ')[0] ?? '');
}

function idOf(text: string): string | null {
  return OBJECT_ID.test(text) ? text : null;
}

/**
 * Copies a commit of the agent, with every object that the base lacks, into the store, because the agent could delete
 * it from its own repository. Returns false if the commit does not exist.
 */
export async function keepCommit(repository: RunRepository, commit: string): Promise<boolean> {
  const { storeDir, workspace } = repository;
  const kept = keptByStore.get(storeDir) ?? new Set([workspace.baseSha]);
  keptByStore.set(storeDir, kept);
  if (kept.has(commit)) return true;
  const argv = ['pack-objects', '--quiet', '--non-empty', '--revs', join(storeDir, 'objects/pack/pack')];
  try {
    await agentGit(repository)(argv, { stdin: `${commit}\n--not\n${workspace.baseSha}\n` });
  } catch (error) {
    if (!(error instanceof GitError) || error.exitCode === null) throw error;
    return false;
  }
  kept.add(commit);
  return true;
}
