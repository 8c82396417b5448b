import type { DefaultBranch, Revisions } from '../../../ports/work/revisions.ts';
import type { MergeResult } from '../../../ports/work/work-provider.ts';
import { commitAt } from '../git/commits.ts';
import { findDefaultBranch } from '../git/default-branch.ts';
import { createGit, type Git, GitError, type GitResult, printedValue } from '../git/git-command.ts';
import { findAdminDir, type ListedCheckout, listCheckouts } from './checkouts.ts';
import { cleanAuthorName, cleanMessage, commitDateEnv, itemBranchRef } from './item-commit.ts';
import { findMergeObstacle, isRebasing } from './merge-obstacle.ts';

type ItemMerge = Parameters<Revisions['merge']>[0];

interface MergePlace {
  readonly git: Git;
  /** The name of the default branch, if it is configured. */
  readonly branch: string | null;
}

/**
 * Creates a merge commit on the default branch. All checks come before the single command that moves the branch, and
 * that command also updates the files of a checkout, so a merge is never half done.
 */
export async function mergeItem(place: MergePlace, request: ItemMerge): Promise<MergeResult> {
  const { git } = place;
  const target = await findDefaultBranch(git, place.branch);
  if (target === null)
    return refuse(
      'the default branch of the repository is unknown',
      'name the branch that work is merged into: work.branch in .tnh/config.yaml',
    );
  const done = await findEarlierMerge(git, target, request.headSHA);
  if (done !== null) return { ok: true, into: target.name, commit: done };
  const branch = itemBranchRef(request.itemId);
  const head = await commitAt(git, branch);
  if (head !== request.headSHA)
    return refuse(
      head === null
        ? `the branch ${shortenRef(branch)} is missing`
        : `the branch ${shortenRef(branch)} is at ${head.slice(0, 7)}, but the approval is for ${request.headSHA.slice(0, 7)}`,
      `close the item, or reset the branch to the approved commit: git branch --force ${shortenRef(branch)} ${request.headSHA.slice(0, 12)}`,
    );
  const tree = await mergeTrees(git, target, request);
  if (!tree.ok) return tree;
  const commit = await commitMerge(git, target, tree.tree, request);
  const moved = await moveBranch(place, target, commit, `conductor: merge work item ${request.itemId}`);
  if (moved.ok) return moved;
  // A git process of a killed conductor may have merged the item in the meantime.
  const now = await findDefaultBranch(git, place.branch);
  const late = now === null ? null : await findEarlierMerge(git, now, request.headSHA);
  return late === null ? moved : { ok: true, into: target.name, commit: late };
}

/**
 * The commit that merged the head; the head itself if the branch was fast-forwarded to it. Null if it is not merged.
 */
async function findEarlierMerge(git: Git, target: DefaultBranch, headSHA: string): Promise<string | null> {
  if ((await commitAt(git, headSHA)) === null) return null;
  const within = await git(['merge-base', '--is-ancestor', headSHA, target.commit], { answers: [1] });
  if (within.exitCode !== 0) return null;
  const argv = ['rev-list', '--first-parent', '--parents', target.commit, '--not', headSHA];
  const lines = printedValue(await git(argv)).split('\n');
  const merge = lines.map((line) => line.split(' ')).find(([, , ...others]) => others.includes(headSHA));
  return merge?.[0] ?? headSHA;
}

type MergedTree = { readonly ok: true; readonly tree: string } | Extract<MergeResult, { ok: false }>;

async function mergeTrees(
  git: Git,
  target: DefaultBranch,
  { itemId, headSHA }: ItemMerge,
): Promise<MergedTree> {
  const argv = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', target.commit, headSHA];
  const merged = await git(argv, { env: await disableDrivers(git), answers: [1, 128, 129] });
  const [tree = '', ...files] = merged.stdout
    .toString('utf8')
    .split('\0')
    .filter((part) => part !== '');
  const byHand = `merge ${shortenRef(itemBranchRef(itemId))} into ${target.name} by hand, then merge the item again`;
  switch (merged.exitCode) {
    case 0:
      return { ok: true, tree };
    case 1:
      return refuse(
        `${shortenRef(itemBranchRef(itemId))} and ${target.name} both changed ${files.join(', ')}`,
        byHand,
      );
    case 129:
      return refuse('this git is too old to merge without a checkout', 'install git 2.38 or newer');
    default:
      return refuse(
        `git can't merge ${shortenRef(itemBranchRef(itemId))}: ${firstErrorLine(merged)}`,
        byHand,
      );
  }
}

