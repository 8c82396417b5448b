import type { RecordFiles } from '../../../ports/record-files.ts';
import { createLineReader, type LineReader } from './read-lines.ts';
import { createPatchReader, type PatchReader } from './read-patch.ts';

/** Reads evidence of any size, and remembers where things are in the files that were read last. */
export interface EvidenceTools {
  readonly files: RecordFiles;
  readonly lines: LineReader;
  readonly patches: PatchReader;
}

export function createEvidenceTools(files: RecordFiles): EvidenceTools {
  return { files, lines: createLineReader(), patches: createPatchReader() };
}
