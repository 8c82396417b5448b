import type { Claim } from '../claim.ts';
import { mentionsRun, saysCheckFails, saysChecksPass } from './checks.ts';
import { asksForGoAhead, takesWorkBack } from './doubt.ts';
import { type Statement, statementsOf } from './statements.ts';
import { OPENER, workIn } from './work.ts';

/**
 * Claims in prose. A claim that was never made accuses an honest agent, and a missed one lets a phantom pass; so only
 * plain statements of what the agent itself did are read, and what leads up to one or follows it may take it back.
 */
export function claimsInProse(text: string): Claim[] {
  const statements = statementsOf(text.slice(-LONGEST_REPORT));
  const kind = {
    isReport: statements.some(({ text: sentence, form }) => form !== 'row' && OPENER.test(sentence)),
    isProposal: statements.some(({ text: sentence }) => asksForGoAhead(sentence)),
  };
  const work = statements.flatMap((statement) => workIn(statement, kind));
  const isUndone = statements.some(
    ({ text: sentence, section }) => section !== 'untold' && takesWorkBack(sentence),
  );
  return [...work.filter(({ kind }) => kind === 'created' || !isUndone), ...checksIn(statements)];
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
