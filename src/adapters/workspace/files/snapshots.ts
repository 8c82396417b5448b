import type { Restored, RestoreTarget, Snapshot } from '../../../ports/workspace/workspace.ts';
import { type Git, GitError } from '../git/git-command.ts';
import { keepCommit, readHeads } from '../repository/agent-commits.ts';
import { restoreGitFolder } from '../repository/git-folder.ts';
import { readBaseTree } from '../repository/layout.ts';
import { clearStaleLocks, type RunRepository, type UserRepository } from '../repository/run-repository.ts';
import { writeCommit } from '../repository/store-objects.ts';
import { addStoreRef, writeStoreRef } from '../repository/store-refs.ts';
import { keepSubmodules, restoreSubmodules } from '../repository/submodules.ts';
import { salvageRefOf } from '../result/salvage-refs.ts';
import { putTree, type TakenTree, takeTree } from './file-tree.ts';
import { ensureHarnessLink } from './harness-link.ts';
import { type KeptIgnored, keepIgnored, readKeptIgnored } from './ignored/ignored-keep.ts';
import { clearIgnored, writeIgnored } from './ignored/ignored-restore.ts';
import { clearLeftovers } from './leftovers.ts';
import { displaceNestedRepositories } from './nested-repositories.ts';
import { withoutOversize } from './oversize.ts';
import { removeSpecialFiles } from './special-files.ts';

/**
 * A snapshot or a salvage is a commit in the store. Its tree has the tracked and untracked files; its parents are the
 * base, the commit with the ignored files, and the commits that the agent made. So fetching the commit fetches all of
 * them. The message names the parents.
 */
const SNAPSHOT = 'conductor snapshot of';
const SALVAGE = 'conductor salvage of';

/** The last snapshot of each store that this process took: unchanged files get the same commit under another name. */
const lastByStore = new Map<string, { readonly key: string; readonly commit: string }>();

export async function takeSnapshot(repository: RunRepository, name: string): Promise<Snapshot> {
  const { workspace, storeDir } = repository;
  const { tree, ignored } = await takeTree(repository);
  const { parents, body } = await collectParents(repository, await keepIgnored(repository, ignored));
  const key = `${tree} ${body}`;
  const last = lastByStore.get(storeDir);
  const subject = snapshotSubject(workspace.runId, name);
  // If the files match the base, the base commit is the snapshot.
  const isBase = parents.length === 1 && tree === (await readBaseTree(storeDir));
  const make = () => writeCommit(repository, { tree, parents, message: `${subject}${body}` });
  const commit = isBase ? workspace.baseSha : last?.key === key ? last.commit : await make();
  lastByStore.set(storeDir, { key, commit });
  await writeStoreRef(storeDir, snapshotRef(name), commit);
  return { commit, tree };
}

export function snapshotRef(name: string): string {
  return `refs/conductor/snapshot/${name}`;
}

export function snapshotSubject(runId: string, name: string): string {
  return `${SNAPSHOT} ${runId}: ${name}`;
}

async function collectParents(repository: RunRepository, { commit: ignored }: KeptIgnored) {
  const { baseSha } = repository.workspace;
  const { branch, head } = await readHeads(repository);
  const own = branch !== null && (await keepCommit(repository, branch)) ? branch : baseSha;
  const other = head !== null && (await keepCommit(repository, head)) ? head : null;
  const parents = [baseSha, ignored, own, other].filter((id) => id !== null);
  const body = `\n\nHead: ${own}\n${ignored === null ? '' : `Ignored: ${ignored}\n`}`;
  return { parents: [...new Set(parents)], body };
}

