import type { Git } from './git-command.ts';
import { RUN_FOLDER } from './harness-link.ts';

/** How the files of a worktree differ from an index. Paths are relative, in latin1 so that no byte is lost. */
export interface WorktreeStatus {
  /** Files that are changed or not in the index. */
  readonly touched: readonly string[];
  /** Files of the index that are not there. */
  readonly gone: readonly string[];
  /** Files, and folders with a slash at the end, that git ignores. */
  readonly ignored: readonly string[];
  /** The commit that HEAD leads to; null when there is none yet. */
  readonly head: string | null;
  /** Something other than files differs: a submodule, a repository in a folder, a conflict. */
  readonly odd: boolean;
}

const ARGV = [
  'status',
  '--porcelain=v2',
  '--branch',
  '-z',
  '--no-renames',
  '--untracked-files=all',
  '--ignored=matching',
  // Anything more would start a git inside the submodule, with a configuration that an agent may have written.
  '--ignore-submodules=dirty',
];
const FIELDS_BEFORE_PATH = 8;
const HEAD_COMMIT = /^# branch\.oid ([0-9a-f]+)$/;
const SUBMODULE = /^1 .. S/;

/** Refreshes the index besides, so it must be one that only we use. */
export async function readStatus(git: Git): Promise<WorktreeStatus> {
  const listed = await git(ARGV, { env: { GIT_OPTIONAL_LOCKS: '1' } });
  return parseStatus(listed.stdout.toString('latin1'));
}

/** Reads what `git status --porcelain=v2 --branch -z --no-renames` prints. */
export function parseStatus(output: string): WorktreeStatus {
  const touched: string[] = [];
  const gone: string[] = [];
  const ignored: string[] = [];
  let odd = false;
  let head: string | null = null;
  for (const record of output.split('\0')) {
    const kind = record[0];
    if (kind === '?' || kind === '!') {
      const path = record.slice(2);
      if (isOfRun(path)) continue;
      if (kind === '!') ignored.push(path);
      else if (path.endsWith('/')) odd = true;
      else touched.push(path);
    } else if (kind === '1') {
      const path = record.split(' ').slice(FIELDS_BEFORE_PATH).join(' ');
      // The second letter compares the file with the index; the first is about HEAD.
      if (record[3] === '.' || isOfRun(path)) continue;
      if (SUBMODULE.test(record)) odd = true;
      else (record[3] === 'D' ? gone : touched).push(path);
    } else if (kind === '#') head ??= HEAD_COMMIT.exec(record)?.[1] ?? null;
    else if (kind !== undefined) odd = true;
  }
  return { touched, gone, ignored, head, odd };
}

function isOfRun(path: string): boolean {
  return path === RUN_FOLDER || path.startsWith(`${RUN_FOLDER}/`);
}
