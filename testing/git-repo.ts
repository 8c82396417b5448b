import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface GitRepo {
  readonly root: string;
  /** Standard output as it is; fails with git's own words. */
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
  await repo.git('init', '--quiet', '--initial-branch=main');
  await repo.git('config', 'user.name', 'Test User');
  await repo.git('config', 'user.email', 'test@example.invalid');
  for (const [path, text] of Object.entries(options.files ?? {})) await repo.write(path, text);
  if (options.commit !== false) {
    await repo.git('add', '--all');
    await repo.git('commit', '--quiet', '--allow-empty', '--message=start');
  }
  return repo;
}

/** Git as a person with no configuration of their own would run it there. */
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

/** Everything of a user's checkout that a run must leave as it found it, to be compared as a whole. */
export interface CheckoutState {
  readonly status: string;
  readonly indexSha256: string;
  readonly stash: string;
  readonly head: string;
  /** All refs but those the conductor owns. */
  readonly refs: readonly string[];
  readonly config: string;
}

export async function readCheckout(root: string): Promise<CheckoutState> {
  const indexPath = (await gitAt(root, 'rev-parse', '--path-format=absolute', '--git-path', 'index')).trim();
  const gitDir = (await gitAt(root, 'rev-parse', '--path-format=absolute', '--git-common-dir')).trim();
  const index = await readFile(indexPath).catch(() => Buffer.alloc(0));
  const refs = (await gitAt(root, 'for-each-ref', '--format=%(refname) %(objectname)')).split('\n');
  return {
    status: await gitAt(root, 'status', '--porcelain=v1', '-z', '--untracked-files=all'),
    indexSha256: createHash('sha256').update(index).digest('hex'),
    stash: await gitAt(root, 'stash', 'list'),
    head: await gitAt(root, 'rev-parse', '--symbolic-full-name', 'HEAD'),
    refs: refs.filter((line) => !/^refs\/(heads\/conductor\/run|conductor)\//.test(line)),
    config: await readFile(join(gitDir, 'config'), 'utf8'),
  };
}
