import { digestOf } from './sim-log.ts';

/** The files of a tree by path. */
export type SimTree = ReadonlyMap<string, string>;

const BASE: SimTree = new Map([['README.md', 'a project\n']]);

/** What the program of a step does to the files of a checkout. */
export interface SimWrite {
  readonly path: string;
  readonly line: string;
  /** The agent's checkout if it is missing. */
  readonly checkout?: 'judge';
}

export interface SimCommit {
  readonly tree: string;
  readonly parent: string | null;
  readonly message: string;
}

/** The checkout that validators run in. */
export interface SimJudge {
  readonly files: SimTree;
  /** The tree of the snapshot that it was brought to; null while that is under way. */
  readonly snapshot: string | null;
}

/** What moves. Trees and commits are values that stay. */
interface SimState {
  /** Null if the folder is gone. */
  worktree: SimTree | null;
  judge: SimJudge | null;
  /** Whether the workspace was made completely. */
  isComplete: boolean;
  /** Where conductor saw or left the run's branch; null if it did not exist. */
  branchLeftAt: string | null;
}

/** The user's repository, and the workspace of the one run. */
export interface SimRepo extends SimState {
  readonly baseCommit: string;
  /** Refs of the user's repository. */
  readonly userRefs: Map<string, string>;
  /** Refs of the store beside the checkouts: snapshots, salvages, the result. */
  readonly storeRefs: Map<string, string>;
  /** Keeps a tree and returns its id. */
  readonly keepTree: (tree: SimTree) => string;
  readonly treeById: (id: string) => SimTree;
  /** Returns another id each time, as a commit has a date. */
  readonly makeCommit: (commit: SimCommit) => string;
  readonly commitById: (id: string) => SimCommit;
  /** The id of the tree that a commit or a tree names. */
  readonly treeOf: (revision: string) => string;
  /** Adding a line twice is not adding it once. */
  readonly addLine: (write: SimWrite) => void;
  readonly clone: () => SimRepo;
}

interface RepoContent extends Readonly<SimState> {
  readonly userRefs: ReadonlyMap<string, string>;
  readonly storeRefs: ReadonlyMap<string, string>;
  readonly trees: ReadonlyMap<string, SimTree>;
  readonly commits: ReadonlyMap<string, SimCommit>;
}

const EMPTY: RepoContent = {
  worktree: null,
  judge: null,
  isComplete: false,
  branchLeftAt: null,
  userRefs: new Map(),
  storeRefs: new Map(),
  trees: new Map(),
  commits: new Map(),
};

export function createSimRepo(from: RepoContent = EMPTY): SimRepo {
  const trees = new Map(from.trees);
  const commits = new Map(from.commits);
  const keepTree = (tree: SimTree): string => {
    const id = digestOf(JSON.stringify([...tree].sort(([a], [b]) => (a < b ? -1 : 1)))).slice(0, 40);
    trees.set(id, tree);
    return id;
  };
  const makeCommit = (commit: SimCommit): string => {
    const id = digestOf(`${JSON.stringify(commit)} ${commits.size}`).slice(0, 40);
    commits.set(id, commit);
    return id;
  };
  const [first] = commits.keys();
  const repo: SimRepo = {
    baseCommit: first ?? makeCommit({ tree: keepTree(BASE), parent: null, message: 'Start\n' }),
    worktree: from.worktree,
    judge: from.judge,
    isComplete: from.isComplete,
    branchLeftAt: from.branchLeftAt,
    userRefs: new Map(from.userRefs),
    storeRefs: new Map(from.storeRefs),
    keepTree,
    treeById: (id) => found(trees.get(id), `tree ${id}`),
    makeCommit,
    commitById: (id) => found(commits.get(id), `commit ${id}`),
    treeOf: (revision) => (trees.has(revision) ? revision : repo.commitById(revision).tree),
    addLine: ({ path, line, checkout }) => {
      if (checkout === 'judge') {
        if (repo.judge !== null)
          repo.judge = { ...repo.judge, files: withLine(repo.judge.files, path, line) };
      } else if (repo.worktree !== null) repo.worktree = withLine(repo.worktree, path, line);
    },
    clone: () => createSimRepo({ ...repo, trees, commits }),
  };
  return repo;
}

function withLine(tree: SimTree, path: string, line: string): SimTree {
  return new Map(tree).set(path, `${tree.get(path) ?? ''}${line}\n`);
}

function found<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`the repository has no ${what}`);
  return value;
}
