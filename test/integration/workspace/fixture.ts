import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rm,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, vi } from 'vitest';
import { createGitWorkspace } from '../../../src/adapters/workspace/git-workspace.ts';
import { createGitUpkeep } from '../../../src/adapters/workspace/result/git-upkeep.ts';
import type { RunWorkspace, Workspace, WorkspaceRequest } from '../../../src/ports/workspace/workspace.ts';
import {
  type CheckoutState,
  type GitRepo,
  type GitRepoOptions,
  gitAt,
  makeRepo,
  readCheckout,
} from '../../../testing/git-repo.ts';

export const FILES = {
  'README.md': '# hello\n',
  'src/app.ts': 'export const a = 1;\nexport const b = 2;\n',
  'src/old.ts': 'one\ntwo\nthree\nfour\nfive\nsix\n',
  '.gitignore': '*.log\nnode_modules/\n',
};

/** Git needs this to clone from a folder into a submodule. */
export const LOCAL_CLONES = ['-c', 'protocol.file.allow=always'];

export interface Run {
  readonly repo: GitRepo;
  readonly workspaces: Workspace;
  readonly run: RunWorkspace;
  readonly path: (name: string) => string;
  readonly write: (name: string, content: string | Uint8Array) => Promise<void>;
  readonly read: (name: string) => Promise<string>;
  /** Plain git in the work checkout, as an agent would use it. */
  readonly git: (...args: readonly string[]) => Promise<string>;
  /** Plain git in the store. */
  readonly store: (...args: readonly string[]) => Promise<string>;
  /** The commit of a revision in the user's repository. */
  readonly sha: (revision: string) => Promise<string>;
}

export async function temporaryFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'conductor-git-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * Replaces git by a program until the test ends: a shell script, in which `$GIT` is the real one. Hooks and filters
 * can't be used to observe git, because none of them runs.
 */
export async function stubGit(script: string): Promise<void> {
  const folder = await temporaryFolder();
  const real = (await promisify(execFile)('sh', ['-c', 'command -v git'])).stdout.trim();
  await writeFile(join(folder, 'git'), `#!/bin/sh\nGIT=${real}\n${script}\n`, { mode: 0o755 });
  vi.stubEnv('PATH', `${folder}:${process.env.PATH ?? ''}`);
  onTestFinished(() => void vi.unstubAllEnvs());
}

/** A script that leaves a trace when it is run, and fails. */
export async function makeWitness(): Promise<{ readonly script: string; readonly trace: string }> {
  const folder = await temporaryFolder();
  const [script, trace] = [join(folder, 'witness.sh'), join(folder, 'trace')];
  await writeFile(script, `#!/bin/sh\necho "$0 $*" >> ${trace}\nexit 1\n`, { mode: 0o755 });
  return { script, trace };
}

/** A repository that is removed after the test. */
export async function testRepo(options: GitRepoOptions = { files: FILES }): Promise<GitRepo> {
  const repo = await makeRepo(options);
  onTestFinished(repo.cleanup);
  return repo;
}

/** A repository that already exists, such as a clone. */
export function repoAt(root: string): GitRepo {
  return {
    root,
    git: (...args) => gitAt(root, ...args),
    write: async (path, text) => {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    },
    cleanup: async () => {},
  };
}

/** The places of a repository; its workspaces are beside it. */
export async function placesOf(repo: GitRepo) {
  const argv = ['rev-parse', '--path-format=absolute', '--git-common-dir'];
  return {
    repoRoot: repo.root,
    gitDir: (await repo.git(...argv)).trimEnd(),
    workspacesDir: join(dirname(repo.root), 'workspaces'),
  };
}

export interface WorkspaceOptions {
  readonly signal?: AbortSignal;
  readonly ownedPaths?: readonly string[];
  readonly bounds?: { readonly bytes: number; readonly files: number };
}

export async function workspacesOf(
  repo: GitRepo,
  { ownedPaths = [], ...options }: WorkspaceOptions = {},
): Promise<Workspace> {
  return createGitWorkspace({ ...(await placesOf(repo)), ownedPaths, ...options });
}

