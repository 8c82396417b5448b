import { digestOf } from './sim-log.ts';

/** The files of a tree by path. */
export type SimTree = ReadonlyMap<string, string>;

const BASE: SimTree = new Map([['README.md', 'a project\n']]);

/** What the program of a step does to the files. */
export interface SimWrite {
  readonly path: string;
  readonly line: string;
}

/** A repository with one worktree. Trees and commits are values; refs and the worktree move. */
export interface SimRepo {
  readonly baseCommit: string;
  /** Null when the folder is gone. */
  worktree: SimTree | null;
  readonly refs: Map<string, string>;
  /** Keeps a tree and gives its id. */
  readonly keepTree: (tree: SimTree) => string;
  readonly treeById: (id: string) => SimTree;
  readonly commitTree: (treeId: string) => string;
  readonly treeOfCommit: (commit: string) => string;
  /** Adding a line twice is not adding it once. */
  readonly addLine: (write: SimWrite) => void;
  readonly clone: () => SimRepo;
}

interface RepoContent {
  readonly worktree: SimTree | null;
  readonly refs: ReadonlyMap<string, string>;
  readonly trees: ReadonlyMap<string, SimTree>;
  readonly commits: ReadonlyMap<string, string>;
}

export function createSimRepo(
  from: RepoContent = { worktree: null, refs: new Map(), trees: new Map(), commits: new Map() },
): SimRepo {
  const trees = new Map(from.trees);
  const commits = new Map(from.commits);
  const keepTree = (tree: SimTree): string => {
    const id = digestOf(JSON.stringify([...tree].sort(([a], [b]) => (a < b ? -1 : 1)))).slice(0, 40);
    trees.set(id, tree);
    return id;
  };
  const commitTree = (treeId: string): string => {
    const commit = digestOf(`commit ${treeId}`).slice(0, 40);
    commits.set(commit, treeId);
    return commit;
  };
  const repo: SimRepo = {
    baseCommit: commitTree(keepTree(BASE)),
    worktree: from.worktree,
    refs: new Map(from.refs),
    keepTree,
    treeById: (id) => found(trees.get(id), `tree ${id}`),
    commitTree,
    treeOfCommit: (commit) => found(commits.get(commit), `commit ${commit}`),
    addLine: ({ path, line }) => {
      if (repo.worktree === null) return;
      repo.worktree = new Map(repo.worktree).set(path, `${repo.worktree.get(path) ?? ''}${line}\n`);
    },
    clone: () => createSimRepo({ worktree: repo.worktree, refs: repo.refs, trees, commits }),
  };
  return repo;
}

function found<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`the repository has no ${what}`);
  return value;
}
