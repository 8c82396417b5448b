import * as z from 'zod';
import type { RunDirectory } from '../../ports/run-store.ts';
import type { StepView } from '../record/run-view.ts';
import { readEvidenceJson } from './evidence.ts';

/** Written like a policy event, but it is a note and not a violation. */
const CLASS = 'protected_path_changed';

/** The code, in policy events and blockers of agents, for changes that need a user's approval. */
const APPROVAL = 'requires_approval';

const summarySchema = z.object({ notes: z.array(z.string()) });
const requestsSchema = z.object({
  intent: z.string(),
  blockers: z.array(z.object({ code: z.string(), summary: z.string() })),
});

/** A note in the policy summary that counts as a finding: the change edits tests or checks. */
export function protectedPathFinding(path: string): string {
  return `${CLASS}: ${path}`;
}

/** Whether a blocker only asks for approval and does not prevent the work. */
export function asksForApproval({ code }: { readonly code: string }): boolean {
  return code === APPROVAL;
}

/** The findings of validations and the approval requests of agents, without duplicates, in the order of the steps. */
export async function collectFindings(
  directory: RunDirectory,
  steps: readonly StepView[],
): Promise<string[]> {
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

/** Ignores reviews: their blockers are findings about another agent's work, whatever their code. */
async function approvalsAsked(directory: RunDirectory, step: StepView): Promise<string[]> {
  const parsed = requestsSchema.safeParse(await readEvidenceJson(directory, step, 'runner_metadata'));
  if (!parsed.success || parsed.data.intent === 'review') return [];
  return parsed.data.blockers.filter(asksForApproval).map(({ summary }) => `${APPROVAL}: ${summary}`);
}
