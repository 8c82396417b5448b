import type { Claim } from '../claim.ts';
import { mentionsRun, saysCheckFails, saysChecksPass } from './checks.ts';
import { asksForGoAhead, looksInto, reviewsOthers, takesWorkBack } from './doubt.ts';
import { isQuestion, type Statement, statementsOf } from './statements.ts';
import { workIn } from './work.ts';

/**
 * Claims in prose. A claim that was never made accuses an honest agent, and a missed one lets a phantom pass; so only
 * plain statements of what the agent itself did are read, and what leads up to one or follows it may take it back.
 */
export function claimsInProse(text: string): Claim[] {
  const statements = statementsOf(text.slice(-LONGEST_REPORT));
  const isSomewhere = (says: (sentence: string) => boolean) => statements.some(({ text }) => says(text));
  const kind = { isReview: isSomewhere(reviewsOthers), isProposal: isSomewhere(asksForGoAhead) };
  const work = statements.flatMap((statement) => workIn(statement, kind));
  if (work.length === 0 && !kind.isProposal && reportsCompletion(statements))
    work.push({ kind: 'implemented' });
  const isUndone = statements.some(
    ({ text: sentence, section }) => section !== 'untold' && takesWorkBack(sentence),
  );
  return [...work.filter(({ kind }) => kind === 'created' || !isUndone), ...checksIn(statements)];
}

const COMPLETION =
  /^(?:(?:all|both|everything is|everything's|it's|that's|task|the task is|work) )*(?:done|set|finished|completed?)(?=[.!:,]| [–—-]|$)/i;

const DESCRIPTION =
  /^(?:(?:the|each|every|both|its) (?!(?:\w+ )?(?:tests?|suite|results?|output)\b)|`[^`]+` )\S+ \S+/i;

/** `Done. The list keeps its order.`: it says that the task is done, and then describes the result. */
function reportsCompletion(statements: readonly Statement[]): boolean {
  const [first, ...others] = statements.filter(({ form }) => form !== 'row');
  if (first === undefined || !COMPLETION.test(first.text) || statements.some(({ text }) => looksInto(text)))
    return false;
  return others.some(
    (statement) =>
      statement.section !== 'untold' &&
      statement.form !== 'title' &&
      !isQuestion(statement) &&
      DESCRIPTION.test(statement.text),
  );
}

/** The report is at the end of what an agent says. */
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
