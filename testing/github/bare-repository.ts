import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The bare repository on the double's disk, served over HTTP and read for pull requests. */
export interface BareRepository {
  /** Root of all bare repositories, which `git http-backend` serves. */
  readonly projectRoot: string;
  /** Folder of this one below the root. */
  readonly folder: string;
  readonly git: (...argv: readonly string[]) => Promise<string>;
  /** Null if the ref does not exist. */
  readonly resolve: (ref: string) => Promise<string | null>;
  readonly branches: () => Promise<ReadonlyMap<string, string>>;
  readonly isAncestor: (ancestor: string, commit: string) => Promise<boolean>;
  readonly mergeBase: (a: string, b: string) => Promise<string | null>;
  readonly files: (from: string, to: string) => Promise<readonly ChangedFile[]>;
  readonly commits: (from: string, to: string) => Promise<number>;
  /** Commits the merge of two commits without a checkout; null if they conflict. */
  readonly merge: (request: MergeCommit) => Promise<string | null>;
  readonly canMerge: (base: string, head: string) => Promise<boolean>;
}

export interface ChangedFile {
  readonly path: string;
  readonly previousPath: string | null;
  readonly status: 'added' | 'removed' | 'modified' | 'renamed';
  readonly sha: string;
  readonly additions: number;
  readonly deletions: number;
  /** Hunks without the header of the file. */
  readonly patch: string;
}

export interface MergeCommit {
  readonly base: string;
  readonly head: string;
  readonly method: 'merge' | 'squash';
  readonly message: string;
  readonly author: string;
  readonly at: number;
}

const MAX_BYTES = 64 * 1024 * 1024;

export async function createBareRepository(
  projectRoot: string,
  folder: string,
  branch: string,
): Promise<BareRepository> {
  const root = join(projectRoot, folder);
  const env = {
    PATH: process.env.PATH,
    HOME: projectRoot,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    LC_ALL: 'C',
  };
  const git = async (...argv: readonly string[]): Promise<string> => {
    const { stdout } = await run('git', ['-C', root, ...argv], { env, maxBuffer: MAX_BYTES });
    return stdout;
  };
  const tryGit = (...argv: readonly string[]): Promise<string | null> =>
    git(...argv).then(
      (text) => text.trim(),
      () => null,
    );
  await mkdir(root, { recursive: true });
  await git('init', '--quiet', '--bare', `--initial-branch=${branch}`);
  await git('config', 'http.receivepack', 'true');

  const resolve = (ref: string): Promise<string | null> =>
    tryGit('rev-parse', '--quiet', '--verify', `${ref}^{commit}`);
  const mergeTree = async (base: string, head: string): Promise<string | null> =>
    (await tryGit('merge-tree', '--write-tree', base, head))?.split('\n')[0] ?? null;

  return {
    projectRoot,
    folder,
    git,
    resolve,
    branches: async () => {
      const text = await git('for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads/');
      return new Map(
        text
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => {
            const [ref = '', sha = ''] = line.split(' ');
            return [ref.slice('refs/heads/'.length), sha];
          }),
      );
    },
    isAncestor: async (ancestor, commit) =>
      (await tryGit('merge-base', '--is-ancestor', ancestor, commit)) !== null,
    mergeBase: (a, b) => tryGit('merge-base', a, b),
    files: async (from, to) => parseFiles(await git('diff', '--full-index', '-M', from, to)),
    commits: async (from, to) => Number((await git('rev-list', '--count', `${from}..${to}`)).trim()),
    canMerge: async (base, head) => (await mergeTree(base, head)) !== null,
    merge: async ({ base, head, method, message, author, at }) => {
      const tree = await mergeTree(base, head);
      if (tree === null) return null;
      const parents = method === 'merge' ? ['-p', base, '-p', head] : ['-p', base];
      const who = {
        NAME: author,
        EMAIL: `${author}@users.noreply.invalid`,
        DATE: `${Math.floor(at / 1000)} +0000`,
      };
      const identity = Object.entries(who).flatMap(([key, value]) => [
        [`GIT_AUTHOR_${key}`, value],
        [`GIT_COMMITTER_${key}`, value],
      ]);
      const { stdout } = await run('git', ['-C', root, 'commit-tree', tree, ...parents, '-m', message], {
        env: { ...env, ...Object.fromEntries(identity) },
      });
      return stdout.trim();
    },
  };
}

/** Reads `git diff`. Names with quotes or line breaks don't occur in the tests. */
function parseFiles(text: string): readonly ChangedFile[] {
  return text
    .split(/^(?=diff --git )/m)
    .filter((part) => part.startsWith('diff --git '))
    .map((part) => {
      const [, before = '', after = ''] = /^diff --git a\/(.+?) b\/(.+)$/m.exec(part) ?? [];
      const [, oldSha = '', newSha = ''] = /^index ([0-9a-f]+)\.\.([0-9a-f]+)/m.exec(part) ?? [];
      const hunks = part.indexOf('\n@@ ');
      const patch = hunks < 0 ? '' : part.slice(hunks + 1).replace(/\n$/, '');
      const lines = patch.split('\n');
      const isRename = /^rename to /m.test(part);
      const isNew = /^new file mode/m.test(part);
      const isGone = /^deleted file mode/m.test(part);
      return {
        path: after,
        previousPath: isRename ? before : null,
        status: isNew ? 'added' : isGone ? 'removed' : isRename ? 'renamed' : 'modified',
        sha: isGone ? oldSha : newSha,
        additions: lines.filter((line) => line.startsWith('+')).length,
        deletions: lines.filter((line) => line.startsWith('-')).length,
        patch,
      };
    });
}

/** Line numbers of the new file that a patch shows, which a review comment can name. */
export function shownLines(patch: string, side: 'LEFT' | 'RIGHT'): ReadonlySet<number> {
  const shown = new Set<number>();
  let line = 0;
  for (const text of patch.split('\n')) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(text);
    if (hunk !== null) {
      line = Number(side === 'RIGHT' ? hunk[2] : hunk[1]);
    } else if (text.startsWith(' ') || text.startsWith(side === 'RIGHT' ? '+' : '-')) {
      shown.add(line);
      line += 1;
    }
  }
  return shown;
}
