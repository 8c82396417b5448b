import type { ClaimSource, LedgerEntry } from '../../contracts/planner/claim-ledger.ts';
import type { PlannerInput } from '../../contracts/planner/planner-input.ts';
import { formatCount } from '../../text/count-of.ts';
import { type Facts, normalizePath, readFacts } from '../table/facts.ts';
import { type Claim, formatClaim } from './claim.ts';

/** Checks every claim of the last agent against the diff, the exit codes and the files. */
export function checkClaims(envelope: PlannerInput, source: ClaimSource): LedgerEntry[] {
  const facts = readFacts(envelope);
  return facts.claims.map((claim) => ({ claim: formatClaim(claim), source, ...check(claim, facts) }));
}

function check(claim: Claim, facts: Facts): Pick<LedgerEntry, 'holds' | 'evidence'> {
  switch (claim.kind) {
    case 'implemented':
    case 'fixed':
      return checkWork(facts);
    case 'tests_pass':
      return checkTests(facts);
    case 'created':
      return checkPath(normalizePath(claim.path), facts);
  }
}

/** A changed file shows that the agent did something, not that it did the task. */
function checkWork({ diff, intent }: Facts): Pick<LedgerEntry, 'holds' | 'evidence'> {
  const count = diff.paths.length;
  if (diff.changed)
    return {
      holds: null,
      evidence: `${count} ${count === 1 ? 'path' : 'paths'} changed; no check shows that this completes the work`,
    };
  const evidence = 'no file changed';
  // In a step that isn't meant to change files, the agent can truthfully say that something is done.
  return { holds: intent === 'implementation' ? false : null, evidence };
}

function checkTests(facts: Facts): Pick<LedgerEntry, 'holds' | 'evidence'> {
  const wrong = [
    ...facts.failedValidators.map(({ id, exitCode }) => `${id} exited ${exitCode}`),
    ...facts.timeouts.map((id) => `${id} timed out`),
    ...facts.failedCases.map(({ id }) => `the case ${id} failed`),
  ];
  if (wrong.length > 0) return { holds: false, evidence: wrong.join('; ') };
  if (facts.validatorIds.length === 0) return { holds: null, evidence: 'no validator ran after it' };
  const doubt = doubtAboutTests(facts);
  if (doubt !== null) return { holds: null, evidence: doubt };
  return { holds: true, evidence: `${facts.validatorIds.join(', ')} exited 0` };
}

/**
 * Passing checks don't confirm the claim if the change edits files that decide whether the checks pass, drops checks or loses their
 * report.
 */
function doubtAboutTests({ judgeChanged, fewerChecks, reportedMissing }: Facts): string | null {
  const reasons = [
    ...reportedMissing.map((name) => `${name} is missing`),
    ...(judgeChanged.length === 0 ? [] : ['the change edits files that decide whether the checks pass']),
    ...(fewerChecks === null
      ? []
      : [`${formatCount(fewerChecks.now, 'case')} ran; ${fewerChecks.base} ran at the base`]),
  ];
  return reasons.length === 0 ? null : reasons.join('; ');
}

function checkPath(path: string, { diff, artifacts }: Facts): Pick<LedgerEntry, 'holds' | 'evidence'> {
  if (diff.paths.some((changed) => normalizePath(changed) === path))
    return { holds: true, evidence: 'the file is in the diff' };
  if (artifacts.has(path)) return { holds: true, evidence: 'the file is among the artifacts' };
  return { holds: false, evidence: 'the file is neither in the diff nor among the artifacts' };
}

/** One line for the user: `claim "tests pass": confirmed (tests exited 0)`. */
export function formatLedgerEntry({ claim, holds, evidence }: LedgerEntry): string {
  const verdict = holds === null ? 'unverified' : holds ? 'confirmed' : 'contradicted';
  return `claim "${claim === 'tests_pass' ? 'tests pass' : claim}": ${verdict} (${evidence})`;
}
