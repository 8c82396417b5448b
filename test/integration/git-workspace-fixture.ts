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
import { createGitWorkspace } from '../../src/adapters/git/git-workspace.ts';
import type { RunWorkspace, Workspace, WorkspaceRequest } from '../../src/ports/workspace.ts';
import { type GitRepo, type GitRepoOptions, gitAt, makeRepo, readCheckout } from '../../testing/git-repo.ts';

export const FILES = {
  'README.md': '# hello\n',
  'src/app.ts': 'export const a = 1;\nexport const b = 2;\n',
  'src/old.ts': 'one\ntwo\nthree\nfour\nfive\nsix\n',
  '.gitignore': '*.log\nnode_modules/\n',
};

export interface Run {
  readonly repo: GitRepo;
  readonly workspaces: Workspace;
  readonly run: RunWorkspace;
  readonly path: (name: string) => string;
  readonly write: (name: string, content: string | Uint8Array) => Promise<void>;
  readonly read: (name: string) => Promise<string>;
  /** Plain git in the worktree, as an agent would use it. */
  readonly git: (...args: readonly string[]) => Promise<string>;
  readonly sha: (revision: string) => Promise<string>;
}

export async function temporaryFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'conductor-git-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * Puts a program in the place of git until the test ends: a shell script, in which `$GIT` is the real one.
 * Hooks and filters can't be used to look at what git does, as none of them runs.
 */
export async function stubGit(script: string): Promise<void> {
  const folder = await temporaryFolder();
  const real = (await promisify(execFile)('sh', ['-c', 'command -v git'])).stdout.trim();
  await writeFile(join(folder, 'git'), `#!/bin/sh\nGIT=${real}\n${script}\n`, { mode: 0o755 });
  vi.stubEnv('PATH', `${folder}:${process.env.PATH ?? ''}`);
  onTestFinished(() => void vi.unstubAllEnvs());
}

/** A repository that is removed after the test, whatever happens in it. */
export async function testRepo(options: GitRepoOptions = { files: FILES }): Promise<GitRepo> {
  const repo = await makeRepo(options);
  onTestFinished(repo.cleanup);
  await repo.write('.tnh/.gitignore', '*\n');
  return repo;
}

export function workspacesOf(repo: GitRepo, signal?: AbortSignal): Workspace {
  const worktreesDir = join(repo.root, '.tnh', 'worktrees');
  return createGitWorkspace({ repoRoot: repo.root, worktreesDir, ...(signal && { signal }) });
}

export async function requestFor(repo: GitRepo, runId: string, workflowId = 'demo') {
  const baseSha = (await repo.git('rev-parse', 'HEAD')).trim();
  const harnessDir = join(repo.root, '.tnh', 'run', runId, 'harness');
  await mkdir(harnessDir, { recursive: true });
  return { runId, workflowId, baseRef: 'HEAD', baseSha, harnessDir };
}

export async function createRun(workspaces: Workspace, request: WorkspaceRequest): Promise<RunWorkspace> {
  const run = workspaces.describe(request);
  await workspaces.create(run);
  return run;
}

/** A run in a fresh repository; after the test the user's checkout must be as it was before the run. */
export async function startRun(
  options?: GitRepoOptions,
  prepare?: (repo: GitRepo) => Promise<unknown>,
): Promise<Run> {
  const repo = await testRepo(options);
  await prepare?.(repo);
  const workspaces = workspacesOf(repo);
  const before = await readCheckout(repo.root);
  const run = await createRun(workspaces, await requestFor(repo, 'r1'));
  onTestFinished(async () => expect(await readCheckout(repo.root)).toEqual(before));
  const path = (name: string): string => join(run.worktreePath, name);
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
    git: (...args) => gitAt(run.worktreePath, ...args),
    sha: async (revision) => (await repo.git('rev-parse', '--verify', revision)).trim(),
  };
}

/** Every file and link below a folder with its mode and content; git's own and the run's folder left out. */
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
