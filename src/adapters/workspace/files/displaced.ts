import { mkdir, mkdtemp, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunRepository } from '../repository/run-repository.ts';
import { pathBelow } from './paths.ts';

/** Name of the folder for displaced files, inside the run's folder. */
export const DISPLACED_FOLDER = 'displaced';

/** Moves a file or folder out of a checkout. It is kept in the run's folder until the workspace is removed. */
export async function displace({ folder }: RunRepository, path: string | Buffer): Promise<void> {
  const asideFolder = join(folder, DISPLACED_FOLDER);
  await mkdir(asideFolder, { recursive: true });
  const latin1 = Buffer.from(path).toString('latin1');
  const name = latin1.slice(latin1.lastIndexOf('/') + 1);
  await rename(path, pathBelow(await mkdtemp(join(asideFolder, 'item-')), name));
}

/** Paths of everything that was moved out of the checkouts. */
export async function displacedItems({ folder }: RunRepository): Promise<readonly string[]> {
  const items: string[] = [];
  for (const item of await readdir(join(folder, DISPLACED_FOLDER)).catch((): string[] => []))
    for (const name of await readdir(join(folder, DISPLACED_FOLDER, item)))
      items.push(join(folder, DISPLACED_FOLDER, item, name));
  return items;
}
