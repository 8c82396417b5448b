import type * as z from 'zod';
import { type LedgerEntry, ledgerSchema } from '../../contracts/planner/claim-ledger.ts';
import type { PlannerInput } from '../../contracts/planner/planner-input.ts';
import { checkClaims } from '../../planner/claims/ledger.ts';
import { formatTranscriptSummary } from '../../planner/summaries.ts';
import type { RunDirectory } from '../../ports/run-store.ts';
import { lastEnded, type StepView } from '../record/run-view.ts';
import type { RunContext } from '../run-context.ts';
import { findReviewedAgent, readStatements } from './agent-messages.ts';
import { readEvidenceJson, type StepKey } from './evidence.ts';
import { describeChanges } from './stored-changes.ts';

/** The claims that an evaluation covers, each with what the evidence says about it. */
export async function claimLedger(
  context: RunContext,
  envelope: PlannerInput,
): Promise<z.infer<typeof ledgerSchema>> {
  const done = context.view().steps.filter((step) => step.termination !== null);
  const last = lastEnded(done, 'RUN_AGENT');
  const earlier = findReviewedAgent(context, done)?.step ?? null;
  const own = await entriesOf(context, last, envelope, envelope.evidence.workspace_diff_summary);
  if (earlier === null) return { step_id: last?.stepId ?? null, claims: own };
  const change = await describeChanges(context.directory, earlier, null);
  const before = await entriesOf(context, earlier, envelope, change);
  return {
    step_id: last?.stepId ?? null,
    claims: [...before.map((entry) => ({ ...entry, step_id: earlier.stepId })), ...own],
  };
}

/** Checks each agent's claims against its own change, not against later ones. */
async function entriesOf(
  context: RunContext,
  step: StepView | null,
  envelope: PlannerInput,
  change: string,
): Promise<LedgerEntry[]> {
  const { source, ...words } = await readStatements(context, step);
  const evidence = {
    ...envelope.evidence,
    transcript_summary: formatTranscriptSummary(words),
    workspace_diff_summary: change,
  };
  return checkClaims({ ...envelope, evidence }, source);
}

/** The ledger of an evaluation; empty if there is none. */
export async function readLedger(directory: RunDirectory, step: StepKey): Promise<readonly LedgerEntry[]> {
  const parsed = ledgerSchema.safeParse(await readEvidenceJson(directory, step, 'claim_ledger'));
  return parsed.success ? parsed.data.claims : [];
}
