const CONTROL = new RegExp(
  `[${String.fromCharCode(0)}-${String.fromCharCode(31)}${String.fromCharCode(127)}]`,
);

export type GoldenPath =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly why: string };

/** Checks where a golden would be written, relative to the worktree. The caller checks what git has at that path. */
export function readGoldenPath(text: string): GoldenPath {
  const refuse = (why: string): GoldenPath => ({ ok: false, why });
  if (CONTROL.test(text)) return refuse('its golden_path holds control characters');
  if (text.startsWith('/')) return refuse('its golden_path is absolute');
  const parts = text.split('/').filter((part) => part !== '.' && part !== '');
  if (parts.includes('..')) return refuse('its golden_path leaves the worktree by `..`');
  if (parts.length === 0 || text.endsWith('/')) return refuse('its golden_path names no file');
  const lower = parts.map((part) => part.toLowerCase());
  if (lower.includes('.git')) return refuse('its golden_path is in a folder of git');
  if (lower[0] === '.tnh') return refuse('its golden_path is in the folder of the conductor');
  return { ok: true, path: parts.join('/') };
}

/** Whether two paths conflict: they are equal, or one is a parent folder of the other. */
export function isInTheWay(path: string, other: string): boolean {
  return path === other || path.startsWith(`${other}/`) || other.startsWith(`${path}/`);
}
