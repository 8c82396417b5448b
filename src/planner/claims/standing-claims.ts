import type { Intent } from '../../contracts/vocabulary.ts';
import type { AgentBlocker, DiffSummary, TranscriptSummary } from '../summaries.ts';
import { normalizePath } from '../table/facts.ts';
import type { Claim } from './claim.ts';

export interface AgentStatements {
  readonly intent: Intent;
  readonly claims: readonly Claim[];
  readonly blockers: readonly AgentBlocker[];
  readonly final: string;
}

/** What an earlier agent said and changed, before other agents looked at its work. */
export interface EarlierStatements {
  readonly words: AgentStatements;
  readonly change: DiffSummary;
  /** The intents of the agents that ran after it. */
  readonly after: readonly Intent[];
}

/**
 * Composes the statements that an evaluation checks: those of the last agent, plus the earlier agent's claims that
 * are still unconfirmed. The diff in the envelope is the last agent's, so a claim that the earlier diff confirms is
 * omitted.
 */
export function statementsToEvaluate(
  last: AgentStatements,
  earlier: EarlierStatements | null,
): TranscriptSummary {
  if (earlier === null) return last;
  const { words, change } = earlier;
  const unconfirmed = words.claims.filter((claim) => isUnconfirmed(claim, earlier));
  const isPhantom = !change.changed && unconfirmed.some(isWorkClaim);
  return {
    intent: isPhantom ? words.intent : last.intent,
    // If the earlier work doesn't exist, only the earlier agent's work claims are in question: a reviewer that
    // calls the work done isn't claiming it as its own.
    claims: [...unconfirmed, ...last.claims.filter((claim) => !isPhantom || !isWorkClaim(claim))],
    blockers: [...words.blockers, ...last.blockers],
    final: last.final,
  };
}

function isUnconfirmed(claim: Claim, { change, after }: EarlierStatements): boolean {
  switch (claim.kind) {
    case 'implemented':
    case 'fixed':
      return !change.changed;
    case 'created':
      return !change.paths.some((path) => normalizePath(path) === normalizePath(claim.path));
    case 'tests_pass':
      // The agent can't have meant tests that were written after it ran.
      return !after.includes('harness');
  }
}

function isWorkClaim({ kind }: Claim): boolean {
  return kind === 'implemented' || kind === 'fixed';
}