/**
 * Disables merge drivers, which are programs that a configuration names. Files that a driver would merge become
 * conflicts.
 */
export async function disableDrivers(git: Git): Promise<Record<string, string>> {
  const argv = ['config', '--null', '--name-only', '--get-regexp', String.raw`^merge\..+\.driver$`];
  const keys = (await git(argv, { answers: [1] })).stdout.toString('utf8').split('\0').slice(0, -1);
  const pairs = [...new Set(keys)].flatMap((key, at) => [
    [`GIT_CONFIG_KEY_${at}`, key],
    [`GIT_CONFIG_VALUE_${at}`, 'false'],
  ]);
  return pairs.length === 0
    ? {}
    : { GIT_CONFIG_COUNT: String(pairs.length / 2), ...Object.fromEntries(pairs) };
}

/** Commits in the name of the person who merges, with the email of the git configuration. */
async function commitMerge(
  git: Git,
  target: DefaultBranch,
  tree: string,
  { headSHA, message, by, at }: ItemMerge,
): Promise<string> {
  const email = printedValue(await git(['config', '--get', 'user.email'], { answers: [1] }));
  const env = {
    ...commitDateEnv(at),
    GIT_AUTHOR_NAME: cleanAuthorName(by),
    GIT_COMMITTER_NAME: cleanAuthorName(by),
    ...(email === '' ? {} : { GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_EMAIL: email }),
  };
  const argv = ['commit-tree', tree, '-p', target.commit, '-p', headSHA, '-F', '-'];
  return printedValue(await git(argv, { stdin: cleanMessage(message), env }));
}

/** Moves a branch forward, with the files of the checkout that is on it. */
export async function moveBranch(
  place: Pick<MergePlace, 'git'>,
  target: DefaultBranch,
  commit: string,
  reason: string,
): Promise<MergeResult> {
  const ref = `refs/heads/${target.name}`;
  const holders = await findHolders(place, ref);
  const [holder, another] = holders;
  if (another !== undefined)
    return refuse(
      `${target.name} is checked out in ${holders.map(({ path }) => path).join(' and in ')}`,
      'keep it checked out in only one of them',
    );
  if (holder === undefined) {
    const argv = ['update-ref', '-m', reason, ref, commit, target.commit];
    return finishMove(place.git(argv, { retryLocks: true }), target.name, commit);
  }
  const obstacle = await findMergeObstacle(holder, { ref, from: target.commit, to: commit });
  if (obstacle !== null) return refuse(obstacle.reason, obstacle.help);
  const argv = [
    'merge',
    '--ff-only',
    '--quiet',
    '--no-autostash',
    '--no-verify-signatures',
    '--no-overwrite-ignore',
  ];
  const call = { env: { GIT_REFLOG_ACTION: reason }, retryLocks: true };
  return finishMove(holder.git([...argv, commit], call), target.name, commit);
}

/** Git repeats the earlier checks. If something has changed in between, its error becomes the refusal. */
async function finishMove(moved: Promise<GitResult>, into: string, commit: string): Promise<MergeResult> {
  try {
    await moved;
    return { ok: true, into, commit };
  } catch (error) {
    if (!(error instanceof GitError) || error.exitCode === null) throw error;
    return refuse(`git could not move ${into}: ${error.detail}`, 'merge it again');
  }
}

/** A checkout that is on the branch or is rebasing it. */
interface Holder extends ListedCheckout {
  readonly adminDir: string;
  readonly git: Git;
}

async function findHolders({ git }: Pick<MergePlace, 'git'>, ref: string): Promise<readonly Holder[]> {
  const holders: Holder[] = [];
  for (const checkout of await listCheckouts(git)) {
    const adminDir = await findAdminDir(git, checkout);
    if (adminDir === null) continue;
    if (checkout.branch === ref || (await isRebasing(adminDir, ref)))
      holders.push({ ...checkout, adminDir, git: createGit({ cwd: checkout.path }) });
  }
  return holders;
}

function firstErrorLine({ stderr, exitCode }: GitResult): string {
  return stderr.split('\n').find((line) => line !== '') ?? `code ${exitCode}`;
}

function shortenRef(ref: string): string {
  return ref.replace(/^refs\/heads\//, '');
}

function refuse(reason: string, help: string): Extract<MergeResult, { ok: false }> {
  return { ok: false, reason, help };
}
