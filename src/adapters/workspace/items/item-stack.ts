import type { StackedOn } from '../../../contracts/work/work-item.ts';
import type { StackResult } from '../../../ports/work/revisions.ts';
import { type Git, printedValue } from '../git/git-command.ts';
import { cleanMessage } from './item-commit.ts';
import { disableDrivers } from './item-merge.ts';

/**
 * Merges the revisions of blockers into a base, one merge commit each, without touching a checkout or a branch. The
 * commits depend only on the base and the stack, so that a retry after a crash gives the same base.
 */
export async function mergeStack(git: Git, base: string, stack: readonly StackedOn[]): Promise<StackResult> {
  let commit = base;
  for (const [index, { itemID, headSHA }] of stack.entries()) {
    if (await isAncestor(git, headSHA, commit)) continue;
    const merged = await mergeTrees(git, commit, headSHA);
    if (!merged.ok) {
      const other = await findConflicting(git, stack.slice(0, index), headSHA);
      return { ok: false, items: other === null ? [itemID] : [other, itemID], files: merged.files };
    }
    const message = `Base with work item ${itemID}`;
    commit = await commitTree(git, merged.tree, [commit, headSHA], message);
  }
  return { ok: true, commit };
}

type MergedTrees =
  | { readonly ok: true; readonly tree: string }
  | { readonly ok: false; readonly files: readonly string[] };

async function mergeTrees(git: Git, one: string, other: string): Promise<MergedTrees> {
  const argv = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', one, other];
  const merged = await git(argv, { env: await disableDrivers(git), answers: [1] });
  const [tree = '', ...files] = merged.stdout
    .toString('utf8')
    .split('\0')
    .filter((part) => part !== '');
  return merged.exitCode === 0 ? { ok: true, tree } : { ok: false, files };
}

/** The earlier revision that conflicts with this one; null if only the base does. */
async function findConflicting(
  git: Git,
  earlier: readonly StackedOn[],
  headSHA: string,
): Promise<string | null> {
  for (const { itemID, headSHA: other } of earlier)
    if (!(await mergeTrees(git, other, headSHA)).ok) return itemID;
  return null;
}

async function isAncestor(git: Git, commit: string, of: string): Promise<boolean> {
  return (await git(['merge-base', '--is-ancestor', commit, of], { answers: [1] })).exitCode === 0;
}

/** Takes the date of the first parent and a fixed name, so that the same input gives the same commit. */
async function commitTree(
  git: Git,
  tree: string,
  parents: readonly string[],
  message: string,
): Promise<string> {
  const [first = ''] = parents;
  const date = printedValue(await git(['show', '--no-patch', '--format=%ct', first]));
  const person = { NAME: 'conductor', EMAIL: 'conductor@localhost', DATE: `@${date} +0000` };
  const env = Object.fromEntries(
    Object.entries(person).flatMap(([key, value]) => [
      [`GIT_AUTHOR_${key}`, value],
      [`GIT_COMMITTER_${key}`, value],
    ]),
  );
  const argv = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-F', '-'];
  return printedValue(await git(argv, { stdin: cleanMessage(message), env }));
}
