import * as z from 'zod';
import type { RunDirectory } from '../ports/run-store.ts';
import { readEvidenceJson } from './evidence.ts';
import type { StepView } from './run-view.ts';

/** As policy events are written; it is a note and no violation. */
const CLASS = 'protected_path_changed';

const summarySchema = z.object({ notes: z.array(z.string()) });

/** A note of the policy summary that is more than a remark: somebody changed what judges the work. */
export function protectedPathFinding(path: string): string {
  return `${CLASS}: ${path}`;
}

/** What validations found out about the judges, each once, in the order in which it was found. */
export async function findingsOf(directory: RunDirectory, steps: readonly StepView[]): Promise<string[]> {
  const found = new Set<string>();
  for (const step of steps) {
    if (step.opcode !== 'RUN_VALIDATION' || step.termination === null) continue;
    const parsed = summarySchema.safeParse(await readEvidenceJson(directory, step, 'policy_summary'));
    if (!parsed.success) continue;
    for (const note of parsed.data.notes) if (note.startsWith(`${CLASS}: `)) found.add(note);
  }
  return [...found];
}
