/** POSIX paths, resolved without access to a file system. */

export function resolvePath(base: string, path: string): string {
  const parts: string[] = [];
  for (const part of (path.startsWith('/') ? path : `${base}/${path}`).split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

/** The path relative to a folder; empty for the folder itself, null for a path outside it. */
export function pathInside(folder: string, path: string): string | null {
  const base = folder.endsWith('/') ? folder : `${folder}/`;
  if (path === folder || `${path}/` === base) return '';
  return path.startsWith(base) ? path.slice(base.length) : null;
}

export function baseName(path: string): string {
  const trimmed = path.replace(/\/+$/, '');
  return trimmed.slice(trimmed.lastIndexOf('/') + 1);
}
