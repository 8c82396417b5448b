import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasErrorCode } from '../../../text/error-code.ts';
import type { RunRepository } from '../repository/run-repository.ts';
import { SCRATCH_FOLDER } from '../repository/store-refs.ts';

/**
 * Gives `work` a temporary folder, so that a process that dies leaves no lock and no half-written index in the store.
 */
export async function withScratch<T>(
  { storeDir }: RunRepository,
  work: (scratch: string) => Promise<T>,
): Promise<T> {
  const folder = join(storeDir, SCRATCH_FOLDER);
  await mkdir(folder, { recursive: true });
  const scratch = await mkdtemp(join(folder, `${process.pid}-`));
  try {
    return await work(scratch);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Removes temporary folders and files of dead processes. */
export async function clearScratch({ storeDir }: RunRepository): Promise<void> {
  const folder = join(storeDir, SCRATCH_FOLDER);
  for (const name of await readdir(folder).catch((): string[] => []))
    if (isGone(Number(name.split('-')[0]))) await rm(join(folder, name), { recursive: true, force: true });
}

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return hasErrorCode(error, 'ESRCH');
  }
}
