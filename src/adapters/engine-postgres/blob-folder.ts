import { createHash, randomBytes } from 'node:crypto';
import { constants, copyFile, lstat, mkdir, open, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFolder } from '../../node/atomic-file.ts';
import { hasErrorCode } from '../../text/error-code.ts';

/**
 * Evidence files by their content, in a folder that all machines share. A name is the SHA-256 of what it names, so
 * files are never changed, and any number of machines may add the same one.
 */
export interface BlobStore {
  /** Returns once the content is durable. Null if the path names no regular file. */
  readonly put: (path: string) => Promise<Blob | null>;
  /** Copies content to a path, whose folder must exist. */
  readonly get: (sha256: string, path: string) => Promise<void>;
  readonly read: (sha256: string, firstBytes?: number) => Promise<string>;
}

export interface Blob {
  readonly sha256: string;
  readonly bytes: number;
}

const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const CHUNK_BYTES = 64 * 1024;

export function createBlobFolder(folder: string): BlobStore {
  const locate = (sha256: string) => join(folder, 'sha256', sha256.slice(0, 2), sha256);
  return {
    put: async (path) => {
      const found = await digest(path);
      if (found === null || (await exists(locate(found.sha256)))) return found;
      return add(path, folder, locate);
    },
    get: async (sha256, path) => {
      const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
      await copyFile(locate(sha256), temporary);
      await rename(temporary, path);
    },
    read: async (sha256, firstBytes) => {
      const file = await open(locate(sha256), READ_FLAGS);
      try {
        if (firstBytes === undefined) return await file.readFile('utf8');
        const { buffer, bytesRead } = await file.read(Buffer.alloc(firstBytes), 0, firstBytes, 0);
        return new TextDecoder('utf-8', { ignoreBOM: true }).decode(buffer.subarray(0, bytesRead), {
          stream: true,
        });
      } finally {
        await file.close();
      }
    },
  };
}

/** Digests what it copies: the file may change at any time. */
async function add(path: string, folder: string, locate: (sha256: string) => string): Promise<Blob | null> {
  await mkdir(join(folder, 'incoming'), { recursive: true });
  const temporary = join(folder, 'incoming', randomBytes(12).toString('hex'));
  const copy = await open(temporary, 'wx');
  let blob: Blob | null;
  try {
    blob = await digest(path, (piece) => copy.writeFile(piece));
    await copy.sync();
  } finally {
    await copy.close();
  }
  if (blob === null) {
    await unlink(temporary);
    return null;
  }
  const target = locate(blob.sha256);
  await mkdir(dirname(target), { recursive: true });
  await rename(temporary, target);
  await syncFolder(dirname(target));
  return blob;
}

/** Null if the path names no regular file. An agent can put a link or a pipe there: neither is followed or waited for. */
async function digest(path: string, take?: (piece: Buffer) => Promise<void>): Promise<Blob | null> {
  let file: Awaited<ReturnType<typeof open>>;
  try {
    file = await open(path, READ_FLAGS);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'].some((code) => hasErrorCode(error, code))) return null;
    throw error;
  }
  try {
    if (!(await file.stat()).isFile()) return null;
    const hash = createHash('sha256');
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    let bytes = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES);
      if (bytesRead === 0) break;
      const piece = buffer.subarray(0, bytesRead);
      hash.update(piece);
      await take?.(piece);
      bytes += bytesRead;
    }
    return { sha256: hash.digest('hex'), bytes };
  } finally {
    await file.close();
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT') || hasErrorCode(error, 'ENOTDIR')) return false;
    throw error;
  }
}
