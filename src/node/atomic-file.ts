import { randomBytes } from 'node:crypto';
import { open, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasErrorCode } from '../text/error-code.ts';

export interface WriteOptions {
  /** Whether the content survives a power failure; otherwise the file is only complete or missing. */
  readonly durable?: boolean;
  readonly mode?: number;
}

/** Readers see the old content or the new one, never a part. The folder must exist. */
export async function writeAtomically(
  path: string,
  content: string | Uint8Array,
  options: WriteOptions = {},
): Promise<void> {
  const temporary = temporaryName(path);
  await writeNew(temporary, content, options);
  await rename(temporary, path);
  if (options.durable === true) await syncFolder(dirname(path));
}

export function temporaryName(path: string): string {
  return `${path}.${randomBytes(6).toString('hex')}.tmp`;
}

/** Creates a file, which must not exist. */
export async function writeNew(
  path: string,
  content: string | Uint8Array,
  { durable = false, mode }: WriteOptions,
): Promise<void> {
  const handle = await open(path, 'wx', mode);
  try {
    await handle.writeFile(content);
    if (durable) await handle.sync();
  } catch (error) {
    // Otherwise every attempt on a full disk would leave another temporary file.
    await unlink(path).catch(() => {});
    throw error;
  } finally {
    await handle.close();
  }
}

/** Makes the names in a folder survive power loss. Some file systems don't support this, which is ignored. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } catch (error) {
    if (!hasErrorCode(error, 'EINVAL') && !hasErrorCode(error, 'EPERM')) throw error;
  } finally {
    await handle.close();
  }
}
