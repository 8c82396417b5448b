import * as z from 'zod';
import { CLAIM_SOURCES, type LedgerEntry, ledgerSchema } from '../contracts/claim-ledger.ts';
import type { PlannerInput } from '../contracts/planner-input.ts';
import { ledgerOf } from '../planner/ledger.ts';
import type { RunDirectory } from '../ports/run-store.ts';
import { readEvidenceJson, type StepKey } from './evidence.ts';
import type { RunContext } from './run-context.ts';
import { lastEnded } from './run-view.ts';

const sourceSchema = z.object({ claims_source: z.enum(CLAIM_SOURCES) });

/** The claims that an evaluation judges, each with what the evidence says of it. */
export async function claimLedger(
  { directory, view }: RunContext,
  envelope: PlannerInput,
): Promise<z.infer<typeof ledgerSchema>> {
  const agent = lastEnded(view().steps, 'RUN_AGENT');
  const metadata = sourceSchema.safeParse(
    agent && (await readEvidenceJson(directory, agent, 'runner_metadata')),
  );
  const source = metadata.success ? metadata.data.claims_source : 'phrase';
  return { step_id: agent?.stepId ?? null, claims: ledgerOf(envelope, source) };
}

/** The ledger of an evaluation; empty where there is none. */
export async function readLedger(directory: RunDirectory, step: StepKey): Promise<readonly LedgerEntry[]> {
  const parsed = ledgerSchema.safeParse(await readEvidenceJson(directory, step, 'claim_ledger'));
  return parsed.success ? parsed.data.claims : [];
}
