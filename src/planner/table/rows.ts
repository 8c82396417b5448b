import type { UxFlag } from '../../contracts/run/harness-report.ts';
import type { PlannerStatus } from '../../contracts/vocabulary.ts';
import { formatCount } from '../../text/count-of.ts';
import { type Facts, normalizePath } from './facts.ts';
import type { RiskFlag } from './severity.ts';

/** A finding of a row. The subject distinguishes findings with the same code. */
export interface RowFinding {
  readonly code: string;
  readonly subject: string;
  readonly summary: string;
  readonly evidenceRef: string | null;
  /** The row whose explanation applies, if it differs from the row that matched. */
  readonly explainedBy?: 'absent-artifact' | 'missing-verdict' | 'failed-case';
}

/** One row of the decision table. It matches when it finds something. */
export interface Row {
  readonly id: string;
  readonly status: Exclude<PlannerStatus, 'success'>;
  readonly flag: RiskFlag | null;
  /** Whether a match is a contradiction between two sources of evidence. */
  readonly contradicts: (facts: Facts) => boolean;
  readonly find: (facts: Facts) => readonly RowFinding[];
}

const always = () => true;
const never = () => false;
const otherwisePassed = (facts: Facts) => facts.hasPassingValidation;

function finding(
  code: string,
  subject: string,
  summary: string,
  evidenceRef: string | null = null,
): RowFinding {
  return { code, subject, summary, evidenceRef };
}

function policyViolation(facts: Facts): RowFinding[] {
  return facts.violations.map(({ kind, subject }) =>
    finding(kind, subject, subject === '' ? 'policy violation' : `policy violation: ${subject}`),
  );
}

/** A validator that contributed nothing to the report, or could not start, doesn't contradict it. */
function reportExecutionMismatch(facts: Facts): RowFinding[] {
  const { report, failedCases, failedValidators, reportSources, environmentFailures } = facts;
  const contradicting = failedValidators.filter(
    ({ id }) => (reportSources?.includes(id) ?? true) && !environmentFailures.includes(id),
  );
  if (report.kind !== 'read' || failedCases.length > 0 || contradicting.length === 0) return [];
  if ((report.report.summary.failed ?? 0) !== 0) return [];
  const names = contradicting.map(({ id, exitCode }) => `${id} exited with ${exitCode}`).join(', ');
  const summary = `the harness report ${report.report.suite_id} reports a pass, but ${names}`;
  return [finding('report_execution_mismatch', report.report.suite_id, summary)];
}

function reportInconsistent({ report }: Facts): RowFinding[] {
  if (report.kind !== 'read') return [];
  const { cases, summary, suite_id: suite } = report.report;
  const wrong = (['passed', 'failed', 'flaky'] as const).flatMap((status) => {
    const reported = summary[status] ?? 0;
    const counted = cases.filter((item) => item.status === status).length;
    return reported === counted ? [] : [`${reported} ${status} reported, ${counted} listed`];
  });
  if (wrong.length === 0) return [];
  const text = `the summary of ${suite} does not match its cases: ${wrong.join('; ')}`;
  return [finding('report_inconsistent', suite, text)];
}

function goldensProposed({ proposedGoldens }: Facts): RowFinding[] {
  if (proposedGoldens.length === 0) return [];
  const names = proposedGoldens.map((proposal) => proposal.name).join(', ');
  const evidenceRef = proposedGoldens.find((proposal) => proposal.evidenceRef !== null)?.evidenceRef ?? null;
  return [finding('goldens_need_approval', '', `the harness proposes new goldens: ${names}`, evidenceRef)];
}

function approvalRequired(facts: Facts): RowFinding[] {
  return facts.approvalRequests.map(({ subject }) =>
    finding('approval_required', subject, `approval required: ${subject === '' ? 'the step' : subject}`),
  );
}

function listUxFindings(code: string, flags: readonly UxFlag[]): RowFinding[] {
  return flags.map(({ severity, area, description, evidence_ref: ref }) => {
    const text = [area, description].filter((part) => typeof part === 'string').join(': ');
    return finding(code, text, `user interface ${severity}${text === '' ? '' : `: ${text}`}`, ref ?? null);
  });
}

