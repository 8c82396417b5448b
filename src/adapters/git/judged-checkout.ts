import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { JudgedCheckout, JudgedRequest } from '../../ports/surroundings.ts';
import type { RunWorkspace } from '../../ports/workspace.ts';
import { kindOf } from './file-kind.ts';
import { type Git, printedValue } from './git-command.ts';
import { ensureHarnessLink, TRACKED_PATHSPEC } from './harness-link.ts';
import { withoutFilters } from './no-filters.ts';
import { findAdminDir, openRunWorktree, treeOf } from './run-worktree.ts';
import { type Repository, removeWorktree } from './worktree-lifecycle.ts';

const SUFFIX = '.judge';

/** Beside the run's own worktree, so that tools find the same folders above it. */
function judgedPathOf(workspace: Pick<RunWorkspace, 'worktreePath'>): string {
  return `${workspace.worktreePath}${SUFFIX}`;
}

/** The run that a worktree at this path was made for. */
export function runIdOfPath(path: string): string {
  const name = basename(path);
  return name.endsWith(SUFFIX) ? name.slice(0, -SUFFIX.length) : name;
}

/**
 * A worktree of its own with the change of the run on top of the base, in which the protected paths are those of the
 * base. Nothing that git ignores comes with it: an agent can have put anything there.
 */
export async function openJudgedCheckout(
  repository: Pick<Repository, 'git' | 'gitDir'>,
  workspace: RunWorkspace,
  { tree, protects }: JudgedRequest,
): Promise<JudgedCheckout> {
  const { git, gitDir } = repository;
  const { baseSha, runId, harnessDir } = workspace;
  const judged = { ...workspace, worktreePath: judgedPathOf(workspace) };
  const remove = () => removeJudgedCheckout(repository, workspace);
  const changed = (await changesBetween(git, await treeOf(git, baseSha), tree)).filter(({ path }) =>
    protects(textOf(path)),
  );
  // One that a killed conductor left holds another change.
  await remove();
  try {
    const env = await withoutFilters(git);
    const add = ['worktree', 'add', '-f', '-f', '-q', '--detach', '--no-checkout'];
    await git([...add, judged.worktreePath, baseSha], { env, retryLocks: true });
    const inside = await openRunWorktree(judged, gitDir, undefined);
    await inside.git(['read-tree', '--reset', '-u', await withBasePaths(inside.git, tree, changed)]);
    // The change shows as one that is not committed, as it does in the run's own worktree.
    await inside.git(['read-tree', '--reset', baseSha]);
    await inside.git(['update-index', '-q', '--refresh'], { answers: [1] });
    await ensureHarnessLink(judged.worktreePath, runId, harnessDir);
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    worktreePath: judged.worktreePath,
    changed: changed.map(({ path }) => textOf(path)),
    remove,
  };
}

export async function removeJudgedCheckout(
  { git, gitDir }: Pick<Repository, 'git' | 'gitDir'>,
  workspace: RunWorkspace,
): Promise<void> {
  const path = judgedPathOf(workspace);
  if ((await kindOf(path)) === 'missing' && (await findAdminDir(gitDir, path)) === null) return;
  await removeWorktree(git, gitDir, path);
}

/** A path that differs, with what the base has there. Paths are in latin1, so that no byte is lost. */
interface ChangedPath {
  readonly path: string;
  /** `<mode> <id>`; null where the base has nothing. */
  readonly base: string | null;
}

/** Without renames, so that both ends of each are there. */
async function changesBetween(git: Git, baseTree: string, tree: string): Promise<ChangedPath[]> {
  const argv = ['diff-tree', '-r', '-z', '--raw', '--no-abbrev', '--no-renames', baseTree, tree];
  const tokens = (await git([...argv, ...TRACKED_PATHSPEC])).stdout.toString('latin1').split('\0');
  const changes: ChangedPath[] = [];
  for (let at = 0; at + 1 < tokens.length; at += 2) {
    const [mode = '', , id = ''] = (tokens[at] ?? '').slice(1).split(' ');
    changes.push({ path: tokens[at + 1] ?? '', base: /^0+$/.test(mode) ? null : `${mode} ${id}` });
  }
  return changes;
}

/** What the base has wins over whatever stands in its way, a file in the place of a folder too. */
async function withBasePaths(git: Git, tree: string, changed: readonly ChangedPath[]): Promise<string> {
  if (changed.length === 0) return tree;
  const removals = changed.map(({ path }) => `0 ${'0'.repeat(tree.length)}\t${path}\0`);
  const additions = changed.flatMap(({ path, base }) => (base === null ? [] : [`${base} 0\t${path}\0`]));
  const scratch = await mkdtemp(join(tmpdir(), 'conductor-tree-'));
  const env = { GIT_INDEX_FILE: join(scratch, 'index') };
  try {
    await git(['read-tree', tree], { env });
    const stdin = Buffer.from([...removals, ...additions].join(''), 'latin1');
    await git(['update-index', '-z', '--index-info'], { env, stdin });
    return printedValue(await git(['write-tree'], { env }));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function textOf(path: string): string {
  return Buffer.from(path, 'latin1').toString('utf8');
}
