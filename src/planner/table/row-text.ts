import { ownValue } from '../../contracts/own-value.ts';

/** Explains a row of the decision table to the user: what it read, and what would stop it from matching. */
export interface RowText {
  /** The path in the envelope that the row read, dotted from the top. */
  readonly read: string;
  readonly change: string;
}

const ROW_TEXTS: Readonly<Record<string, RowText>> = {
  'policy-violation': {
    read: 'evidence.policy_events',
    change: 'a change that keeps to the policy: roll the violation back, or let a reviewer decide',
  },
  'report-execution-mismatch': {
    read: 'evidence.harness_report.summary',
    change: 'a report that lists the failure, or a validator that exits with 0',
  },
  'report-inconsistent': {
    read: 'evidence.harness_report.summary',
    change: 'a report whose summary matches its cases',
  },
  'repeated-contradiction': {
    read: 'provenance_window',
    change: 'a reviewer who compares the claims with the workspace',
  },
  'goldens-proposed': {
    read: 'evidence.harness_report.proposed_goldens',
    change: 'approved goldens, or a report that proposes none',
  },
  'approval-required': {
    read: 'evidence.policy_events',
    change: 'the approval that the policy event asks for',
  },
  'ux-error': {
    read: 'evidence.harness_report.ux_flags',
    change: 'a report without a flag of severity error',
  },
  'judge-changed': {
    read: 'evidence.validation.judge_changed',
    change:
      'checks that pass with the tests, the runner configuration and the commands of the base, or an approval',
  },
  'fewer-checks': {
    read: 'evidence.validation.fewer_checks',
    change: 'a report in which every case of the base runs, or an approval',
  },
  'nothing-changed': {
    read: 'evidence.run_changed',
    change: 'a changed file, or a reviewer who confirms that no change is needed',
  },
  'repeated-partial': {
    read: 'provenance_window',
    change: 'an attempt that passes its checks, or a decision by a reviewer',
  },
  'no-progress': {
    read: 'provenance_window',
    change: 'a file that changed since the last evaluation, or a different blocker',
  },
  'refinement-spent': {
    read: 'refinement',
    change: 'a higher revision.max_attempts, or a decision by a reviewer',
  },
  'missing-artifact': {
    read: 'evidence.validation.missing_artifacts',
    change: 'the artifact, written by the step that must produce it',
  },
  'absent-artifact': {
    read: 'evidence.validation.required_artifacts',
    change: 'the artifact, written by the step that must produce it',
  },
  'missing-verdict': {
    read: 'evidence.review.verdict',
    change: 'a review with a verdict (approve or needs-changes) and findings that match it',
  },
  'unsupported-report': { read: 'evidence.harness_report.version', change: 'a report of version 1.x' },
  'validation-unusable': {
    read: 'evidence.validation.mechanical_outcome',
    change: 'a validation that completes',
  },
  environment: {
    read: 'evidence.validation.environment_failures',
    change: 'an environment in which the validator starts as it did at the base',
  },
  'validator-timed-out-again': {
    read: 'evidence.validation.timeouts',
    change: 'a validator that finishes in time, or a longer timeout',
  },
  'blocker-without-changes': {
    read: 'evidence.transcript_summary',
    change: 'an answer to the blocker that the agent reports',
  },
  'validator-or-case-failed': {
    read: 'evidence.validation.exit_codes',
    change: 'validators that exit with 0 and cases that pass',
  },
  'failed-case': {
    read: 'evidence.harness_report.cases',
    change: 'validators that exit with 0 and cases that pass',
  },
  'validator-timed-out': {
    read: 'evidence.validation.timeouts',
    change: 'a validator that finishes in time, or a longer timeout',
  },
  'claimed-without-change': {
    read: 'evidence.workspace_diff_summary',
    change: 'a changed file, or an agent that does not claim a change',
  },
  'claimed-passing': { read: 'evidence.transcript_summary', change: 'tests that pass, as the agent claims' },
  'claimed-creation': {
    read: 'evidence.transcript_summary',
    change: 'the file that the agent claims it created',
  },
  'ux-flags': { read: 'evidence.harness_report.ux_flags', change: 'a report without flags' },
  'blocker-with-changes': {
    read: 'evidence.transcript_summary',
    change: 'an answer to the blocker that the agent reports',
  },
  'changes-requested': { read: 'evidence.review.findings', change: 'a review that approves' },
  clean: { read: 'evidence', change: 'a failed check, a contradicted claim or a policy violation' },
};

export function textOfRow(rowId: string): RowText {
  const text = ownValue(ROW_TEXTS, rowId);
  if (text === undefined) throw new Error(`row ${rowId} has no text`);
  return text;
}
