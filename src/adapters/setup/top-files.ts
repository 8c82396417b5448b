import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { TOP_FILES, type TopFiles } from '../../setup/lock-files.ts';

/** Lock files of large repositories have tens of megabytes. */
const READ_LIMIT_BYTES = 64 * 1024 * 1024;

/** Reads the files at the top of a folder that determine how dependencies are installed. */
export async function readTopFiles(folder: string): Promise<TopFiles> {
  const files = new Map<string, string>();
  for (const name of TOP_FILES) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => null);
    if (found?.isFile() !== true || found.size > READ_LIMIT_BYTES) continue;
    const text = await readFile(path, 'utf8').catch(() => null);
    if (text !== null) files.set(name, text);
  }
  return files;
}
