import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileQuery, FoundContents, ScopeSources } from '../../../ports/work/scope-sources.ts';
import { createGit, type Git } from '../git/git-command.ts';
import { readObjects } from '../git/read-objects.ts';
import { readEmitSettings } from './emit-settings.ts';

const LIMIT_BYTES = 8 * 1024 * 1024;

/** The repository that a patch applies to. Null if `base` names no commit in it. */
export async function createScopeSources(repoRoot: string, base: string): Promise<ScopeSources | null> {
  const git = createGit({ cwd: repoRoot });
  const found = await git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${base}^{commit}`], {
    answers: [1, 128],
  });
  if (found.exitCode !== 0) return null;
  const commit = found.stdout.toString('utf8').trim();
  return {
    areFolders: (paths) => areFolders(git, commit, paths),
    read: (files) => readAll(git, repoRoot, commit, files),
    emitSettings: () => readEmitSettings(git, repoRoot, commit),
  };
}

async function areFolders(
  git: Git,
  commit: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, boolean | null>> {
  const askable = paths.filter(isAskable);
  const kinds = await lookUpObjects(
    git,
    askable.map((path) => `${commit}:${path}`),
  );
  return new Map(
    askable.map((path, index) => {
      const kind = kinds[index]?.kind ?? null;
      return [path, kind === null ? null : kind === 'tree'];
    }),
  );
}

interface FoundObject {
  readonly kind: string;
  readonly id: string;
  readonly size: number;
}

/** Whether git can look up the path: it reads one name per line. */
function isAskable(path: string): boolean {
  return path !== '' && !/[\n\0]/.test(path) && !path.startsWith('/') && !path.split('/').includes('..');
}

async function lookUpObjects(git: Git, names: readonly string[]): Promise<readonly (FoundObject | null)[]> {
  if (names.length === 0) return [];
  const asked = await git(['cat-file', '--batch-check=%(objecttype) %(objectname) %(objectsize)'], {
    stdin: `${names.join('\n')}\n`,
  });
  const lines = asked.stdout.toString('utf8').split('\n');
  return names.map((_, index) => {
    const [, kind, id, size] = /^(\w+) ([0-9a-f]{40,64}) (\d+)$/.exec(lines[index] ?? '') ?? [];
    return kind === undefined || id === undefined ? null : { kind, id, size: Number(size) };
  });
}

async function readAll(
  git: Git,
  repoRoot: string,
  commit: string,
  files: readonly FileQuery[],
): Promise<readonly FoundContents[]> {
  const names = files.flatMap(({ path, oldBlob, newBlob }) => [
    isAskable(path) ? `${commit}:${path}` : '-',
    blobName(oldBlob),
    blobName(newBlob),
  ]);
  const objects = await lookUpObjects(git, names);
  const contents = await readBlobs(git, objects);
  return Promise.all(
    files.map(async ({ path }, index) => ({
      base: contents[3 * index] ?? null,
      oldBlob: contents[3 * index + 1] ?? null,
      newBlob: contents[3 * index + 2] ?? null,
      checkout: isAskable(path) ? await readPlainFile(join(repoRoot, path)) : null,
    })),
  );
}

/** The id of a blob, or a name that no object has if the patch gives no id. */
function blobName(id: string): string {
  return /^[0-9a-f]{4,64}$/.test(id) && !/^0+$/.test(id) ? id : '-';
}

async function readBlobs(
  git: Git,
  objects: readonly (FoundObject | null)[],
): Promise<readonly (Uint8Array | null)[]> {
  const isWanted = (object: FoundObject | null) => object?.kind === 'blob' && object.size <= LIMIT_BYTES;
  const ids = [...new Set(objects.filter(isWanted).flatMap((object) => object?.id ?? []))];
  const read = await readObjects(git, ids);
  const byId = new Map(ids.map((id, at) => [id, read[at]?.content ?? null]));
  return objects.map((object) => (object === null ? null : (byId.get(object.id) ?? null)));
}

/** Links are not followed: their targets are not in the patch. */
async function readPlainFile(path: string): Promise<Uint8Array | null> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    () => null,
  );
  if (file === null) return null;
  try {
    const stat = await file.stat();
    return stat.isFile() && stat.size <= LIMIT_BYTES ? await file.readFile() : null;
  } catch {
    return null;
  } finally {
    await file.close();
  }
}
