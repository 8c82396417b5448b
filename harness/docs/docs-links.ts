import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isPathInside } from '../../src/text/paths.ts';
import { type MarkdownPage, type PageLink, readMarkdown } from './markdown-page.ts';

export interface LinkFindings {
  readonly problems: string[];
  readonly checked: number;
  /** External links are counted, but not checked. */
  readonly external: number;
}

/** Checks that the links of a page lead to existing files in the repository. */
export function checkLinks(root: string, path: string, page: MarkdownPage): LinkFindings {
  const inside = page.links.filter(({ target }) => !isExternal(target));
  return {
    problems: inside.flatMap((link) => findLinkProblems(root, path, page, link)),
    checked: inside.length,
    external: page.links.length - inside.length,
  };
}

function isExternal(target: string): boolean {
  return /^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(target);
}

function findLinkProblems(
  root: string,
  path: string,
  page: MarkdownPage,
  { target, line }: PageLink,
): string[] {
  const report = (what: string): string[] => [`${path}:${line}: the link ${target} ${what}`];
  const [file = '', ...rest] = target.split('#');
  const anchor = rest.length === 0 ? null : decodeUri(rest.join('#'));
  const name = decodeUri(file.replace(/\?.*$/, ''));
  if (name === '') return hasAnchor(page, anchor) ? [] : report('names no heading of this page');
  const full = name.startsWith('/') ? join(root, name) : resolve(root, dirname(path), name);
  if (!isPathInside(root, full)) return report('leads out of the repository');
  if (!existsSync(full)) return report('leads to nothing');
  if (!isPathInside(realpathSync(root), realpathSync(full))) return report('leads out of the repository');
  if (!/\.(?:md|markdown)$/i.test(full)) return [];
  const linked = readMarkdown(readFileSync(full, 'utf8'));
  return hasAnchor(linked, anchor) ? [] : report('names no heading there');
}

function hasAnchor({ anchors }: MarkdownPage, anchor: string | null): boolean {
  if (anchor === null || anchor === '' || anchor === 'top') return true;
  return anchors.has(anchor) || anchors.has(anchor.toLowerCase());
}

function decodeUri(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