export async function upkeepOf(repo: GitRepo) {
  const linkedWorktreesDir = join(repo.root, '.tnh/worktrees');
  return createGitUpkeep({ ...(await placesOf(repo)), linkedWorktreesDir });
}

export async function requestFor(
  repo: GitRepo,
  runId: string,
  { workflowId = 'demo', baseRef = 'HEAD' } = {},
): Promise<WorkspaceRequest> {
  const baseSha = (await repo.git('rev-parse', `${baseRef}^{commit}`)).trim();
  const harnessDir = join(dirname(repo.root), 'runs', runId, 'harness');
  await mkdir(harnessDir, { recursive: true });
  return { runId, workflowId, baseRef, baseSha, harnessDir };
}

export async function createRun(workspaces: Workspace, request: WorkspaceRequest): Promise<RunWorkspace> {
  const run = workspaces.describe(request);
  await workspaces.create(run);
  return run;
}

/** Everything of the user's side that a run must leave as it is, apart from conductor's own refs. */
export async function readUserSide(
  root: string,
): Promise<CheckoutState & { readonly files: Record<string, string> }> {
  const gitDir = (await gitAt(root, 'rev-parse', '--absolute-git-dir')).trim();
  const files: Record<string, string> = {};
  for (const name of ['HEAD', 'FETCH_HEAD', 'ORIG_HEAD', 'config.worktree', 'shallow', 'logs/HEAD'])
    files[name] = await readFile(join(gitDir, name), 'latin1').catch(() => 'missing');
  return { ...(await readCheckout(root)), files };
}

export function runIn(repo: GitRepo, workspaces: Workspace, run: RunWorkspace): Run {
  const path = (name: string): string => join(run.checkoutPath, name);
  return {
    repo,
    workspaces,
    run,
    path,
    write: async (name, content) => {
      await mkdir(dirname(path(name)), { recursive: true });
      await writeFile(path(name), content);
    },
    read: (name) => readFile(path(name), 'utf8'),
    git: (...args) => gitAt(run.checkoutPath, ...args),
    store: (...args) => gitAt(dirname(run.checkoutPath), '--git-dir=store', ...args),
    sha: async (revision) => (await repo.git('rev-parse', '--verify', revision)).trim(),
  };
}

/** A run in a repository; after the test the user's side must be as it was before the run. */
export async function startRunIn(
  repo: GitRepo,
  { baseRef = 'HEAD', ...options }: WorkspaceOptions & { readonly baseRef?: string } = {},
): Promise<Run> {
  const workspaces = await workspacesOf(repo, options);
  const before = await readUserSide(repo.root);
  const run = await createRun(workspaces, await requestFor(repo, 'r1', { baseRef }));
  onTestFinished(async () => expect(await readUserSide(repo.root)).toEqual(before));
  return runIn(repo, workspaces, run);
}

export async function startRun(
  options?: GitRepoOptions,
  prepare?: (repo: GitRepo) => Promise<unknown>,
  workspaceOptions?: WorkspaceOptions,
): Promise<Run> {
  const repo = await testRepo(options);
  await prepare?.(repo);
  return startRunIn(repo, workspaceOptions);
}

/** Every file and link below a folder with its mode and content, without git's own folder and the run's folder. */
export async function listFiles(root: string, below = ''): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(join(root, below), { withFileTypes: true })) {
    const name = below === '' ? entry.name : `${below}/${entry.name}`;
    if (name === '.git' || name === '.tnh/run') continue;
    const path = join(root, name);
    if (entry.isDirectory()) Object.assign(found, await listFiles(root, name));
    else if (entry.isSymbolicLink()) found[name] = `link ${await readlink(path)}`;
    else {
      const runnable = ((await lstat(path)).mode & 0o100) !== 0;
      const sha256 = createHash('sha256')
        .update(await readFile(path))
        .digest('hex');
      found[name] = `${runnable ? 'run' : 'file'} ${sha256}`;
    }
  }
  return found;
}
