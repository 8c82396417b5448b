import { ownValue } from '../../contracts/own-value.ts';

/** Explains a row of the decision table to the user: what it read, and what would stop it from matching. */
export interface RowWords {
  /** The path in the envelope that the row read, dotted from the top. */
  readonly read: string;
  readonly change: string;
}

const WORDS: Readonly<Record<string, RowWords>> = {
  'policy-violation': {
    read: 'evidence.policy_events',
    change: 'a change that keeps to the policy; what was violated is rolled back or answered for by a person',
  },
  'report-execution-mismatch': {
    read: 'evidence.harness_report.summary',
    change: 'a report that tells of the failure, or a validator that exits with 0',
  },
  'report-inconsistent': {
    read: 'evidence.harness_report.summary',
    change: 'a report whose summary counts its own cases',
  },
  'repeated-contradiction': {
    read: 'provenance_window',
    change: 'a person who looks at what was claimed and what is there',
  },
  'goldens-proposed': {
    read: 'evidence.harness_report.proposed_goldens',
    change: 'an approval of the goldens at a gate, or a later report that proposes none',
  },
  'approval-required': { read: 'evidence.policy_events', change: 'the approval that the event asks for' },
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
    change: 'a change to the files, or a person who confirms that none is needed',
  },
  'repeated-partial': { read: 'provenance_window', change: 'a person, or an attempt that passes its checks' },
  'no-progress': {
    read: 'provenance_window',
    change: 'a change to the files since the last evaluation, or another reason',
  },
  'refinement-spent': { read: 'refinement', change: 'a higher revision.max_attempts, or a person' },
  'missing-artifact': {
    read: 'evidence.validation.missing_artifacts',
    change: 'the artifact, written by the step that has to leave it',
  },
  'absent-artifact': {
    read: 'evidence.validation.required_artifacts',
    change: 'the artifact, written by the step that has to leave it',
  },
  'missing-verdict': {
    read: 'evidence.review.verdict',
    change: 'a review that ends with a verdict, approve or needs-changes, and findings that fit it',
  },
  'unsupported-report': { read: 'evidence.harness_report.version', change: 'a report of version 1.x' },
  'validation-unusable': {
    read: 'evidence.validation.mechanical_outcome',
    change: 'a validation that runs to its end',
  },
  environment: {
    read: 'evidence.validation.environment_failures',
    change: 'an environment in which the validator starts as it did at the base',
  },
  'validator-timed-out-again': {
    read: 'evidence.validation.timeouts',
    change: 'a validator that ends in time, or a longer timeout',
  },
  'blocker-without-changes': {
    read: 'evidence.transcript_summary',
    change: 'an answer to what keeps the agent from going on',
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
    change: 'a validator that ends in time, or a longer timeout',
  },
  'claimed-without-change': {
    read: 'evidence.workspace_diff_summary',
    change: 'a change to the files, or an agent that does not claim one',
  },
  'claimed-passing': { read: 'evidence.transcript_summary', change: 'tests that pass as the agent says' },
  'claimed-creation': {
    read: 'evidence.transcript_summary',
    change: 'the file that the agent says it created',
  },
  'ux-flags': { read: 'evidence.harness_report.ux_flags', change: 'a report without flags' },
  'blocker-with-changes': {
    read: 'evidence.transcript_summary',
    change: 'an answer to what keeps the agent from going on',
  },
  'changes-requested': { read: 'evidence.review.findings', change: 'a review that approves' },
  clean: { read: 'evidence', change: 'a failed check, a claim that does not hold, or a violation' },
};

export function wordsOf(rowId: string): RowWords {
  const words = ownValue(WORDS, rowId);
  if (words === undefined) throw new Error(`the row ${rowId} has no words`);
  return words;
}
