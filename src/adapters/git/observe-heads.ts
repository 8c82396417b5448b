import { rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { OutsideChange } from '../../contracts/surroundings.ts';
import { kindOf, readFileHere } from './file-kind.ts';

/** Without a HEAD that it can read, git takes a folder for no repository at all. */
const READABLE = /^(?:ref: *refs\/\S+|[0-9a-f]{40}|[0-9a-f]{64})\s*$/;

/** What the HEAD of the repository and that of a worktree say, by their paths. */
export type Heads = ReadonlyMap<string, string>;

export async function readHeads(gitDir: string, adminDir: string): Promise<Heads> {
  const heads = new Map<string, string>();
  for (const folder of [gitDir, adminDir]) {
    const path = join(folder, 'HEAD');
    const text = await readFileHere(path);
    if (text !== null && READABLE.test(text)) heads.set(path, text);
  }
  return heads;
}

/** Puts those back that nobody can read any more. One that only says something else is judged as the ref it names. */
export async function settleHeads(gitDir: string, before: Heads): Promise<OutsideChange[]> {
  const changes: OutsideChange[] = [];
  for (const [path, old] of before) {
    const now = await readFileHere(path);
    if (now !== null && READABLE.test(now)) continue;
    // A worktree whose whole folder is gone is registered again with all that belongs to it.
    if ((await kindOf(dirname(path))) !== 'folder') continue;
    await rm(path, { recursive: true, force: true });
    await writeFile(path, old);
    const subject = `.git/${relative(gitDir, path)}`;
    const verb = now === null ? 'deleted' : 'changed';
    changes.push({ place: 'git_files', subject, verb, excuse: null, putBack: true });
  }
  return changes;
}
