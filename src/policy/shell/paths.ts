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
