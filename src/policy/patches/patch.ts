import type { FileChange } from '../../contracts/run/workspace-change.ts';
import { normalPath, readNamedPath, readPath, readPathPair, withoutSide } from './patch-path.ts';

/** A symbolic link that a patch creates, with its target. */
export interface PatchLink {
  readonly path: string;
  readonly target: string;
}

export interface PatchHunk {
  /** The first line of the hunk, from 1, before and after. */
  readonly oldStart: number;
  readonly newStart: number;
  /** With their signs, as written in the patch. */
  readonly lines: readonly string[];
}

/** What a patch says about the content of a file. */
export interface PatchText {
  /** Object id before the change; empty if the patch has none. */
  readonly oldBlob: string;
  readonly hunks: readonly PatchHunk[];
}

export type ParsedPatch =
  | {
      readonly ok: true;
      readonly changes: readonly FileChange[];
      readonly links: readonly PatchLink[];
      /** One for each change, in the same order. */
      readonly texts: readonly PatchText[];
    }
  | { readonly ok: false; readonly line: number; readonly message: string };

/** What has been read about one file so far. */
interface FileDraft {
  readonly line: number;
  readonly header: readonly [string, string] | null;
  old: string | null;
  now: string | null;
  /** From `rename` and `copy`, which are written without the `a/` and `b/` prefixes. */
  from: string | null;
  to: string | null;
  status: FileChange['status'];
  oldMode: string;
  newMode: string;
  blob: string;
  oldBlob: string;
  binary: boolean;
  hasHunks: boolean;
  readonly hunks: PatchHunk[];
  insertions: number;
  deletions: number;
  /** The content of the last added line; for a link, that is its target. */
  lastAdded: string;
}

/** Thrown and caught only in this file. */
class PatchProblem extends Error {}

interface Reader {
  readonly lines: readonly string[];
  at: number;
  file: FileDraft | null;
  readonly changes: FileChange[];
  readonly links: PatchLink[];
  readonly texts: PatchText[];
}

/** Parses a patch in git's format, or a unified diff. Parsing fails as a whole if any part is invalid. */
export function parsePatch(text: string): ParsedPatch {
  const reader: Reader = { lines: text.split('\n'), at: 0, file: null, changes: [], links: [], texts: [] };
  try {
    while (reader.at < reader.lines.length) readPatchLine(reader);
    finishFile(reader);
  } catch (error) {
    if (!(error instanceof PatchProblem)) throw error;
    return { ok: false, line: Math.min(reader.at + 1, reader.lines.length), message: error.message };
  }
  if (reader.changes.length === 0 && text.trim() !== '')
    return { ok: false, line: 1, message: 'the patch names no file' };
  return { ok: true, changes: reader.changes, links: reader.links, texts: reader.texts };
}

function readPatchLine(reader: Reader): void {
  const line = lineAt(reader, 0);
  if (line.startsWith('diff --git ')) startFile(reader, readPathPair(line.slice(11).replace(/\r$/, '')));
  else if (/^diff --(?:cc|combined) /.test(line)) throw new PatchProblem('combined diffs are not supported');
  else if (
    /^\*{15}/.test(line) &&
    lineAt(reader, -1).startsWith('--- ') &&
    lineAt(reader, -2).startsWith('*** ')
  )
    throw new PatchProblem('context diffs are not supported');
  else if (line.startsWith('Submodule ')) throw new PatchProblem('submodule summaries are not supported');
  else if (line.startsWith('--- ') && lineAt(reader, 1).startsWith('+++ ')) readNames(reader);
  else if (line.startsWith('@@ ')) readHunk(reader);
  else if (reader.file !== null) readHeader(reader.file, line.replace(/\r$/, ''));
  reader.at += 1;
}

function lineAt({ lines, at }: Reader, offset: number): string {
  return lines[at + offset] ?? '';
}

function startFile(reader: Reader, header: FileDraft['header']): FileDraft {
  finishFile(reader);
  const file: FileDraft = {
    line: reader.at + 1,
    header,
    old: null,
    now: null,
    from: null,
    to: null,
    status: 'M',
    oldMode: '100644',
    newMode: '100644',
    blob: '',
    oldBlob: '',
    binary: false,
    hasHunks: false,
    hunks: [],
    insertions: 0,
    deletions: 0,
    lastAdded: '',
  };
  reader.file = file;
  return file;
}

function readNames(reader: Reader): void {
  const old = readNamedPath(lineAt(reader, 0).slice(4));
  const now = readNamedPath(lineAt(reader, 1).slice(4));
  if (old === null || now === null) throw new PatchProblem('a quoted path has no closing quote');
  const known = reader.file !== null && reader.file.old === null ? reader.file : startFile(reader, null);
  known.old = old;
  known.now = now;
  reader.at += 1;
}

