import { escapeUnsafe } from './outside-text.ts';

/** These functions treat paths as text, separated by `/`. Callers resolve symbolic links first. */

/** True for the folder itself and for paths below it. */
export function isPathInside(folder: string, path: string): boolean {
  const [outer, inner] = [normalise(folder), normalise(path)];
  return inner === outer || inner.startsWith(outer === '/' ? '/' : `${outer}/`);
}

const UNUSUAL = /\/\/|\/\.{1,2}(?:\/|$)|\/$/;

/** Skips most paths, which are normal already: this is called for many files. */
function normalise(path: string): string {
  return UNUSUAL.test(path) ? resolveFrom('/', path) : path;
}

/** Resolves `path` against `base` and removes `.` and `..`. */
export function resolveFrom(base: string, path: string): string {
  const parts: string[] = [];
  for (const part of (path.startsWith('/') ? path : `${base}/${path}`).split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

/** Whether a path that should be below a root is absolute or has `..` in it. */
export function leavesRoot(path: string): boolean {
  return path.startsWith('/') || path.split('/').includes('..');
}

/** `./a` and `a` are the same file. */
export function stripDotSlash(path: string): string {
  return path.replace(/^(?:\.\/)+/, '');
}

export function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), path.startsWith('/') ? 1 : 0));
}

/** Whether a path from a record or a request names something below a folder: relative, without `.`, `..` and NUL. */
export function isRecordPath(path: string): boolean {
  if (path === '' || path.includes('\0')) return false;
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

/**
 * The path with unsafe characters as escapes, on one line. Backslashes are doubled, so that two paths never look the
 * same: a page can show the text and name the file with it.
 */
export function showPath(path: string): string {
  const escaped = escapeUnsafe(path.replaceAll('\\', '\\\\'));
  return escaped.replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}
