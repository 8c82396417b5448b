import type { OpenFile } from '../../../ports/record-files.ts';
import { createPatchScanner, type PatchIndex } from './patch-index.ts';

const PIECE_BYTES = 256 * 1024;
/** All remembered patches together. The index of a changed file takes about 1 kB. */
const MAX_SECTIONS = 40_000;

/** Finds the files in patches. */
export interface PatchReader {
  readonly read: (file: OpenFile) => Promise<PatchIndex>;
}

interface Known {
  readonly bytes: number;
  readonly reading: Promise<PatchIndex>;
  sections: number;
}

/** Patches of a record are written once and never change. */
export function createPatchReader(): PatchReader {
  const known = new Map<string, Known>();
  const forgetOldest = () => {
    let total = 0;
    for (const { sections } of known.values()) total += sections;
    for (const [identity, { sections }] of known) {
      if (total <= MAX_SECTIONS || known.size === 1) return;
      known.delete(identity);
      total -= sections;
    }
  };
  return {
    read: async (file) => {
      const found = known.get(file.identity);
      const entry =
        found?.bytes === file.bytes ? found : { bytes: file.bytes, reading: scan(file), sections: 0 };
      known.delete(file.identity);
      known.set(file.identity, entry);
      try {
        const index = await entry.reading;
        entry.sections = index.sections.length;
        forgetOldest();
        return index;
      } catch (error) {
        known.delete(file.identity);
        throw error;
      }
    },
  };
}

async function scan(file: OpenFile): Promise<PatchIndex> {
  const scanner = createPatchScanner();
  const buffer = new Uint8Array(PIECE_BYTES);
  let position = 0;
  while (position < file.bytes) {
    const bytes = await file.read(buffer, position);
    if (bytes === 0) break;
    scanner.add(buffer.subarray(0, bytes));
    position += bytes;
  }
  return scanner.end();
}
