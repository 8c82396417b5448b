import * as z from 'zod';
import { parseJson } from '../../text/json.ts';
import type { RunContext } from '../run-context.ts';

export const GOLDEN_ACCEPTANCE_ROLE = 'golden_acceptance';

const acceptanceSchema = z.object({
  tree_after: z.string().nullable(),
  proposals: z.array(z.object({ golden_path: z.string().nullable(), accepted: z.boolean() })),
});

/**
 * Paths of goldens that a user approved in this run and that are unchanged in `tree` since. They count for verdicts,
 * but an agent did not change them.
 */
export async function acceptedGoldens(context: RunContext, tree: string): Promise<ReadonlySet<string>> {
  const { deps, directory, workspace } = context;
  const accepted = new Set<string>();
  for (const { event_type, payload } of context.events()) {
    if (event_type !== 'artifact_recorded' || payload.role !== GOLDEN_ACCEPTANCE_ROLE) continue;
    const text = await directory.read(payload.path);
    const { data } = acceptanceSchema.safeParse(text === null ? null : parseJson(text));
    if (data === undefined || data.tree_after === null) continue;
    const { files } = await deps.workspace.diff(workspace, data.tree_after, tree);
    const changed = new Set(files.flatMap(({ path, oldPath }) => [path, oldPath ?? path]));
    for (const { golden_path: path, accepted: isAccepted } of data.proposals)
      if (isAccepted && path !== null && !changed.has(path)) accepted.add(path);
  }
  return accepted;
}