function uxError({ uxFlags }: Facts): RowFinding[] {
  return listUxFindings(
    'ux_error',
    uxFlags.filter((flag) => flag.severity === 'error'),
  );
}

function uxBelowError({ uxFlags }: Facts): RowFinding[] {
  return listUxFindings(
    'ux_flags',
    uxFlags.filter((flag) => flag.severity !== 'error'),
  );
}

function judgeChanged(facts: Facts): RowFinding[] {
  if (facts.judgeChanged.length === 0) return [];
  const summary = `the change edits files that decide whether the checks pass: ${listNames(facts.judgeChanged)}`;
  return [finding('judge_changed', '', summary)];
}

function fewerChecks({ fewerChecks: fewer }: Facts): RowFinding[] {
  if (fewer === null) return [];
  const parts = [
    `${formatCount(fewer.now, 'case')} ran; ${fewer.base} ran at the base`,
    ...(fewer.missing.length === 0 ? [] : [`missing: ${listNames(fewer.missing)}`]),
    ...(fewer.skipped.length === 0 ? [] : [`newly skipped: ${listNames(fewer.skipped)}`]),
  ];
  return [finding('fewer_checks', '', parts.join('; '))];
}

/** Number of names in a summary; the envelope lists them all. */
const LISTED_NAMES = 5;

function listNames(names: readonly string[]): string {
  const listed = names.slice(0, LISTED_NAMES).join(', ');
  const hidden = names.length - LISTED_NAMES;
  return hidden > 0 ? `${listed} and ${hidden} more` : listed;
}

function missingArtifact(facts: Facts): RowFinding[] {
  const missing = facts.missingArtifacts.map((name): RowFinding => {
    const one = finding('missing_artifact', name, `the required artifact ${name} is missing`);
    return facts.reportedMissing.includes(name) ? one : { ...one, explainedBy: 'absent-artifact' };
  });
  if (!facts.isReviewVerdictMissing) return missing;
  const silent = finding('missing_artifact', 'review', 'the review gave no verdict');
  return [...missing, { ...silent, explainedBy: 'missing-verdict' }];
}

function unsupportedReport({ report }: Facts): RowFinding[] {
  if (report.kind !== 'unsupported') return [];
  const summary = `harness report version ${report.version} is not supported; supported: 1.x`;
  return [finding('unsupported_report', '', summary)];
}

function validationUnusable(facts: Facts): RowFinding[] {
  const explained = facts.hasValidationFailure || facts.missingArtifacts.length > 0;
  if (facts.outcome === 'completed' || explained) return [];
  const summary = `the validation ended as ${facts.outcome}, but nothing in the evidence explains why`;
  return [finding('validation_unusable', '', summary)];
}

function environmentBroken({ environmentFailures, failedValidators }: Facts): RowFinding[] {
  return environmentFailures.map((id) => {
    const exit = failedValidators.find((failed) => failed.id === id);
    const how = exit === undefined ? '' : ` (exit code ${exit.exitCode})`;
    return finding('environment', id, `the validator ${id} can't start${how}, although it ran at the base`);
  });
}

function timeoutFinding(id: string): RowFinding {
  return finding(`validator_timeout:${id}`, id, `the validator ${id} timed out`);
}

function validatorTimedOutAgain({ timeouts, previousEvaluation }: Facts): RowFinding[] {
  const before = previousEvaluation?.blocker_codes ?? [];
  return timeouts.map(timeoutFinding).filter(({ code }) => before.includes(code));
}

function validatorTimedOut({ timeouts }: Facts): RowFinding[] {
  return timeouts.map(timeoutFinding);
}

function reportedBlockers({ agentBlockers }: Facts): RowFinding[] {
  return agentBlockers.map(({ type, text }) =>
    finding(type, text, text === '' ? `the agent reports ${type}` : `the agent reports ${type}: ${text}`),
  );
}

function blockerWithoutChanges(facts: Facts): RowFinding[] {
  return facts.diff.changed ? [] : reportedBlockers(facts);
}

function blockerWithChanges(facts: Facts): RowFinding[] {
  return facts.diff.changed ? reportedBlockers(facts) : [];
}

