import { pythonName } from './foreign.ts';

/** A path that a file in a site-packages folder refers to: an editable install in any form, or a local install. */
export interface PythonLink {
  /** Absolute, or relative to the site-packages folder; `file:` URLs are decoded. */
  readonly path: string;
  readonly packageName: string | null;
  /** Whether Python imports from that folder; otherwise the installed package is a copy of it. */
  readonly isEditable: boolean;
}

/** Whether `readPythonLinks` can read a file of this name in the site-packages folder. */
export function isPythonLinkFile(name: string): boolean {
  return /\.(?:pth|egg-link)$/.test(name) || /^_.*editable.*\.py$/.test(name);
}

/** The file of a `*.dist-info` folder that says where the package was installed from. */
export const DIRECT_URL = 'direct_url.json';

export function readPythonLinks(name: string, text: string): readonly PythonLink[] {
  const packageName = packageOf(name);
  const link = (path: string): PythonLink => ({ path, packageName, isEditable: true });
  if (name.endsWith('.egg-link')) return text.split('\n').slice(0, 1).filter(isPath).map(link);
  if (name.endsWith('.pth')) return text.split(/\r?\n/).filter(isPath).map(link);
  // Finders map modules to paths: MAPPING: dict[str, str] = {'shop': '/src/me/shop/src/shop'}
  return [...text.matchAll(/(["'])(\/[^"'\n]+)\1/g)].map(([, , path = '']) => link(path));
}

/** Null if the package came from an index or a repository. */
export function readDirectUrl(folder: string, text: string): PythonLink | null {
  try {
    const { url, dir_info } = JSON.parse(text) as { url?: unknown; dir_info?: { editable?: unknown } };
    if (typeof url !== 'string' || !url.startsWith('file://') || dir_info === undefined) return null;
    return {
      path: decodeURIComponent(url.slice('file://'.length)),
      packageName: packageOf(folder),
      isEditable: dir_info.editable === true,
    };
  } catch {
    return null;
  }
}

/** In a `.pth` file, Python executes lines that begin with `import`, and skips comments. */
function isPath(line: string): boolean {
  return line.trim() !== '' && !/^(?:import[ \t]|#)/.test(line);
}

/** `__editable__.shop-1.0.pth`, `__editable___shop_1_0_finder.py`, `shop.pth`, `shop-1.0.dist-info` */
function packageOf(name: string): string | null {
  const [, own] =
    /^__editable___(.+?)_\d.*_finder\.py$/.exec(name) ??
    /^(?:__editable__\.|_editable_impl_)?([A-Za-z][\w.]*?)(?:-\d.*)?\.(?:pth|egg-link|dist-info)$/.exec(
      name,
    ) ??
    [];
  return own === undefined ? null : pythonName(own);
}
