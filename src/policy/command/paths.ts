/** Paths as POSIX writes them, without a file system to ask. */

export function resolvePath(base: string, path: string): string {
  const parts: string[] = [];
  for (const part of (path.startsWith('/') ? path : `${base}/${path}`).split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

/** The way from a folder to what lies in it; null for what does not. The folder itself is the empty way. */
export function pathInside(folder: string, path: string): string | null {
  const base = folder.endsWith('/') ? folder : `${folder}/`;
  if (path === folder || `${path}/` === base) return '';
  return path.startsWith(base) ? path.slice(base.length) : null;
}

export function baseName(path: string): string {
  const trimmed = path.replace(/\/+$/, '');
  return trimmed.slice(trimmed.lastIndexOf('/') + 1);
}
