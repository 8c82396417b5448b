import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { writeAtomically } from '../../node/atomic-file.ts';
import type { Baselines } from '../../ports/shared-stores.ts';

/** Number of results to keep; older ones are removed when a new one is stored. */
const MAX_BASELINES = 50;

/**
 * Stores one file for each baseline. Writes are atomic, so runs that end at the same time don't interfere.
 */
export function createBaselineFiles(folder: string): Baselines {
  return {
    find: (key) => readFile(join(folder, `${key}.json`), 'utf8').catch(() => null),
    put: async (key, text) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeAtomically(join(folder, `${key}.json`), text);
      await prune(folder);
    },
  };
}

async function prune(folder: string): Promise<void> {
  const names = await readdir(folder);
  if (names.length <= MAX_BASELINES) return;
  const files = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      return { path, modifiedMs: (await stat(path).catch(() => null))?.mtimeMs ?? 0 };
    }),
  );
  const old = files.toSorted((one, other) => other.modifiedMs - one.modifiedMs).slice(MAX_BASELINES);
  for (const { path } of old) await rm(path, { force: true });
}
