import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommitResult, Revisions } from '../../../ports/work/revisions.ts';
import { commitAt, treeOf } from '../git/commits.ts';
import { type Git, type GitResult, printedValue } from '../git/git-command.ts';
import { salvageRefOf } from '../result/salvage-refs.ts';
import { findAdminDir, listCheckouts } from './checkouts.ts';

type CommitRequest = Parameters<Revisions['make']>[0];

/** Ids that are safe as part of a ref and of a folder name. */
const ITEM_ID = /^[A-Za-z0-9][A-Za-z0-9_-]*$/;
const REASON_LINES = 3;

export function itemBranchRef(itemId: string): string {
  return `refs/heads/conductor/item/${itemId}`;
}

/** Creates one commit on the base, without touching any checkout, and points the item's branch at it. */
export async function makeItemCommit(git: Git, request: CommitRequest): Promise<CommitResult> {
  const { itemId, base, patch } = request;
  if (!ITEM_ID.test(itemId)) return refuse(`the id ${JSON.stringify(itemId)} can't be part of a branch name`);
  const baseSha = await commitAt(git, base);
  if (baseSha === null) return refuse(`the base commit ${base} of the patch is not in the repository`);
  if (patch.trim() === '') return refuse('the patch is empty');
  const applied = await applyPatch(git, baseSha, patch);
  if (!applied.ok) return applied;
  if (applied.tree === (await treeOf(git, baseSha))) return refuse('the patch changes nothing');
  const headSHA = printedValue(
    await git(['commit-tree', applied.tree, '-p', baseSha, '-F', '-'], {
      stdin: cleanMessage(request.message),
      env: { ...commitDateEnv(request.at), GIT_AUTHOR_NAME: cleanAuthorName(request.author) },
    }),
  );
  await pointItemBranch(git, itemId, headSHA);
  return { ok: true, headRef: itemBranchRef(itemId), headSHA };
}

/** Applies the patch in a temporary index: the user's index, files and stash are neither read nor written. */
async function applyPatch(
  git: Git,
  baseSha: string,
  patch: string,
): Promise<{ readonly ok: true; readonly tree: string } | { readonly ok: false; readonly reason: string }> {
  const scratch = await mkdtemp(join(tmpdir(), 'conductor-patch-'));
  const env = { GIT_INDEX_FILE: join(scratch, 'index') };
  try {
    await git(['read-tree', baseSha], { env });
    const stdin = patch.endsWith('\n') ? patch : `${patch}\n`;
    const applied = await git(['apply', '--cached', '-'], { env, stdin, answers: [1, 128] });
    if (applied.exitCode !== 0) return refuse(`the patch does not apply: ${describeFailure(applied)}`);
    return { ok: true, tree: printedValue(await git(['write-tree'], { env })) };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/**
 * Moves the item's branch and keeps its old head under `refs/conductor/salvage/item-<id>.<n>`. A retry after a crash
 * keeps nothing twice. A checkout on the branch becomes detached at its commit, so that its files still match its HEAD.
 */
async function pointItemBranch(git: Git, itemId: string, commit: string): Promise<void> {
  const branch = itemBranchRef(itemId);
  const current = await commitAt(git, branch);
  if (current === commit) return;
  if (current !== null) {
    await keepHead(git, itemId, current);
    await detachCheckouts(git, branch, current);
  }
  try {
    await git(['update-ref', '--no-deref', branch, commit, current ?? ''], { retryLocks: true });
  } catch (error) {
    // A git process of a killed conductor may have made the same update in the meantime.
    if ((await commitAt(git, branch)) !== commit) throw error;
  }
}

async function keepHead(git: Git, itemId: string, commit: string): Promise<void> {
  const root = salvageRefOf(`item-${itemId}`, '');
  const listed = await git(['for-each-ref', '--format=%(objectname) %(refname)', `${root}*`]);
  const kept = listed.stdout
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '');
  if (kept.some((line) => line.startsWith(`${commit} `))) return;
  const numbers = kept.map((line) => Number(line.slice(line.lastIndexOf('.') + 1)));
  const next = Math.max(0, ...numbers.filter(Number.isSafeInteger)) + 1;
  try {
    await git(['update-ref', '--no-deref', `${root}${next}`, commit, ''], { retryLocks: true });
  } catch (error) {
    if ((await commitAt(git, `${root}${next}`)) !== commit) throw error;
  }
}

async function detachCheckouts(git: Git, branch: string, commit: string): Promise<void> {
  for (const checkout of (await listCheckouts(git)).filter((each) => each.branch === branch)) {
    const adminDir = await findAdminDir(git, checkout);
    if (adminDir === null) continue;
    const reason = 'conductor: the item has a new revision';
    const argv = ['update-ref', '--no-deref', '-m', reason, 'HEAD', commit];
    await git(argv, { env: { GIT_DIR: adminDir } });
  }
}

/** Sets both dates, so that repeating the commit gives the same id. */
export function commitDateEnv(at: string): Record<string, string> {
  const date = `@${Math.floor(Date.parse(at) / 1000)} +0000`;
  return { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
}

/** Removes NUL characters, which git rejects. */
export function cleanMessage(text: string): string {
  return `${text.replaceAll('\0', '').trim()}\n`;
}

/** Makes a valid author name. Git rejects an empty one. */
export function cleanAuthorName(author: string): string {
  const name = author.replace(/[<>\p{Cc}]+/gu, ' ').trim();
  return /[\p{L}\p{N}]/u.test(name) ? name : 'conductor';
}

function describeFailure({ stderr, exitCode }: GitResult): string {
  const lines = stderr.split('\n').filter((line) => line.startsWith('error: ') || line.startsWith('fatal: '));
  const reasons = lines.slice(0, REASON_LINES).map((line) => line.slice(line.indexOf(' ') + 1));
  return reasons.length === 0 ? `git apply ended with code ${exitCode}` : reasons.join('; ');
}

function refuse(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason };
}
