import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { gitAt } from '../../testing/git-repo.ts';
import type { ProjectFile } from './rule.ts';

const NOT_OURS = new Set(['.git', '.tnh', 'node_modules', 'dist', 'coverage']);

/** Every text file of the project: what git tracks, or would track after `git add`. */
export async function readProject(root: string): Promise<ProjectFile[]> {
  const paths = existsSync(join(root, '.git')) ? await listTracked(root) : await listFolder(root);
  const files = await Promise.all(paths.map((path) => readText(root, path)));
  return files.filter((found) => found !== null);
}

async function listTracked(root: string): Promise<string[]> {
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const names = await gitAt(root, '-c', 'safe.directory=*', ...list);
  return [...new Set(names.split('\0'))].filter((name) => name !== '');
}

/** For a tree that was unpacked instead of cloned. */
async function listFolder(root: string, folder = root): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const lists = entries
    .filter((entry) => !NOT_OURS.has(entry.name) && !entry.name.endsWith('.tgz'))
    .map(async (entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return listFolder(root, path);
      return entry.isFile() ? [relative(root, path).split(sep).join('/')] : [];
    });
  return (await Promise.all(lists)).flat();
}

/** Null for what is no text, and for a file that is still tracked but no longer there. */
async function readText(root: string, path: string): Promise<ProjectFile | null> {
  try {
    const text = await readFile(join(root, path), 'utf8');
    return text.includes('\0') ? null : { path, text };
  } catch {
    return null;
  }
}
