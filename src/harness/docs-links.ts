import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isPathInside } from '../text/paths.ts';
import { type MarkdownPage, type PageLink, readMarkdown } from './markdown-page.ts';

export interface LinkFindings {
  readonly problems: string[];
  readonly checked: number;
  /** Addresses elsewhere: they are counted and not asked. */
  readonly external: number;
}

/** Whether the links of a page lead to something in the repository. */
export function checkLinks(root: string, path: string, page: MarkdownPage): LinkFindings {
  const inside = page.links.filter(({ target }) => !isExternal(target));
  return {
    problems: inside.flatMap((link) => linkProblem(root, path, page, link)),
    checked: inside.length,
    external: page.links.length - inside.length,
  };
}

function isExternal(target: string): boolean {
  return /^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(target);
}

function linkProblem(root: string, path: string, page: MarkdownPage, { target, line }: PageLink): string[] {
  const say = (what: string): string[] => [`${path}:${line}: the link ${target} ${what}`];
  const [file = '', ...rest] = target.split('#');
  const anchor = rest.length === 0 ? null : decoded(rest.join('#'));
  const name = decoded(file.replace(/\?.*$/, ''));
  if (name === '') return hasAnchor(page, anchor) ? [] : say('names no heading of this page');
  const full = name.startsWith('/') ? join(root, name) : resolve(root, dirname(path), name);
  if (!isPathInside(root, full)) return say('leads out of the repository');
  if (!existsSync(full)) return say('leads to nothing');
  if (!isPathInside(realpathSync(root), realpathSync(full))) return say('leads out of the repository');
  if (!/\.(?:md|markdown)$/i.test(full)) return [];
  const linked = readMarkdown(readFileSync(full, 'utf8'));
  return hasAnchor(linked, anchor) ? [] : say('names no heading there');
}

function hasAnchor({ anchors }: MarkdownPage, anchor: string | null): boolean {
  if (anchor === null || anchor === '' || anchor === 'top') return true;
  return anchors.has(anchor) || anchors.has(anchor.toLowerCase());
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
