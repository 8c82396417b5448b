import { readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

/** Inside a checkout of a run, returns the repository that the run belongs to. */
export async function leaveRunCheckout(startDir: string): Promise<string> {
  const path = resolve(startDir);
  for (let folder = path; folder !== dirname(folder); folder = dirname(folder)) {
    if (!['work', 'judge'].includes(basename(folder))) continue;
    const origin = await readFile(join(dirname(folder), 'origin'), 'utf8').catch(() => null);
    if (origin !== null) return origin.trimEnd();
  }
  return path;
}
