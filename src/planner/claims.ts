import type { ClaimSource } from '../contracts/claim-ledger.ts';
import { type Claim, formatClaim, parseClaim } from './claim.ts';
import { claimsInProse } from './prose/claims-in-prose.ts';
import { readTail } from './tail.ts';

export interface ReadClaims {
  readonly claims: readonly Claim[];
  readonly source: ClaimSource;
}

/** What is known of the workspace when an agent's final message is read. */
export interface ClaimedWorkspace {
  readonly root: string | null;
  /** Files that the agent changed, from the root of the workspace. */
  readonly changed: readonly string[];
}

const UNKNOWN_WORKSPACE: ClaimedWorkspace = { root: null, changed: [] };

/** No agent sums its work up in more; what it printed before is not searched. */
const LONGEST_MESSAGE = 50_000;

/**
 * A list of claims that the agent gave on purpose counts, even when it is empty, and always wins over prose. Without one,
 * the final message is searched for plain statements. A claim that was never made would accuse an honest agent, so doubt
 * means no claim.
 */
export function claimsFrom(
  resultClaims: readonly string[] | null,
  finalResponse: string,
  { root, changed }: ClaimedWorkspace = UNKNOWN_WORKSPACE,
): ReadClaims {
  const words = withinWorkspace(finalResponse, root);
  const tail = readTail(words)?.claims ?? null;
  if (resultClaims !== null) {
    const listed = resultClaims.map((text) => withinWorkspace(text, root));
    // Agents without a result file hand on their tail as one.
    const isTail = tail !== null && JSON.stringify(tail) === JSON.stringify(listed);
    return { claims: claimsIn(listed), source: isTail ? 'tail' : 'result_file' };
  }
  if (tail !== null) return { claims: claimsIn(tail), source: 'tail' };
  const claims = claimsInProse(words.slice(-LONGEST_MESSAGE)).map((claim) => withWholePath(claim, changed));
  return { claims: unique(claims), source: 'phrase' };
}

/** Prose often names a file by the end of its path: `parser.ts` for `src/parser.ts`. */
function withWholePath(claim: Claim, changed: readonly string[]): Claim {
  if (claim.kind !== 'created' || changed.includes(claim.path)) return claim;
  const path = changed.find((candidate) => candidate.endsWith(`/${claim.path}`));
  return path === undefined ? claim : { kind: 'created', path };
}

/** Many agents name files from the root of the machine; a diff names them from the root of the workspace. */
function withinWorkspace(text: string, root: string | null): string {
  return root === null ? text : text.replaceAll(`${root}/`, '');
}

export function claimsIn(texts: readonly string[]): Claim[] {
  return unique(texts.map(parseClaim).filter((claim) => claim !== null));
}

function unique(claims: readonly Claim[]): Claim[] {
  return [...new Map(claims.map((claim) => [formatClaim(claim), claim])).values()];
}
