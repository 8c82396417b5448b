import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { MAX_SOURCE_BYTES } from '../../workflow/yaml/source-text.ts';

/**
 * Reads a file of a repository that may be hostile: a link in it can lead to a device or a pipe, which never
 * end, and a sparse file can be larger than the memory. One byte more than any reader accepts is enough to
 * refuse the file.
 */
export async function readBounded(path: string): Promise<Buffer> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) throw new Error('it is not a file');
    const { size } = await file.stat();
    const bytes = Buffer.alloc(Math.min(size, MAX_SOURCE_BYTES + 1));
    let length = 0;
    while (length < bytes.length) {
      const { bytesRead } = await file.read(bytes, length, bytes.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return bytes.subarray(0, length);
  } finally {
    await file.close();
  }
}
