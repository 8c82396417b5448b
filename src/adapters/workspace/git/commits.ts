import { type Git, printedValue } from './git-command.ts';

/** The commit that a ref, an id or an expression such as `HEAD~1` names; null if there is none. */
export async function commitAt(git: Git, name: string): Promise<string | null> {
  const argv = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`];
  const result = await git(argv, { answers: [1, 128] });
  return result.exitCode === 0 ? printedValue(result) : null;
}

const OBJECT_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
/** Tree ids by commit id. The tree of a commit never changes. */
const treesByCommit = new Map<string, string>();

export async function treeOf(git: Git, commit: string): Promise<string> {
  const known = treesByCommit.get(commit);
  if (known !== undefined) return known;
  const argv = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${commit}^{tree}`];
  const tree = printedValue(await git(argv));
  rememberTreeOf(commit, tree);
  return tree;
}

export function rememberTreeOf(commit: string, tree: string): void {
  if (OBJECT_ID.test(commit)) treesByCommit.set(commit, tree);
}

/** Writes the index as a tree. It may name files of a partial clone whose content is missing. */
export async function writeTree(git: Git, env: Readonly<Record<string, string>> = {}): Promise<string> {
  return printedValue(await git(['write-tree', '--missing-ok'], { env }));
}

export async function commitTree(
  git: Git,
  tree: string,
  parents: readonly string[],
  message: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const parentArgs = parents.flatMap((parent) => ['-p', parent]);
  return printedValue(await git(['commit-tree', tree, ...parentArgs, '-F', '-'], { stdin: message, env }));
}

export async function isAncestor(git: Git, ancestor: string, descendant: string): Promise<boolean> {
  const argv = ['merge-base', '--is-ancestor', ancestor, descendant];
  return (await git(argv, { answers: [1, 128] })).exitCode === 0;
}
