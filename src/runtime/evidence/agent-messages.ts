import * as z from 'zod';
import { ownValue } from '../../contracts/own-value.ts';
import { CLAIM_SOURCES, type ClaimSource } from '../../contracts/planner/claim-ledger.ts';
import { INTENTS, type Intent } from '../../contracts/vocabulary.ts';
import { parseClaims } from '../../planner/claims/extract-claims.ts';
import type { AgentStatements } from '../../planner/claims/standing-claims.ts';
import { lastEnded, type StepView } from '../record/run-view.ts';
import type { RunContext } from '../run-context.ts';
import { readEvidenceJson } from './evidence.ts';
import { asksForApproval } from './findings.ts';
import { intentOf } from './step-intent.ts';

const metadataSchema = z.object({
  intent: z.enum(INTENTS),
  final: z.string(),
  claims: z.array(z.string()),
  /** Earlier versions did not record it. */
  claims_source: z.enum(CLAIM_SOURCES).default('phrase'),
  blockers: z.array(z.object({ code: z.string(), summary: z.string() })),
});

export interface RecordedStatements extends AgentStatements {
  readonly source: ClaimSource;
}

const NO_WORDS: RecordedStatements = {
  intent: 'none',
  claims: [],
  blockers: [],
  final: '',
  source: 'phrase',
};

/** Reads an agent step's statements (intent, claims, blockers) from its evidence. */
export async function readStatements(
  { directory }: RunContext,
  step: StepView | null,
): Promise<RecordedStatements> {
  const parsed = metadataSchema.safeParse(
    step && (await readEvidenceJson(directory, step, 'runner_metadata')),
  );
  if (!parsed.success) return NO_WORDS;
  const { intent, claims, blockers, final, claims_source: source } = parsed.data;
  return {
    intent,
    claims: parseClaims(claims),
    // Problems that a reviewer finds in someone else's work don't block the reviewer's own step.
    blockers: (intent === 'review' ? [] : blockers)
      .filter((blocker) => !asksForApproval(blocker))
      .map((blocker) => ({ type: blocker.code, text: blocker.summary })),
    final,
    source,
  };
}

export interface EarlierAgent {
  readonly step: StepView;
  readonly after: readonly Intent[];
}

/**
 * The agent step whose work the last agent reviewed or tested: the latest implementation step before it, unless an
 * evaluation or rollback came since. Without this, its claims would never be checked against evidence.
 */
export function findReviewedAgent(context: RunContext, done: readonly StepView[]): EarlierAgent | null {
  const last = lastEnded(done, 'RUN_AGENT');
  const after: Intent[] = [];
  for (const step of done.toReversed()) {
    if (step.opcode === 'EVALUATE' || step.opcode === 'ROLLBACK') return null;
    const planned = ownValue(context.plan.stepsById, step.stepId);
    if (planned?.opcode !== 'RUN_AGENT') continue;
    const intent = intentOf(context, planned);
    if (intent === 'implementation') return step === last ? null : { step, after };
    if (intent === 'none') return null;
    after.push(intent);
  }
  return null;
}
