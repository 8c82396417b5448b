import type { Intent } from '../contracts/vocabulary.ts';
import type { Claim } from './claim.ts';
import { plainPath } from './facts.ts';
import type { AgentBlocker, DiffSummary, TranscriptSummary } from './summaries.ts';

export interface AgentWords {
  readonly intent: Intent;
  readonly claims: readonly Claim[];
  readonly blockers: readonly AgentBlocker[];
  readonly final: string;
}

/** What an agent that worked said, with what it changed, before others looked at its work. */
export interface EarlierWords {
  readonly words: AgentWords;
  readonly change: DiffSummary;
  /** What those were asked who came after it. */
  readonly after: readonly Intent[];
}

/**
 * The words that an evaluation judges: those of the last agent, and what still stands of the one whose work it looked
 * at. The change beside them is that of the last agent, so a claim that the earlier change bears out is left out.
 */
export function wordsToJudge(last: AgentWords, earlier: EarlierWords | null): TranscriptSummary {
  if (earlier === null) return last;
  const { words, change } = earlier;
  const standing = words.claims.filter((claim) => stands(claim, earlier));
  const phantom = !change.changed && standing.some(isOfWork);
  return {
    intent: phantom ? words.intent : last.intent,
    // Of a phantom only its own work is in question, and what a reviewer calls done is not the reviewer's.
    claims: [...standing, ...last.claims.filter((claim) => !phantom || !isOfWork(claim))],
    blockers: [...words.blockers, ...last.blockers],
    final: last.final,
  };
}

function stands(claim: Claim, { change, after }: EarlierWords): boolean {
  switch (claim.kind) {
    case 'implemented':
    case 'fixed':
      return !change.changed;
    case 'created':
      return !change.paths.some((path) => plainPath(path) === plainPath(claim.path));
    case 'tests_pass':
      // Tests that were written afterwards were not there to be meant.
      return !after.includes('harness');
  }
}

function isOfWork({ kind }: Claim): boolean {
  return kind === 'implemented' || kind === 'fixed';
}
