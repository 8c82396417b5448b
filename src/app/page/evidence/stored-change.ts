import { storedChangeSchema } from '../../../contracts/http/stored-evidence.ts';
import type { RunDirectory } from '../../../ports/run-store.ts';
import { readEvidenceJson, type StepKey } from '../../../runtime/evidence/evidence.ts';

export interface StoredChange {
  readonly paths: readonly string[];
  readonly files: number;
  readonly insertions: number;
  readonly deletions: number;
}

/** What a step changed, as its evidence has it; null if it has none. */
export async function readStoredChange(directory: RunDirectory, step: StepKey): Promise<StoredChange | null> {
  const { data } = storedChangeSchema.safeParse(await readEvidenceJson(directory, step, 'workspace_status'));
  if (data === undefined) return null;
  const total = (key: 'insertions' | 'deletions') =>
    data.files.reduce((sum, file) => sum + (file[key] ?? 0), 0);
  return {
    paths: data.files.map(({ path }) => path),
    files: data.files.length,
    insertions: total('insertions'),
    deletions: total('deletions'),
  };
}
