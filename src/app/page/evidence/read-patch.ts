import type { OpenFile } from '../../../ports/record-files.ts';
import { createPatchScanner, type PatchIndex } from './patch-index.ts';

const CHUNK_BYTES = 256 * 1024;
/** All remembered patches together. The index of a changed file takes about 1 kB. */
const MAX_SECTIONS = 40_000;

/** Finds the files in patches. */
export interface PatchReader {
  readonly read: (file: OpenFile) => Promise<PatchIndex>;
}

interface CachedIndex {
  readonly bytes: number;
  readonly reading: Promise<PatchIndex>;
  sections: number;
}

/** Patches of a record are written once and never change. */
export function createPatchReader(): PatchReader {
  const cached = new Map<string, CachedIndex>();
  const forgetOldest = () => {
    let total = 0;
    for (const { sections } of cached.values()) total += sections;
    for (const [identity, { sections }] of cached) {
      if (total <= MAX_SECTIONS || cached.size === 1) return;
      cached.delete(identity);
      total -= sections;
    }
  };
  return {
    read: async (file) => {
      const found = cached.get(file.identity);
      const entry =
        found?.bytes === file.bytes ? found : { bytes: file.bytes, reading: scan(file), sections: 0 };
      cached.delete(file.identity);
      cached.set(file.identity, entry);
      try {
        const index = await entry.reading;
        entry.sections = index.sections.length;
        forgetOldest();
        return index;
      } catch (error) {
        cached.delete(file.identity);
        throw error;
      }
    },
  };
}

async function scan(file: OpenFile): Promise<PatchIndex> {
  const scanner = createPatchScanner();
  const buffer = new Uint8Array(CHUNK_BYTES);
  let position = 0;
  while (position < file.bytes) {
    const bytes = await file.read(buffer, position);
    if (bytes === 0) break;
    scanner.add(buffer.subarray(0, bytes));
    position += bytes;
  }
  return scanner.end();
}
