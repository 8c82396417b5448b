import type { ClaimSource } from '../contracts/claim-ledger.ts';
import { readTail } from './tail.ts';

/** What an agent says it did, as typed assertions that can be held against the workspace. */
export type Claim =
  | { readonly kind: 'implemented' }
  | { readonly kind: 'fixed' }
  | { readonly kind: 'tests_pass' }
  | { readonly kind: 'created'; readonly path: string };

/** Reads one claim in its written form; anything else is not a claim. */
export function parseClaim(text: string): Claim | null {
  const value = text.trim();
  if (value === 'implemented' || value === 'fixed' || value === 'tests_pass') return { kind: value };
  const created = /^created\s+(\S.*)$/.exec(value)?.[1];
  return created === undefined ? null : { kind: 'created', path: created };
}

export function formatClaim(claim: Claim): string {
  return claim.kind === 'created' ? `created ${claim.path}` : claim.kind;
}

export interface ReadClaims {
  readonly claims: readonly Claim[];
  readonly source: ClaimSource;
}

/**
 * A list the agent gave on purpose is its word, even when empty. Without one its last word is searched for
 * plain statements. A claim that was never made would accuse an honest agent, so doubt means no claim.
 */
export function claimsFrom(resultClaims: readonly string[] | null, finalResponse: string): ReadClaims {
  if (resultClaims !== null) return { claims: claimsIn(resultClaims), source: 'result_file' };
  const tail = readTail(finalResponse);
  if (tail?.claims !== undefined) return { claims: claimsIn(tail.claims), source: 'tail' };
  return { claims: unique(sentencesOf(finalResponse).flatMap(claimsInSentence)), source: 'phrase' };
}

export function claimsIn(texts: readonly string[]): Claim[] {
  return unique(texts.map(parseClaim).filter((claim) => claim !== null));
}

function unique(claims: readonly Claim[]): Claim[] {
  return [...new Map(claims.map((claim) => [formatClaim(claim), claim])).values()];
}

/** Code and quotations are somebody else's words. A `but` starts a statement of its own. */
function sentencesOf(text: string): string[] {
  return text
    .replace(/```[\s\S]*?(?:```|$)/g, '\n')
    .replaceAll('’', "'")
    .split(/\r\n|\r|\n|(?<=[.!?;])\s+|,?\s+\b(?:but|however)\b/i)
    .map((line) => line.replace(/^\s*(?:[-*+•✓✔✅]|\d+[.)])\s+/u, '').trim())
    .filter((line) => line !== '' && !line.startsWith('>'));
}

const NEGATED =
  /\b(?:not|no|none|never|nothing|neither|nor|cannot|unable|without|yet|hardly|barely|fail\w*|broken|remain\w*|except|unless|until|almost|nearly|partly|partially|attempt\w*|tr(?:y|ied|ying)|already|previously)\b|n't\b/i;
const PLANNED =
  /\b(?:will|would|should|shall|could|can|may|might|must|going to|plan\w*|todo|to-do|next|needs?|want\w*|intend\w*|let me|let's|if|when|once|before|after|ensure|make sure|verify that|so that|please|assum\w*|expect\w*|hope\w*|supposed)\b|\w'll\b/i;

/** What was failing is what got fixed. */
const FIXED_FAILURE = /\b(fixed (?:(?:the|a|all|both|two|three|\d+) )+)failing\b/gi;

function claimsInSentence(text: string): Claim[] {
  const sentence = text.replace(FIXED_FAILURE, '$1');
  if (sentence.includes('?') || NEGATED.test(sentence) || PLANNED.test(sentence)) return [];
  return sentence.split(/[,:]\s+|\s[-–—]+\s/).flatMap(claimsInClause);
}

/** What follows an `and` shares the subject of the part before it, so it counts only if that did. */
function claimsInClause(clause: string): Claim[] {
  const claims: Claim[] = [];
  let told = true;
  for (const part of clause.split(/\s+and\s+/i)) {
    const words = part.trim().replace(/[.!;]+$/, '');
    const claim: Claim | null = told ? claimOf(words) : null;
    told = claim !== null;
    if (claim !== null) claims.push(claim);
    if (TESTS_PASS.test(words)) claims.push({ kind: 'tests_pass' });
  }
  return claims;
}

const SAID = "^(?:(?:i|we)(?:'ve| have)? )?(?:(?:now|also|just|successfully|fully|have|has) )*";
const IMPLEMENTED = new RegExp(
  `${SAID}implemented\\b(?! (?:by|in terms)\\b)|\\b(?:has|have) (?:now )?been (?:\\w+ly )?implemented\\b|\\b(?:is|are) now (?:\\w+ly )?implemented\\b|^(?:the )?implementation is (?:now )?(?:complete|done|finished)\\b`,
  'i',
);
const FIXED = new RegExp(
  `${SAID}fixed\\b(?!-| (?:by|width|size|length|point|position)\\b)|\\b(?:has|have) (?:now )?been fixed\\b|\\b(?:is|are) now fixed\\b|\\b(?:bug|issue|problem|error|it) is fixed$`,
  'i',
);
const TESTS_PASS =
  /^(?:(?:all|the|of|unit|integration|existing|new|now|\d+) )*(?:tests|checks|test suite) (?:(?:all|now|are|is) )*(?:pass|passes|passed|passing|green)\b/i;
const CREATED = new RegExp(
  `${SAID}created (?:(?:a|an|the|new|file|test) )*(?:\`([^\`\\s]+)\`|((?:[\\w@.-]+/)*[\\w@.-]*\\.\\w+))(?=\\s|$)`,
  'i',
);

function claimOf(words: string): Claim | null {
  const created = CREATED.exec(words);
  const path = created?.[1] ?? created?.[2];
  if (path !== undefined) return { kind: 'created', path };
  if (IMPLEMENTED.test(words)) return { kind: 'implemented' };
  if (FIXED.test(words)) return { kind: 'fixed' };
  return null;
}
