import type { FileChange, WorkspaceDiff } from '../../../contracts/run/workspace-change.ts';

const RAW_RECORD = /^:(\d{6}) (\d{6}) [0-9a-f]+ ([0-9a-f]+) ([A-Z])\d*$/;
const COUNT_RECORD = /^(\d+|-)\t(\d+|-)\t([\s\S]*)$/;

interface Counts {
  readonly insertions: number | null;
  readonly deletions: number | null;
}

/**
 * Parses the output of `git diff-tree -r -z -M --raw --numstat [-p]`: all raw records, then all counts, then, after an
 * empty field, the patch.
 */
export function parseDiffRaw(output: Buffer): { readonly diff: WorkspaceDiff; readonly patch: Buffer } {
  const fields = createFieldReader(output);
  const changes: Omit<FileChange, keyof Counts>[] = [];
  const countsByPath = new Map<string, Counts>();
  for (let field = fields.next(); field !== null && field !== ''; field = fields.next()) {
    if (field.startsWith(':')) changes.push(readChange(field, fields));
    else {
      const [path, counts] = readCounts(field, fields);
      countsByPath.set(path, counts);
    }
  }
  return { diff: diffOf(changes, countsByPath), patch: fields.rest() };
}

interface FieldReader {
  /** Null at the end. */
  readonly next: () => string | null;
  readonly rest: () => Buffer;
}

/** Fields that each end in a NUL. */
function createFieldReader(output: Buffer): FieldReader {
  let at = 0;
  return {
    next: () => {
      if (at === output.length) return null;
      const end = output.indexOf(0, at);
      if (end < 0) throw new Error('the diff is cut off: it does not end in a NUL');
      const field = output.toString('utf8', at, end);
      at = end + 1;
      return field;
    },
    rest: () => output.subarray(at),
  };
}

function diffOf(
  changes: readonly Omit<FileChange, keyof Counts>[],
  countsByPath: ReadonlyMap<string, Counts>,
): WorkspaceDiff {
  const files = changes.map((change) => ({ ...change, ...countsOf(change.path, countsByPath) }));
  files.sort(byPath);
  return {
    files,
    insertions: files.reduce((sum, file) => sum + (file.insertions ?? 0), 0),
    deletions: files.reduce((sum, file) => sum + (file.deletions ?? 0), 0),
  };
}

export function byPath(left: FileChange, right: FileChange): number {
  return left.path < right.path ? -1 : left.path > right.path ? 1 : 0;
}

function readChange(token: string, rest: FieldReader): Omit<FileChange, keyof Counts> {
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
    // The type changed, for example from a file to a link: report it as a change of content.
    case 'T':
      return 'M';
    default:
      throw new Error(`unknown status in a raw diff: ${letter}`);
  }
}

function readCounts(token: string, rest: FieldReader): [string, Counts] {
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

function nextPath(rest: FieldReader): string {
  const next = rest.next();
  if (next === null) throw new Error('the diff is cut off: a path is missing');
  return next;
}
