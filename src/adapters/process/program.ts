import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, resolve } from 'node:path';
import type { ResolveProgram } from '../../ports/supervisor.ts';

/** What the C library searches when a process has no PATH at all. */
const DEFAULT_PATH = '/usr/bin:/bin';

export const resolveProgram: ResolveProgram = async (program, { cwd, path }) => {
  if (program === '') return null;
  const folders = program.includes('/') ? [''] : (path ?? DEFAULT_PATH).split(delimiter);
  for (const folder of folders) {
    const candidate = resolve(cwd, folder, program);
    if (await isExecutableFile(candidate)) return candidate;
  }
  return null;
};

async function isExecutableFile(path: string): Promise<boolean> {
  try {
    if (!(await stat(path)).isFile()) return false;
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