const HEADERS: readonly (readonly [RegExp, (value: string) => Partial<FileDraft>])[] = [
  [/^old mode (\d+)$/, (oldMode) => ({ oldMode })],
  [/^new mode (\d+)$/, (newMode) => ({ newMode })],
  [/^new file mode (\d+)$/, (newMode) => ({ status: 'A', oldMode: '000000', newMode })],
  [/^deleted file mode (\d+)$/, (oldMode) => ({ status: 'D', oldMode, newMode: '000000' })],
  [/^rename from (.+)$/, (path) => ({ status: 'R', from: readPath(path) })],
  [/^rename to (.+)$/, (path) => ({ status: 'R', to: readPath(path) })],
  [/^copy to (.+)$/, (path) => ({ status: 'A', to: readPath(path) })],
  [/^index ([0-9a-f]+)\.\.[0-9a-f]+/, (oldBlob) => ({ oldBlob })],
  [/^index [0-9a-f]+\.\.([0-9a-f]+)/, (blob) => ({ blob })],
  [/^index [0-9a-f]+\.\.[0-9a-f]+ (\d{6})$/, (mode) => ({ oldMode: mode, newMode: mode })],
  [/^(Binary files .* differ|GIT binary patch)$/, () => ({ binary: true })],
];

/** Headers come before the first hunk; text after the last one may be an email message. */
function readHeader(file: FileDraft, line: string): void {
  if (file.hasHunks) return;
  for (const [form, read] of HEADERS) {
    const value = form.exec(line)?.[1];
    if (value !== undefined) Object.assign(file, read(value));
  }
}

/** Counts the lines of a hunk, so that a changed line is never mistaken for a header. */
function readHunk(reader: Reader): void {
  const head = /^@@ -(\d+)(,\d+)? \+(\d+)(,\d+)? @@/.exec(lineAt(reader, 0));
  const { file } = reader;
  if (head === null || file === null) throw new PatchProblem('a hunk has no file header');
  const [, oldStart, old = '', newStart, now = ''] = head;
  const first = reader.at + 1;
  file.hasHunks = true;
  let left = old === '' ? 1 : Number(old.slice(1));
  let right = now === '' ? 1 : Number(now.slice(1));
  while (left > 0 || right > 0) {
    reader.at += 1;
    if (reader.at >= reader.lines.length) throw new PatchProblem('the patch ends inside a hunk');
    const sign = lineAt(reader, 0)[0];
    if (sign === '+') {
      file.insertions += 1;
      file.lastAdded = lineAt(reader, 0).slice(1).replace(/\r$/, '');
    } else if (sign === '-') file.deletions += 1;
    else if (sign !== ' ' && sign !== undefined && sign !== '\r' && sign !== '\\')
      throw new PatchProblem('a hunk has an invalid line');
    if (sign === '\\') continue;
    if (sign !== '+') left -= 1;
    if (sign !== '-') right -= 1;
  }
  // The marker for a missing newline at the end of the file follows the counted lines.
  const last = lineAt(reader, 1).startsWith('\\') ? reader.at + 2 : reader.at + 1;
  const lines = reader.lines.slice(first, last);
  file.hunks.push({ oldStart: Number(oldStart), newStart: Number(newStart), lines });
}

function finishFile(reader: Reader): void {
  const { file } = reader;
  reader.file = null;
  if (file === null) return;
  const names = resolveNames(file);
  const [left, right] = [normalPath(names[0]), normalPath(names[1])];
  const renamed = file.status === 'R' || (left !== right && left !== '/dev/null' && right !== '/dev/null');
  const status =
    left === '/dev/null'
      ? 'A'
      : right === '/dev/null'
        ? 'D'
        : renamed && file.status === 'M'
          ? 'R'
          : file.status;
  if (file.newMode === '120000' && file.lastAdded !== '')
    reader.links.push({ path: right, target: file.lastAdded });
  reader.texts.push({ oldBlob: file.oldBlob, hunks: file.hunks });
  reader.changes.push({
    path: right === '/dev/null' ? left : right,
    oldPath: status === 'R' ? left : null,
    status,
    insertions: file.binary ? null : file.insertions,
    deletions: file.binary ? null : file.deletions,
    oldMode: file.oldMode,
    newMode: file.newMode,
    blob: file.blob,
  });
}

function resolveNames(file: FileDraft): readonly [string, string] {
  const { from, to, old, now, header } = file;
  if (to !== null) {
    if ((now !== null && !matchesName(now, to)) || (old !== null && from !== null && !matchesName(old, from)))
      throw new PatchProblem('the headers of a file name different paths');
    return [from ?? to, to];
  }
  if (old !== null && now !== null) return withoutSide(old, now, header);
  if (header === null) throw new PatchProblem("a file's path is ambiguous");
  return withoutSide(...header);
}

/** Whether a name equals another one, optionally with a prefix such as `a/`. */
function matchesName(name: string, wanted: string): boolean {
  return name === wanted || name.slice(name.indexOf('/') + 1) === wanted;
}
