import type { ClaimSource } from '../contracts/claim-ledger.ts';
import { type Claim, formatClaim, parseClaim } from './claim.ts';
import { claimsInProse } from './phrases.ts';
import { readTail } from './tail.ts';

export interface ReadClaims {
  readonly claims: readonly Claim[];
  readonly source: ClaimSource;
}

/**
 * A list the agent gave on purpose is its word, even when empty. Without one its last word is searched for
 * plain statements. A claim that was never made would accuse an honest agent, so doubt means no claim.
 */
export function claimsFrom(
  resultClaims: readonly string[] | null,
  finalResponse: string,
  worktree: string | null = null,
): ReadClaims {
  const words = withinWorktree(finalResponse, worktree);
  const tail = readTail(words)?.claims ?? null;
  if (resultClaims !== null) {
    const listed = resultClaims.map((text) => withinWorktree(text, worktree));
    // Agents without a result file hand on their tail as one.
    const isTail = tail !== null && JSON.stringify(tail) === JSON.stringify(listed);
    return { claims: claimsIn(listed), source: isTail ? 'tail' : 'result_file' };
  }
  if (tail !== null) return { claims: claimsIn(tail), source: 'tail' };
  return { claims: unique(claimsInProse(words)), source: 'phrase' };
}

/** Many agents name files from the root of the machine, and a diff names them from the root of the worktree. */
function withinWorktree(text: string, worktree: string | null): string {
  return worktree === null ? text : text.replaceAll(`${worktree}/`, '');
}

export function claimsIn(texts: readonly string[]): Claim[] {
  return unique(texts.map(parseClaim).filter((claim) => claim !== null));
}

function unique(claims: readonly Claim[]): Claim[] {
  return [...new Map(claims.map((claim) => [formatClaim(claim), claim])).values()];
}
