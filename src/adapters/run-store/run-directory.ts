import { createHash } from 'node:crypto';
import { appendFile, type FileHandle, mkdir, readdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { stepFolderOf } from '../../contracts/run/run-files.ts';
import { syncFolder, writeAtomically } from '../../node/atomic-file.ts';
import { sha256Hex } from '../../node/sha256.ts';
import type { FileDigest, RunDirectory } from '../../ports/run-store.ts';
import { hasErrorCode } from '../../text/error-code.ts';
import { isRecordPath } from '../../text/paths.ts';
import { syncFile } from './durable-file.ts';
import { openRegularFile, openRegularFileIn } from './regular-file.ts';

const CHUNK_BYTES = 64 * 1024;

/** Every write calls `expectHeld` first. A process that only reads, or only answers a gate, holds no lease. */
export function createRunDirectory(
  runId: string,
  path: string,
  expectHeld: () => void = () => {},
): RunDirectory {
  const resolve = (relativePath: string) => join(path, relativePath);
  return {
    runId,
    path,
    resolve,
    makeStepFolder: async (stepId, attempt) => {
      expectHeld();
      const folder = stepFolderOf(stepId, attempt);
      await mkdir(resolve(folder), { recursive: true });
      return folder;
    },
    write: async (relativePath, content, options) => {
      expectHeld();
      await mkdir(dirname(resolve(relativePath)), { recursive: true });
      await writeAtomically(resolve(relativePath), content, { durable: options?.durable ?? false });
      return {
        path: relativePath,
        sha256: sha256Hex(content),
        bytes: Buffer.byteLength(content),
      };
    },
    read: async (relativePath, options) => {
      // Paths come from manifests too, and a cloned repository can contain manifests that conductor didn't write.
      if (!isRecordPath(relativePath)) return null;
      try {
        // An agent without a sandbox can put a link in place of a folder.
        const file = await openRegularFileIn(path, relativePath);
        return options?.firstBytes === undefined
          ? await readWhole(file)
          : await readHead(file, options.firstBytes);
      } catch (error) {
        if (hasErrorCode(error, 'ENOENT') || hasErrorCode(error, 'EISDIR')) return null;
        throw error;
      }
    },
    list: async (relativePath) => {
      // A folder that an agent removed counts as empty, so that the rest of the record can still be evaluated.
      const found = await readdir(resolve(relativePath), { recursive: true, withFileTypes: true }).catch(
        (error: unknown) => {
          if (hasErrorCode(error, 'ENOENT') || hasErrorCode(error, 'ENOTDIR')) return [];
          throw error;
        },
      );
      return found
        .filter((entry) => entry.isFile())
        .map((entry) => relative(path, join(entry.parentPath, entry.name)))
        .sort();
    },
    digest: (absolutePath) => digestFile(path, absolutePath),
    sync: async (relativePaths) => {
      await Promise.all(relativePaths.map((file) => syncFile(resolve(file))));
      const folders = new Set(relativePaths.flatMap(foldersOf));
      await Promise.all([...folders].map((folder) => syncFolder(resolve(folder))));
    },
    appendText: async (relativePath, text) => {
      expectHeld();
      await appendFile(resolve(relativePath), text);
    },
  };
}

/** The folders between the run directory and a file, without the run directory itself. */
function foldersOf(relativePath: string): readonly string[] {
  const parts = relativePath.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

async function readWhole(file: FileHandle): Promise<string> {
  try {
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

async function readHead(file: FileHandle, bytes: number): Promise<string> {
  let text = '';
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  await readPieces(file, bytes, (piece) => {
    text += decoder.decode(piece, { stream: true });
  });
  return text + decoder.decode();
}

async function digestFile(root: string, absolutePath: string): Promise<FileDigest> {
  const hash = createHash('sha256');
  const file = await openRegularFile(absolutePath);
  const bytes = await readPieces(file, Number.POSITIVE_INFINITY, (piece) => void hash.update(piece));
  return { path: relative(root, absolutePath), sha256: hash.digest('hex'), bytes };
}

/**
 * Reads to the limit and closes the file. Reuses one buffer: a stream allocates a new one for each chunk, and garbage
 * collection frees them late.
 */
async function readPieces(
  file: FileHandle,
  limitBytes: number,
  take: (piece: Buffer) => void,
): Promise<number> {
  try {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    let bytes = 0;
    for (;;) {
      const length = Math.min(CHUNK_BYTES, limitBytes - bytes);
      const { bytesRead } = await file.read(buffer, 0, length);
      if (bytesRead === 0) return bytes;
      bytes += bytesRead;
      take(buffer.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}
