import { sha256Hex } from '../node/sha256.ts';

/** The files of a tree by path. */
export type SimTree = ReadonlyMap<string, string>;

const BASE: SimTree = new Map([['README.md', 'a project\n']]);

/** A write of a step's program to a checkout. */
export interface SimWrite {
  readonly path: string;
  readonly line: string;
  /** Default is the agent's checkout. */
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
  /** The tree of the snapshot it was set to; null while that is in progress. */
  readonly snapshot: string | null;
}

/** The mutable state. Trees and commits are immutable. */
interface SimState {
  /** Null if the folder does not exist. */
  checkout: SimTree | null;
  judge: SimJudge | null;
  /** Whether the workspace was created completely. */
  isComplete: boolean;
  /** Where conductor last saw or left the run's branch; null if it did not exist. */
  branchLeftAt: string | null;
}

/** The user's repository, and the workspace of the run. */
export interface SimRepo extends SimState {
  readonly baseCommit: string;
  /** Refs of the user's repository. */
  readonly userRefs: Map<string, string>;
  /** Refs of the store beside the checkouts: snapshots, salvages, the result. */
  readonly storeRefs: Map<string, string>;
  /** Stores a tree and returns its id. */
  readonly keepTree: (tree: SimTree) => string;
  readonly treeById: (id: string) => SimTree;
  /** Returns a new id each time, because commits have dates. */
  readonly makeCommit: (commit: SimCommit) => string;
  readonly commitById: (id: string) => SimCommit;
  /** The tree id of a commit or a tree. */
  readonly treeOf: (treeish: string) => string;
  /** Appends a line, so that a repeated write shows. */
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
  checkout: null,
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
    const id = sha256Hex(JSON.stringify([...tree].sort(([a], [b]) => (a < b ? -1 : 1)))).slice(0, 40);
    trees.set(id, tree);
    return id;
  };
  const makeCommit = (commit: SimCommit): string => {
    const id = sha256Hex(`${JSON.stringify(commit)} ${commits.size}`).slice(0, 40);
    commits.set(id, commit);
    return id;
  };
  const [first] = commits.keys();
  const repo: SimRepo = {
    baseCommit: first ?? makeCommit({ tree: keepTree(BASE), parent: null, message: 'Start\n' }),
    checkout: from.checkout,
    judge: from.judge,
    isComplete: from.isComplete,
    branchLeftAt: from.branchLeftAt,
    userRefs: new Map(from.userRefs),
    storeRefs: new Map(from.storeRefs),
    keepTree,
    treeById: (id) => requireFound(trees.get(id), `tree ${id}`),
    makeCommit,
    commitById: (id) => requireFound(commits.get(id), `commit ${id}`),
    treeOf: (treeish) => (trees.has(treeish) ? treeish : repo.commitById(treeish).tree),
    addLine: ({ path, line, checkout }) => {
      if (checkout === 'judge') {
        if (repo.judge !== null)
          repo.judge = { ...repo.judge, files: withLine(repo.judge.files, path, line) };
      } else if (repo.checkout !== null) repo.checkout = withLine(repo.checkout, path, line);
    },
    clone: () => createSimRepo({ ...repo, trees, commits }),
  };
  return repo;
}

function withLine(tree: SimTree, path: string, line: string): SimTree {
  return new Map(tree).set(path, `${tree.get(path) ?? ''}${line}\n`);
}

function requireFound<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`the repository has no ${what}`);
  return value;
}
