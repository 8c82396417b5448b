import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kindOf } from './file-kind.ts';
import type { Git } from './git-command.ts';

/**
 * Reads the refs of a repository from its files, by full name. Every kept run adds conductor's own refs, and git would
 * open each of them; this function never enters the folders that `isSkipped` names.
 */
export async function readRefs(
  git: Git,
  gitDir: string,
  isSkipped: (name: string) => boolean,
): Promise<ReadonlyMap<string, string>> {
  if ((await kindOf(join(gitDir, 'reftable'))) !== 'missing') return listRefsWithGit(git, isSkipped);
  // Loose refs first: git writes packed refs before it removes the loose ones, so none is missed while git packs them.
  const loose = new Map<string, string>();
  await readLoose(gitDir, 'refs', isSkipped, loose);
  const packed = await readFile(join(gitDir, 'packed-refs'), 'utf8').catch(() => '');
  return new Map([...parsePackedRefs(packed)].filter(([name]) => !isSkipped(name)).concat([...loose]));
}

export function parsePackedRefs(text: string): ReadonlyMap<string, string> {
  const refs = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, id, name] = /^([0-9a-f]{40,64}) (refs\/\S+)$/.exec(line) ?? [];
    if (id !== undefined && name !== undefined) refs.set(name, id);
  }
  return refs;
}

/** A loose ref wins over a packed one. */
async function readLoose(
  gitDir: string,
  name: string,
  isSkipped: (name: string) => boolean,
  refs: Map<string, string>,
): Promise<void> {
  const entries = await readdir(join(gitDir, name), { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const full = `${name}/${entry.name}`;
    if (isSkipped(full) || entry.name.endsWith('.lock')) continue;
    if (entry.isDirectory()) await readLoose(gitDir, full, isSkipped, refs);
    else {
      const value = await readFile(join(gitDir, full), 'utf8').catch(() => '');
      if (value.trim() !== '') refs.set(full, value.trim());
    }
  }
}

async function listRefsWithGit(
  git: Git,
  isSkipped: (name: string) => boolean,
): Promise<ReadonlyMap<string, string>> {
  const listed = await git(['for-each-ref', '--format=%(objectname) %(refname)']);
  const lines = listed.stdout.toString('utf8').split('\n');
  const pairs = lines.map((line) => [line.slice(line.indexOf(' ') + 1), line.split(' ')[0] ?? ''] as const);
  return new Map(pairs.filter(([name, id]) => id !== '' && !isSkipped(name)));
}
