import { parsePatch } from '../../policy/patches/patch.ts';
import type { RunDirectory } from '../../ports/run-store.ts';
import type { StepKey } from '../evidence/evidence.ts';
import { readGateRequest } from '../gates/gate-request.ts';

/** The size of a change. */
interface ChangeCount {
  readonly files: number;
  readonly insertions: number;
  readonly deletions: number;
}

/** A larger patch isn't counted: the size of the change is unknown then. */
const MAX_PATCH_BYTES = 16 * 1024 * 1024;

/** The change that a gate shows; null if it is not recorded. */
export async function countGateChange(directory: RunDirectory, gate: StepKey): Promise<ChangeCount | null> {
  const diff = (await readGateRequest(directory, gate))?.diff;
  return diff == null
    ? null
    : { files: diff.file_count, insertions: diff.insertions, deletions: diff.deletions };
}

/** The whole change of an ended run; null if it is not recorded or can't be counted. */
export async function countWholeChange(directory: RunDirectory): Promise<ChangeCount | null> {
  const text = await directory.read('diff.patch', { firstBytes: MAX_PATCH_BYTES });
  if (text === null || Buffer.byteLength(text) >= MAX_PATCH_BYTES) return null;
  const patch = parsePatch(text);
  if (!patch.ok) return null;
  const total = (key: 'insertions' | 'deletions') =>
    patch.changes.reduce((sum, change) => sum + (change[key] ?? 0), 0);
  return { files: patch.changes.length, insertions: total('insertions'), deletions: total('deletions') };
}
