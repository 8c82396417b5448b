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

const run = promisify(execFile);

export interface GitRepo {
  readonly root: string;
  /** Standard output unchanged; fails with git's own message. */
  readonly git: (...args: readonly string[]) => Promise<string>;
  readonly write: (path: string, text: string | Uint8Array) => Promise<void>;
  readonly cleanup: () => Promise<void>;
}

export interface GitRepoOptions {
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** False leaves the files untracked and the branch without a commit. */
  readonly commit?: boolean;
  /** The folder's name, for paths that are hard to handle. */
  readonly name?: string;
}

/** A throw-away repository on `main`, in a temporary folder of its own. */
export async function makeRepo(options: GitRepoOptions = {}): Promise<GitRepo> {
  const top = await realpath(await mkdtemp(join(tmpdir(), 'conductor-repo-')));
  const root = join(top, options.name ?? 'repo');
  await mkdir(root);
  const repo: GitRepo = {
    root,
    git: (...args) => gitAt(root, ...args),
    write: async (path, text) => {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    },
    cleanup: () => rm(top, { recursive: true, force: true }),
  };
  await writeGitFolder(root);
  for (const [path, text] of Object.entries(options.files ?? {})) await repo.write(path, text);
  if (options.commit !== false) {
    await repo.git('add', '--all');
    await repo.git('commit', '--quiet', '--allow-empty', '--message=start');
  }
  return repo;
}

interface GitFolder {
  readonly folders: readonly string[];
  readonly files: ReadonlyMap<string, Uint8Array>;
}

let template: Promise<GitFolder> | null = null;

/** The git folder that `git init` makes, with an identity. Git makes it once; after that, copying it starts no process. */
async function writeGitFolder(root: string): Promise<void> {
  template ??= makeTemplate();
  const { folders, files } = await template;
  for (const folder of folders) await mkdir(join(root, folder));
  for (const [path, content] of files) await writeFile(join(root, path), content);
}

async function makeTemplate(): Promise<GitFolder> {
  const root = await mkdtemp(join(tmpdir(), 'conductor-template-'));
  try {
    await gitAt(root, 'init', '--quiet', '--initial-branch=main');
    await gitAt(root, 'config', 'user.name', 'Test User');
    await gitAt(root, 'config', 'user.email', 'test@example.invalid');
    const folders = ['.git'];
    const files = new Map<string, Uint8Array>();
    // The list grows while it is walked: a folder is always before what it contains.
    for (const folder of folders)
      for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) folders.push(path);
        else if (!path.endsWith('.sample')) files.set(path, await readFile(join(root, path)));
      }
    return { folders, files };
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** Git without any configuration of the user. */
export async function gitAt(cwd: string, ...args: readonly string[]): Promise<string> {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
  const env = {
    ...Object.fromEntries(inherited),
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_OPTIONAL_LOCKS: '0',
  };
  const { stdout } = await run('git', [...args], { cwd, env, maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}

/** Everything of the user's repository that a run must leave unchanged, to be compared as a whole. */
export interface CheckoutState {
  readonly status: string;
  readonly indexSha256: string;
  /** The reflog that `git stash list` reads. */
  readonly stash: string;
  readonly head: string;
  /** All refs except conductor's own. */
  readonly refs: readonly string[];
  readonly config: string;
  /** Paths of `git worktree list`. */
  readonly worktrees: readonly string[];
  /** Names in the git folder, except the packed form of refs: no FETCH_HEAD, no `worktrees`, no lock. */
  readonly gitFolder: readonly string[];
}

export async function readCheckout(root: string): Promise<CheckoutState> {
  const pathOf = async (...argv: readonly string[]) =>
    (await gitAt(root, 'rev-parse', '--path-format=absolute', ...argv)).replace(/\n$/, '');
  const [gitDir, indexPath, head, refs, status, worktrees] = await Promise.all([
    pathOf('--git-common-dir'),
    pathOf('--git-path', 'index'),
    gitAt(root, 'rev-parse', '--symbolic-full-name', 'HEAD'),
    gitAt(root, 'for-each-ref', '--format=%(refname) %(objectname)'),
    gitAt(root, 'status', '--porcelain=v1', '-z', '--untracked-files=all'),
    gitAt(root, 'worktree', 'list', '--porcelain'),
  ]);
  const index = await readFile(indexPath).catch(() => Buffer.alloc(0));
  return {
    status,
    indexSha256: createHash('sha256').update(index).digest('hex'),
    stash: await readFile(join(gitDir, 'logs/refs/stash'), 'utf8').catch(() => ''),
    head,
    refs: refs.split('\n').filter((line) => !/^refs\/(heads\/conductor\/(run|item)|conductor)\//.test(line)),
    config: await readFile(join(gitDir, 'config'), 'utf8'),
    worktrees: worktrees
      .split('\n')
      .filter((line) => line.startsWith('worktree '))
      .map((line) => line.slice('worktree '.length)),
    // Git makes the folder of logs with the first log of a branch, which may be that of a run.
    gitFolder: (await readdir(gitDir)).filter((name) => name !== 'packed-refs' && name !== 'logs').sort(),
  };
}

/** Every file of a checkout with its kind and content, without what belongs to git or to conductor. */
export async function listFiles(root: string, below = ''): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(join(root, below), { withFileTypes: true })) {
    const name = join(below, entry.name);
    if (name === '.git' || name === '.tnh/run') continue;
    const path = join(root, name);
    if (entry.isDirectory()) Object.assign(found, await listFiles(root, name));
    else if (entry.isSymbolicLink()) found[name] = `link ${await readlink(path)}`;
    else {
      const kind = ((await lstat(path)).mode & 0o100) === 0 ? 'file' : 'run';
      found[name] = `${kind} ${createHash('sha256')
        .update(await readFile(path))
        .digest('hex')}`;
    }
  }
  return found;
}