function validatorOrCaseFailed({ failedValidators, failedCases, regressions }: Facts): RowFinding[] {
  return [
    ...failedValidators.map(({ id, exitCode }) =>
      finding(`validator_failed:${id}`, id, `the validator ${id} exited with ${exitCode}`),
    ),
    ...failedCases.map(
      ({ id, artifacts }): RowFinding => ({
        ...finding(
          `case_failed:${id}`,
          id,
          regressions.has(id) ? `the case ${id} failed; it passed at the base` : `the case ${id} failed`,
          artifacts?.[0] ?? null,
        ),
        explainedBy: 'failed-case',
      }),
    ),
  ];
}

function claimedWithoutChange({ intent, claims, diff }: Facts): RowFinding[] {
  const done = claims.some(({ kind }) => kind === 'implemented' || kind === 'fixed');
  if (intent !== 'implementation' || !done || diff.changed) return [];
  return [finding('empty_diff', '', 'the agent claims that the work is done, but no file changed')];
}

function claimedPassing({ claims, hasValidationFailure }: Facts): RowFinding[] {
  if (!hasValidationFailure || !claims.some(({ kind }) => kind === 'tests_pass')) return [];
  return [
    finding('false_claim', 'tests_pass', 'the agent claims that the tests pass, but a validator failed'),
  ];
}

/** Paths that an agent claims to have created but that are neither in the diff nor among the artifacts. */
export function findUncreatedPaths({ claims, diff, artifacts }: Facts): string[] {
  const seen = new Set([...diff.paths.map(normalizePath), ...artifacts]);
  const made = claims.flatMap((claim) => (claim.kind === 'created' ? [normalizePath(claim.path)] : []));
  return [...new Set(made)].filter((path) => !seen.has(path));
}

function claimedCreation(facts: Facts): RowFinding[] {
  return findUncreatedPaths(facts).map((path) =>
    finding(
      'false_claim',
      path,
      `the agent claims that it created ${path}, but the file is neither in the diff nor among the artifacts`,
    ),
  );
}

function changesRequested({ requestedChanges }: Facts): RowFinding[] {
  return requestedChanges.map(({ id, summary, artifact_ref: ref }) =>
    finding(`review_finding:${id}`, `${id} ${summary}`, summary, ref ?? null),
  );
}

function row(
  id: string,
  status: Row['status'],
  flag: RiskFlag | null,
  find: Row['find'],
  contradicts: Row['contradicts'] = never,
): Row {
  return { id, status, flag, find, contradicts };
}

/** All rows that depend on the evidence alone, in the order of the decision table. */
export const ROWS: readonly Row[] = [
  row('policy-violation', 'unsafe', 'policy_violation', policyViolation),
  row('report-execution-mismatch', 'unsafe', 'report_execution_mismatch', reportExecutionMismatch, always),
  row('report-inconsistent', 'unsafe', 'report_execution_mismatch', reportInconsistent, always),
  row('goldens-proposed', 'needs_human', 'proposed_goldens_present', goldensProposed),
  row('approval-required', 'needs_human', null, approvalRequired),
  row('ux-error', 'needs_human', 'ux_error', uxError),
  row('judge-changed', 'needs_human', 'judge_changed', judgeChanged),
  row('fewer-checks', 'needs_human', 'fewer_checks', fewerChecks),
  row('missing-artifact', 'blocked', 'missing_artifact', missingArtifact, otherwisePassed),
  row('unsupported-report', 'blocked', null, unsupportedReport),
  row('validation-unusable', 'blocked', null, validationUnusable),
  row('environment', 'blocked', null, environmentBroken),
  row('validator-timed-out-again', 'blocked', null, validatorTimedOutAgain),
  row('blocker-without-changes', 'blocked', null, blockerWithoutChanges),
  row('validator-or-case-failed', 'partial', null, validatorOrCaseFailed),
  row('validator-timed-out', 'partial', null, validatorTimedOut),
  row('claimed-without-change', 'partial', 'transcript_workspace_mismatch', claimedWithoutChange, always),
  row('claimed-passing', 'partial', 'transcript_workspace_mismatch', claimedPassing, always),
  row('claimed-creation', 'partial', 'transcript_workspace_mismatch', claimedCreation, always),
  row('ux-flags', 'partial', 'ux_flags_present', uxBelowError),
  row('blocker-with-changes', 'partial', null, blockerWithChanges),
  row('changes-requested', 'partial', null, changesRequested),
];