/** Restores files, ignored files, submodules and the git folder of the work checkout. */
export async function restoreSnapshot(
  user: UserRepository,
  repository: RunRepository,
  target: RestoreTarget,
  salvageName: string,
): Promise<Restored> {
  const { git, workspace } = repository;
  const destination = await readDestination(repository, target);
  await clearStaleLocks(user, repository);
  await removeSpecialFiles(workspace.checkoutPath);
  const { salvageRef, before, taken, kept } = await salvage(repository, salvageName);
  const wanted = await readKeptIgnored(git, destination.ignored);
  const unread = await clearLeftovers(repository, [...taken.ignored, ...taken.owned], destination.tree);
  await displaceNestedRepositories(repository, { nested: taken.nested, unread }, destination.tree);
  await clearIgnored(repository, kept, wanted);
  await putTree(repository, destination.tree);
  await writeIgnored(repository, kept, wanted, { onlyMissing: false });
  await restoreSubmodules(repository);
  await restoreGitFolder(repository, destination.head);
  await ensureHarnessLink(repository, workspace.checkoutPath);
  const { tree } = await takeTree(repository);
  if (tree !== destination.tree)
    throw new GitError([], null, `the files are ${tree} after restoring ${destination.tree}`);
  return { salvageRef, before, after: { commit: destination.commit, tree } };
}

export interface Salvaged {
  readonly salvageRef: string;
  readonly before: Snapshot;
  readonly taken: TakenTree;
  readonly kept: KeptIgnored;
}

/** Keeps the files as they are, with the ignored ones that are small enough and the changed ones of submodules. */
export async function salvage(repository: RunRepository, name: string): Promise<Salvaged> {
  const { git, workspace, storeDir } = repository;
  const taken = await withoutOversize(repository, () => takeTree(repository));
  const kept = await keepIgnored(repository, taken.ignored);
  const { parents, body } = await collectParents(repository, kept);
  const submodules = await keepSubmodules(repository);
  const changed = submodules.map(({ path, commit }) => `Submodule: ${commit} ${path}\n`).join('');
  const message = `${SALVAGE} ${workspace.runId}: ${name}${body}${changed}`;
  const all = [...parents, ...submodules.map(({ commit }) => commit)];
  const commit = await writeCommit(repository, { tree: taken.tree, parents: all, message });
  // A retry after a crash must not store the same files twice.
  const isSame = async (existing: string) => {
    const found = await readCommit(git, existing);
    return found.tree === taken.tree && found.message === message;
  };
  const added = await addStoreRef(storeDir, salvageRefOf(workspace.runId, name), commit, isSame);
  return { salvageRef: added.ref, before: { commit: added.commit, tree: taken.tree }, taken, kept };
}

/** The commit with the ignored files of a snapshot or salvage. */
export function ignoredOf(message: string): string | null {
  return /^Ignored: ([0-9a-f]+)$/m.exec(message)?.[1] ?? null;
}

interface Destination {
  readonly commit: string;
  readonly tree: string;
  /** The commit that the run's branch in the checkout has to be at. */
  readonly head: string;
  readonly ignored: string | null;
}

async function readDestination(repository: RunRepository, target: RestoreTarget): Promise<Destination> {
  const { git, workspace } = repository;
  if (target.kind === 'base' || target.commit === workspace.baseSha) {
    const commit = workspace.baseSha;
    return { commit, tree: await readBaseTree(repository.storeDir), head: commit, ignored: null };
  }
  const { tree, message } = await readCommit(git, target.commit);
  const head = /^Head: ([0-9a-f]+)$/m.exec(message)?.[1];
  const isOurs = [SNAPSHOT, SALVAGE].some((start) => message.startsWith(`${start} ${workspace.runId}: `));
  if (head === undefined || !isOurs)
    throw new GitError([], null, `${target.commit} is not a snapshot of ${workspace.runId}`);
  return { commit: target.commit, tree, head, ignored: ignoredOf(message) };
}

export interface ReadCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
}

export async function readCommit(git: Git, commit: string): Promise<ReadCommit> {
  const text = (await git(['cat-file', 'commit', commit])).stdout.toString('utf8');
  const end = text.indexOf('\n\n');
  const header = text.slice(0, end);
  const tree = /^tree ([0-9a-f]+)$/m.exec(header)?.[1];
  if (tree === undefined) throw new GitError([], null, `${commit} has no tree`);
  const parents = [...header.matchAll(/^parent ([0-9a-f]+)$/gm)].map(([, id = '']) => id);
  return { tree, parents, message: text.slice(end + 2) };
}
