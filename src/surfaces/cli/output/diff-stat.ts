import type { FileChange, WorkspaceDiff } from '../../../contracts/run/workspace-change.ts';
import { printable } from './terminal.ts';

/** The maximum number of listed files; the rest is only counted. */
const MAX_FILES = 12;

export function diffStatLines(diff: WorkspaceDiff): string[] {
  if (diff.files.length === 0) return ['nothing'];
  const shown = diff.files.slice(0, MAX_FILES).map(fileLine);
  const hidden = diff.files.length - shown.length;
  const total = `${diff.files.length} ${diff.files.length === 1 ? 'file' : 'files'}, +${diff.insertions} -${diff.deletions}`;
  return [...shown, ...(hidden > 0 ? [`… and ${hidden} more`] : []), total];
}

function fileLine(file: FileChange): string {
  const name =
    file.oldPath === null
      ? printablePath(file.path)
      : `${printablePath(file.oldPath)} → ${printablePath(file.path)}`;
  const counts = file.insertions === null ? 'binary' : `+${file.insertions} -${file.deletions ?? 0}`;
  return `${file.status} ${name}  ${counts}`;
}

/** Quotes a name with line breaks or tabs, which could otherwise forge lines of output. */
function printablePath(path: string): string {
  return /[\n\t]/.test(path) ? JSON.stringify(path) : printable(path);
}
