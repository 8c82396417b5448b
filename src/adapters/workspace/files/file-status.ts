import type { Git } from '../git/git-command.ts';
import { RUN_FOLDER } from './harness-link.ts';

/** How the files of a checkout differ from an index. Paths are relative and in latin1. */
export interface FileStatus {
  /** Files that are changed or not in the index. */
  readonly touched: readonly string[];
  /** Files of the index that are missing. */
  readonly gone: readonly string[];
  /** Files, and folders with a slash at the end, that git ignores. */
  readonly ignored: readonly string[];
  /** Something other than a file differs: a submodule, a repository in a folder, a conflict. */
  readonly odd: boolean;
}

const ARGV = [
  'status',
  '--porcelain=v2',
  '-z',
  '--no-renames',
  '--untracked-files=all',
  '--ignored=matching',
  // Otherwise git would start another git inside the submodule, with configuration that an agent may have written.
  '--ignore-submodules=dirty',
];
const FIELDS_BEFORE_PATH = 8;
const SUBMODULE = /^1 .. S/;

/** Also refreshes the index, so it must be one that only conductor uses. */
export async function readStatus(git: Git): Promise<FileStatus> {
  const listed = await git(ARGV, { env: { GIT_OPTIONAL_LOCKS: '1' } });
  return parseStatus(listed.stdout.toString('latin1'));
}

/** Reads what `git status --porcelain=v2 -z --no-renames` prints. */
export function parseStatus(output: string): FileStatus {
  const touched: string[] = [];
  const gone: string[] = [];
  const ignored: string[] = [];
  let odd = false;
  for (const record of output.split('\0')) {
    const kind = record[0];
    if (kind === '?' || kind === '!') {
      const path = record.slice(2);
      if (isInRunFolder(path)) continue;
      if (kind === '!') ignored.push(path);
      else if (path.endsWith('/')) odd = true;
      else touched.push(path);
    } else if (kind === '1') {
      const path = record.split(' ').slice(FIELDS_BEFORE_PATH).join(' ');
      // The second letter compares the file with the index; the first is about HEAD.
      if (record[3] === '.' || isInRunFolder(path)) continue;
      if (SUBMODULE.test(record)) odd = true;
      else (record[3] === 'D' ? gone : touched).push(path);
    } else if (kind !== undefined) odd = true;
  }
  return { touched, gone, ignored, odd };
}

function isInRunFolder(path: string): boolean {
  return path === RUN_FOLDER || path.startsWith(`${RUN_FOLDER}/`);
}
