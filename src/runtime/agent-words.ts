import * as z from 'zod';
import { CLAIM_SOURCES, type ClaimSource } from '../contracts/claim-ledger.ts';
import { ownValue } from '../contracts/own-value.ts';
import { INTENTS, type Intent } from '../contracts/vocabulary.ts';
import { claimsIn } from '../planner/claims.ts';
import type { AgentWords } from '../planner/standing-words.ts';
import { readEvidenceJson } from './evidence.ts';
import { asksForApproval } from './findings.ts';
import type { RunContext } from './run-context.ts';
import { lastEnded, type StepView } from './run-view.ts';
import { intentOf } from './step-intent.ts';

const metadataSchema = z.object({
  intent: z.enum(INTENTS),
  final: z.string(),
  claims: z.array(z.string()),
  /** Earlier versions did not say. */
  claims_source: z.enum(CLAIM_SOURCES).default('phrase'),
  blockers: z.array(z.object({ code: z.string(), summary: z.string() })),
});

export interface SpokenWords extends AgentWords {
  readonly source: ClaimSource;
}

const SILENCE: SpokenWords = { intent: 'none', claims: [], blockers: [], final: '', source: 'phrase' };

/** What an agent step said, from its evidence. */
export async function wordsOf({ directory }: RunContext, step: StepView | null): Promise<SpokenWords> {
  const parsed = metadataSchema.safeParse(
    step && (await readEvidenceJson(directory, step, 'runner_metadata')),
  );
  if (!parsed.success) return SILENCE;
  const { intent, claims, blockers, final, claims_source: source } = parsed.data;
  return {
    intent,
    claims: claimsIn(claims),
    // What a reviewer finds in the work of others does not keep the reviewer from finishing.
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
 * The agent whose work the last one looked at or tried: the latest before it that was to do the work, if nobody has
 * judged it since. What it said would otherwise never be held against anything.
 */
export function earlierAgent(context: RunContext, done: readonly StepView[]): EarlierAgent | null {
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
