import * as z from 'zod';
import { formatDiffSummary } from '../../planner/summaries.ts';
import type { RunDirectory } from '../../ports/run-store.ts';
import { readEvidenceJson, type StepKey } from './evidence.ts';

const NOTHING = { files: [], insertions: 0, deletions: 0 };

const storedChangesSchema = z.object({
  files: z.array(
    z.object({
      path: z.string(),
      oldPath: z.string().nullable(),
      status: z.enum(['A', 'M', 'D', 'R']),
      insertions: z.number().nullable(),
      deletions: z.number().nullable(),
    }),
  ),
});

/**
 * Describes a step's changes for the planner, from its `workspace_status`. The fingerprint is that of the current
 * checkout. A null `step` means that there is none, or that its changes were rolled back.
 */
export async function describeChanges(
  directory: RunDirectory,
  step: StepKey | null,
  fingerprint: string | null,
): Promise<string> {
  const parsed = storedChangesSchema.safeParse(
    step && (await readEvidenceJson(directory, step, 'workspace_status')),
  );
  if (!parsed.success) return formatDiffSummary({ ...NOTHING, fingerprint });
  const { files } = parsed.data;
  const sum = (counts: readonly (number | null)[]) =>
    counts.reduce<number>((total, count) => total + (count ?? 0), 0);
  return formatDiffSummary({
    files,
    insertions: sum(files.map(({ insertions }) => insertions)),
    deletions: sum(files.map(({ deletions }) => deletions)),
    fingerprint,
  });
}
