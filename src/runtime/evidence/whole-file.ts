import { createHash } from 'node:crypto';
import type { PatchText } from '../../policy/patch.ts';
import { oldSide } from '../../work/scope/apply-hunks.ts';

/** Shorter ids match by chance too easily. */
const SHORTEST_ID = 7;

/** The file before a patch, if a single hunk contains all of it; its blob id proves that nothing is missing. */
export function wholeFileBefore({ hunks, oldBlob }: PatchText): Uint8Array | null {
  const [hunk, second] = hunks;
  if (hunk === undefined || second !== undefined || hunk.oldStart !== 1) return null;
  const text = oldSide(hunk);
  if (text === null || oldBlob.length < SHORTEST_ID) return null;
  const bytes = new TextEncoder().encode(text);
  const isMatch = ['sha1', 'sha256'].some((algorithm) => blobId(algorithm, bytes).startsWith(oldBlob));
  return isMatch ? bytes : null;
}

function blobId(algorithm: string, bytes: Uint8Array): string {
  return createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}
