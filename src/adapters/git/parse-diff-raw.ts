import type { FileChange, WorkspaceDiff } from '../../contracts/workspace-change.ts';

const RAW_RECORD = /^:(\d{6}) (\d{6}) [0-9a-f]+ ([0-9a-f]+) ([A-Z])\d*$/;
const COUNT_RECORD = /^(\d+|-)\t(\d+|-)\t([\s\S]*)$/;

interface Counts {
  readonly insertions: number | null;
  readonly deletions: number | null;
}

/** Reads what `git diff-tree -r -z -M --raw --numstat` prints: all raw records, then all counts. */
export function parseDiffRaw(output: string): WorkspaceDiff {
  const tokens = output.split('\0');
  // The last field is closed by NUL as well, so the split leaves one empty token behind it.
  if (tokens.pop() !== '') throw new Error('the diff is cut off: it does not end in a NUL');
  const changes: Omit<FileChange, keyof Counts>[] = [];
  const countsByPath = new Map<string, Counts>();
  const rest = tokens[Symbol.iterator]();
  for (const token of rest) {
    if (token.startsWith(':')) {
      changes.push(readChange(token, rest));
    } else {
      const [path, counts] = readCounts(token, rest);
      countsByPath.set(path, counts);
    }
  }
  const files = changes.map((change) => ({ ...change, ...countsOf(change.path, countsByPath) }));
  files.sort((left, right) => (left.path < right.path ? -1 : left.path > right.path ? 1 : 0));
  return {
    files,
    insertions: files.reduce((sum, file) => sum + (file.insertions ?? 0), 0),
    deletions: files.reduce((sum, file) => sum + (file.deletions ?? 0), 0),
  };
}

function readChange(token: string, rest: Iterator<string>): Omit<FileChange, keyof Counts> {
  const [, oldMode, newMode, blob, letter] = RAW_RECORD.exec(token) ?? [];
  if (oldMode === undefined || newMode === undefined || blob === undefined || letter === undefined) {
    throw new Error(`not a record of a raw diff: ${JSON.stringify(token)}`);
  }
  const status = statusOf(letter);
  const first = nextPath(rest);
  const renamed = status === 'R';
  return {
    path: renamed ? nextPath(rest) : first,
    oldPath: renamed ? first : null,
    status,
    oldMode,
    newMode,
    blob,
  };
}

function statusOf(letter: string): FileChange['status'] {
  switch (letter) {
    case 'A':
    case 'M':
    case 'D':
    case 'R':
      return letter;
    // A file that became a link or the other way round: to a reader its content changed.
    case 'T':
      return 'M';
    default:
      throw new Error(`unknown status in a raw diff: ${letter}`);
  }
}

function readCounts(token: string, rest: Iterator<string>): [string, Counts] {
  const [, insertions, deletions, path] = COUNT_RECORD.exec(token) ?? [];
  if (insertions === undefined || deletions === undefined || path === undefined) {
    throw new Error(`not a record of diff counts: ${JSON.stringify(token)}`);
  }
  const counts = { insertions: countOf(insertions), deletions: countOf(deletions) };
  if (path !== '') return [path, counts];
  // An empty path announces a rename: the old and the new name follow as fields of their own.
  nextPath(rest);
  return [nextPath(rest), counts];
}

function countOf(text: string): number | null {
  return text === '-' ? null : Number(text);
}

function countsOf(path: string, countsByPath: ReadonlyMap<string, Counts>): Counts {
  const counts = countsByPath.get(path);
  if (counts === undefined) throw new Error(`the diff has no counts for ${JSON.stringify(path)}`);
  return counts;
}

function nextPath(rest: Iterator<string>): string {
  const next = rest.next();
  if (next.done === true) throw new Error('the diff is cut off: a path is missing');
  return next.value;
}
