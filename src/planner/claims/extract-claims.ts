import type { ClaimSource } from '../../contracts/planner/claim-ledger.ts';
import { readTail } from '../tail.ts';
import { type Claim, formatClaim, parseClaim } from './claim.ts';
import { claimsInProse } from './prose/claims-in-prose.ts';

export interface ReadClaims {
  readonly claims: readonly Claim[];
  readonly source: ClaimSource;
}

/** What is known about the workspace when an agent's final message is read. */
export interface ClaimedWorkspace {
  readonly root: string | null;
  /** Files that the agent changed, relative to the workspace root. */
  readonly changed: readonly string[];
}

const UNKNOWN_WORKSPACE: ClaimedWorkspace = { root: null, changed: [] };

/** Only the last characters of a final message are searched: no agent's summary is longer than this. */
const LONGEST_MESSAGE = 50_000;

/**
 * A list of claims that the agent gave explicitly always wins over prose, even when it is empty. Without a list,
 * the final message is searched for plain statements. A false positive would accuse an honest agent, so a doubtful
 * statement is not a claim.
 */
export function claimsFrom(
  resultClaims: readonly string[] | null,
  finalResponse: string,
  { root, changed }: ClaimedWorkspace = UNKNOWN_WORKSPACE,
): ReadClaims {
  const message = stripRoot(finalResponse, root);
  const tail = readTail(message)?.claims ?? null;
  if (resultClaims !== null) {
    const listed = resultClaims.map((text) => stripRoot(text, root));
    // Agents without a result file pass their tail as the result.
    const isTail = tail !== null && JSON.stringify(tail) === JSON.stringify(listed);
    return { claims: claimsIn(listed), source: isTail ? 'tail' : 'result_file' };
  }
  if (tail !== null) return { claims: claimsIn(tail), source: 'tail' };
  const claims = claimsInProse(message.slice(-LONGEST_MESSAGE)).map((claim) => completePath(claim, changed));
  return { claims: unique(claims), source: 'phrase' };
}

/** Completes a path suffix: prose often says `parser.ts` for `src/parser.ts`. */
function completePath(claim: Claim, changed: readonly string[]): Claim {
  if (claim.kind !== 'created' || changed.includes(claim.path)) return claim;
  const path = changed.find((candidate) => candidate.endsWith(`/${claim.path}`));
  return path === undefined ? claim : { kind: 'created', path };
}

/** Agents often give absolute paths, but a diff lists paths relative to the workspace root. */
function stripRoot(text: string, root: string | null): string {
  return root === null ? text : text.replaceAll(`${root}/`, '');
}

export function claimsIn(texts: readonly string[]): Claim[] {
  return unique(texts.map(parseClaim).filter((claim) => claim !== null));
}

function unique(claims: readonly Claim[]): Claim[] {
  return [...new Map(claims.map((claim) => [formatClaim(claim), claim])).values()];
}
