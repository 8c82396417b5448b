import type { ClaimSource } from '../../contracts/planner/claim-ledger.ts';
import { readTail } from '../tail.ts';
import { type Claim, formatClaim, parseClaim } from './claim.ts';
import { mentionsRun, saysCheckFails, saysChecksPass } from './prose/checks.ts';
import {
  asksForGoAhead,
  isDoubted,
  isFromElsewhere,
  looksInto,
  reviewsOthers,
  takesWorkBack,
} from './prose/doubt.ts';
import { isQuestion, type Statement, splitStatements } from './prose/statements.ts';
import { findWork } from './prose/work.ts';

/**
 * Finds claims in prose. A false positive accuses an honest agent, and a false negative lets a false claim pass. So
 * only plain statements of what the agent itself did count, and the text around a statement can retract it.
 */
function findClaimsInProse(text: string): Claim[] {
  const statements = splitStatements(text.slice(-LONGEST_REPORT));
  const checks = findCheckClaims(statements);
  return [...findWorkClaims(statements, checks.length > 0), ...checks];
}

/** Agents put their report at the end of the message. */
const LONGEST_REPORT = 65_536;

function findCheckClaims(statements: readonly Statement[]): Claim[] {
  if (statements.some(saysCheckFails)) return [];
  let ranBefore = false;
  for (const statement of statements) {
    if (saysChecksPass(statement, ranBefore)) return [{ kind: 'tests_pass' }];
    ranBefore ||= mentionsRun(statement);
  }
  return [];
}

function findWorkClaims(statements: readonly Statement[], saysTestsPass: boolean): Claim[] {
  const isSomewhere = (says: (sentence: string) => boolean) => statements.some(({ text }) => says(text));
  const message = { isReview: isSomewhere(reviewsOthers), isProposal: isSomewhere(asksForGoAhead) };
  const work = statements.flatMap((statement) => findWork(statement, message));
  const isUndone = statements.some(({ text, section }) => section !== 'planned' && takesWorkBack(text));
  if (isUndone) return work.filter(({ kind }) => kind === 'created');
  const isReport = saysTestsPass || isSomewhere((sentence) => COMPLETION.test(sentence));
  const isDescribed =
    work.length === 0 && isReport && !message.isProposal && !message.isReview && describesResult(statements);
  return isDescribed ? [{ kind: 'implemented' }] : work;
}

const COMPLETION =
  /^(?:(?:all|both|everything is|everything's|it's|that's|task|the task is|work|yep,?|yes,?|ok,?) )*(?:done|set|finished|completed?)(?=[.!:,]| [–—-]|$)/i;
const DESCRIPTION =
  /^(?:(?:the|each|every|both|its) (?!(?:\w+ )?(?:tests?|suite|results?|output)\b)|`[^`]+` )\S+ \S+/i;

/** Matches `Done. The list keeps its order.`: a report that only describes its result. */
function describesResult(statements: readonly Statement[]): boolean {
  if (statements.some((statement) => looksInto(statement.text) || isQuestion(statement))) return false;
  return statements.some((statement) => {
    const { section, form, text } = statement;
    if (section === 'planned' || form === 'title' || form === 'row' || mentionsRun(statement)) return false;
    return DESCRIPTION.test(text) && !isDoubted(text) && !isFromElsewhere(text);
  });
}

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
  const claims = findClaimsInProse(message.slice(-LONGEST_MESSAGE)).map((claim) =>
    completePath(claim, changed),
  );
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
