import * as z from 'zod';
import type { RunDirectory } from '../ports/run-store.ts';
import { readEvidenceJson } from './evidence.ts';
import type { StepView } from './run-view.ts';

/** As policy events are written; it is a note and no violation. */
const CLASS = 'protected_path_changed';

/** As policy events and blockers of agents are written: a person is asked before the run goes on. */
const APPROVAL = 'requires_approval';

const summarySchema = z.object({ notes: z.array(z.string()) });
const requestsSchema = z.object({
  intent: z.string(),
  blockers: z.array(z.object({ code: z.string(), summary: z.string() })),
});

/** A note of the policy summary that is more than a remark: somebody changed what judges the work. */
export function protectedPathFinding(path: string): string {
  return `${CLASS}: ${path}`;
}

/** A blocker that is no obstacle of the work but a question for a person. */
export function asksForApproval({ code }: { readonly code: string }): boolean {
  return code === APPROVAL;
}

/** What validations found out about the judges and agents want approved, each once, in the order of the steps. */
export async function findingsOf(directory: RunDirectory, steps: readonly StepView[]): Promise<string[]> {
  const found = new Set<string>();
  for (const step of steps) for (const finding of await findingsOfStep(directory, step)) found.add(finding);
  return [...found];
}

async function findingsOfStep(directory: RunDirectory, step: StepView): Promise<string[]> {
  if (step.termination === null) return [];
  if (step.opcode === 'RUN_AGENT') return approvalsAsked(directory, step);
  if (step.opcode !== 'RUN_VALIDATION') return [];
  const parsed = summarySchema.safeParse(await readEvidenceJson(directory, step, 'policy_summary'));
  return parsed.success ? parsed.data.notes.filter((note) => note.startsWith(`${CLASS}: `)) : [];
}

/** The blockers of a review are findings about the work of others, whatever they are called. */
async function approvalsAsked(directory: RunDirectory, step: StepView): Promise<string[]> {
  const parsed = requestsSchema.safeParse(await readEvidenceJson(directory, step, 'runner_metadata'));
  if (!parsed.success || parsed.data.intent === 'review') return [];
  return parsed.data.blockers.filter(asksForApproval).map(({ summary }) => `${APPROVAL}: ${summary}`);
}
