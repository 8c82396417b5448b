import type { Claim } from '../claim.ts';
import { mentionsRun, saysCheckFails, saysChecksPass } from './checks.ts';
import { asksForGoAhead, isDoubted, isElsewhen, looksInto, reviewsOthers, takesWorkBack } from './doubt.ts';
import { isQuestion, type Statement, statementsOf } from './statements.ts';
import { workIn } from './work.ts';

/**
 * Finds claims in prose. A false positive accuses an honest agent, and a false negative lets a false claim pass. So
 * only plain statements of what the agent itself did count, and the text around a statement can retract it.
 */
export function claimsInProse(text: string): Claim[] {
  const statements = statementsOf(text.slice(-LONGEST_REPORT));
  const checks = checksIn(statements);
  return [...workClaims(statements, checks.length > 0), ...checks];
}

/** Agents put their report at the end of the message. */
const LONGEST_REPORT = 65_536;

function checksIn(statements: readonly Statement[]): Claim[] {
  if (statements.some(saysCheckFails)) return [];
  let ranBefore = false;
  for (const statement of statements) {
    if (saysChecksPass(statement, ranBefore)) return [{ kind: 'tests_pass' }];
    ranBefore ||= mentionsRun(statement);
  }
  return [];
}

function workClaims(statements: readonly Statement[], saysTestsPass: boolean): Claim[] {
  const isSomewhere = (says: (sentence: string) => boolean) => statements.some(({ text }) => says(text));
  const message = { isReview: isSomewhere(reviewsOthers), isProposal: isSomewhere(asksForGoAhead) };
  const work = statements.flatMap((statement) => workIn(statement, message));
  const isUndone = statements.some(({ text, section }) => section !== 'untold' && takesWorkBack(text));
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
    if (section === 'untold' || form === 'title' || form === 'row' || mentionsRun(statement)) return false;
    return DESCRIPTION.test(text) && !isDoubted(text) && !isElsewhen(text);
  });
}
