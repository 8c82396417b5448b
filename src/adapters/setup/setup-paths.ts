import { lstat, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fixedBeginning, isGlob, matchesPattern, normalizePattern } from '../../setup/owned-paths.ts';

/** Folders that a glob searches only if it names them. */
const NOT_SEARCHED = new Set(['.git', 'node_modules']);
/** A glob that would search more folders than this is a mistake. */
const FOLDERS_LIMIT = 50_000;

/** The paths of a checkout that match patterns, without duplicates and without paths below another one. */
export async function expandPatterns(
  checkout: string,
  patterns: readonly string[],
): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const pattern of patterns.map(normalizePattern)) {
    if (await isOccupied(join(checkout, pattern))) found.add(pattern);
    if (isGlob(pattern)) await searchPattern(found, checkout, pattern);
  }
  const all = [...found].sort();
  return all.filter((path) => !all.some((outer) => path.startsWith(`${outer}/`)));
}

async function searchPattern(found: Set<string>, checkout: string, pattern: string): Promise<void> {
  const waiting = [fixedBeginning(pattern)];
  const namesModules = pattern.split('/').slice(0, -1).includes('node_modules');
  for (let seen = 0; waiting.length > 0 && seen < FOLDERS_LIMIT; seen += 1) {
    const folder = waiting.pop() ?? '';
    const entries = await readdir(join(checkout, folder), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (path === '.git' || path === '.tnh') continue;
      if (matchesPattern(pattern, path)) found.add(path);
      else if (entry.isDirectory() && (namesModules || !NOT_SEARCHED.has(entry.name))) waiting.push(path);
    }
  }
}

/**
 * A parent of a path that is not a real folder, or null. An agent that replaces a folder by a link must not
 * decide where setup writes or removes files.
 */
export async function findLinkInPath(checkout: string, path: string): Promise<string | null> {
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    const found = await lstat(join(checkout, folder)).catch(() => null);
    if (found !== null && !found.isDirectory()) return folder;
  }
  return null;
}

/** Does not follow links: a link is in the way, too. */
async function isOccupied(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
