import type { DecisionCase } from './decision-case.ts';
import { CHANGED, envelope, error, evaluation, failed, report, said, UNCHANGED } from './envelope-builder.ts';

const contradicted = [evaluation({ risk_flags: ['transcript_workspace_mismatch'] })];

/** Rows that meet each other, the window or the cap. */
export const PAIR_CASES: readonly DecisionCase[] = [
  {
    name: 'a contradiction after an earlier one is unsafe',
    input: envelope(
      { transcript_summary: said('claim: fixed'), workspace_diff_summary: 'no changes' },
      { provenance_window: contradicted },
    ),
    rows: ['repeated-contradiction', 'claimed-without-change'],
    status: 'unsafe',
    flags: ['repeated_contradiction', 'transcript_workspace_mismatch'],
    blockers: ['empty_diff high'],
  },
  {
    name: 'an earlier contradiction alone changes nothing',
    input: envelope({}, { provenance_window: contradicted }),
    rows: ['clean'],
    status: 'success',
    flags: [],
    blockers: [],
  },
  {
    name: 'a missing artifact after passed validation and an earlier contradiction is unsafe',
    input: envelope(
      { validation: { ...error, missing_artifacts: ['r.json'] } },
      { provenance_window: contradicted },
    ),
    rows: ['repeated-contradiction', 'missing-artifact'],
    status: 'unsafe',
    flags: ['repeated_contradiction', 'missing_artifact'],
    blockers: ['missing_artifact high'],
  },
  {
    name: 'a missing artifact without passed validation stays blocked after an earlier contradiction',
    input: envelope(
      { validation: { ...failed, missing_artifacts: ['r.json'] } },
      { provenance_window: contradicted },
    ),
    rows: ['missing-artifact', 'validator-or-case-failed'],
    status: 'blocked',
    flags: ['missing_artifact'],
    blockers: ['missing_artifact medium', 'validator_failed:tests low'],
  },
  {
    name: 'without any exit code validation has not passed',
    input: envelope(
      { validation: { ...error, exit_codes: {}, missing_artifacts: ['r.json'] } },
      { provenance_window: contradicted },
    ),
    rows: ['missing-artifact'],
    status: 'blocked',
    flags: ['missing_artifact'],
    blockers: ['missing_artifact medium'],
  },
  {
    name: 'goldens with a violation are unsafe and keep both flags',
    input: envelope({
      harness_report: report({ a: 'passed' }, { proposed_goldens: [{ id: 'g' }] }),
      policy_events: ['forbidden_operation: refs/heads/x'],
    }),
    rows: ['policy-violation', 'goldens-proposed'],
    status: 'unsafe',
    flags: ['policy_violation', 'proposed_goldens_present'],
    blockers: ['forbidden_operation high', 'goldens_need_approval medium'],
  },
  {
    name: 'goldens in an unsupported report still count',
    input: envelope({
      harness_report: { suite_id: 's', version: '3', cases: [], summary: {}, proposed_goldens: [{ any: 1 }] },
    }),
    rows: ['goldens-proposed', 'unsupported-report'],
    status: 'needs_human',
    flags: ['proposed_goldens_present'],
    blockers: ['goldens_need_approval medium', 'unsupported_report medium'],
  },
  {
    name: 'the third partial in a row needs a person',
    input: envelope({ validation: failed }, { provenance_window: [evaluation(), evaluation()] }),
    rows: ['repeated-partial', 'validator-or-case-failed'],
    status: 'needs_human',
    flags: ['repeated_partial_loop'],
    blockers: ['repeated_partial medium', 'validator_failed:tests low'],
  },
  {
    name: 'other steps between the evaluations do not break the row of partials',
    input: envelope(
      { validation: failed },
      {
        provenance_window: [
          evaluation(),
          evaluation(),
          evaluation({ step_id: 'fix', opcode: 'RUN_AGENT', status: 'completed' }),
          evaluation({ step_id: 'validate', opcode: 'RUN_VALIDATION', status: 'error' }),
        ],
      },
    ),
    rows: ['repeated-partial', 'validator-or-case-failed'],
    status: 'needs_human',
    flags: ['repeated_partial_loop'],
    blockers: ['repeated_partial medium', 'validator_failed:tests low'],
  },
  {
    name: 'a success between partials starts the count again',
    input: envelope(
      { validation: failed },
      { provenance_window: [evaluation(), evaluation(), evaluation({ status: 'success' }), evaluation()] },
    ),
    rows: ['validator-or-case-failed'],
    status: 'partial',
    flags: [],
    blockers: ['validator_failed:tests low'],
  },
  {
    name: 'success after two partials is success',
    input: envelope({}, { provenance_window: [evaluation(), evaluation()] }),
    rows: ['clean'],
    status: 'success',
    flags: [],
    blockers: [],
  },
  {
    name: 'the same blocker with the same fingerprint needs a person',
    input: envelope(
      { validation: failed },
      {
        provenance_window: [evaluation({ diff_summary: CHANGED, blocker_codes: ['validator_failed:tests'] })],
      },
    ),
    rows: ['no-progress', 'validator-or-case-failed'],
    status: 'needs_human',
    flags: ['repeated_partial_loop'],
    blockers: ['validator_failed:tests medium'],
  },
  {
    name: 'the same blocker with another fingerprint is partial',
    input: envelope(
      { validation: failed },
      { provenance_window: [evaluation({ blocker_codes: ['validator_failed:tests'] })] },
    ),
    rows: ['validator-or-case-failed'],
    status: 'partial',
    flags: [],
    blockers: ['validator_failed:tests low'],
  },
  {
    name: 'absent fingerprints are not equal',
    input: envelope(
      { validation: failed, workspace_diff_summary: 'M src/a.ts +1 -0' },
      {
        provenance_window: [
          evaluation({ diff_summary: 'M src/a.ts +1 -0', blocker_codes: ['validator_failed:tests'] }),
        ],
      },
    ),
    rows: ['validator-or-case-failed'],
    status: 'partial',
    flags: [],
    blockers: ['validator_failed:tests low'],
  },
  {
    name: 'a repeated block without progress needs a person',
    input: envelope(
      { transcript_summary: said('blocker: spec-gap | x'), workspace_diff_summary: UNCHANGED },
      {
        provenance_window: [
          evaluation({ status: 'blocked', diff_summary: UNCHANGED, blocker_codes: ['spec-gap'] }),
        ],
      },
    ),
    rows: ['no-progress', 'blocker-without-changes'],
    status: 'needs_human',
    flags: ['repeated_partial_loop'],
    blockers: ['spec-gap medium'],
  },
  {
    name: 'only the previous evaluation counts for progress',
    input: envelope(
      { validation: failed },
      {
        provenance_window: [
          evaluation({ diff_summary: CHANGED, blocker_codes: ['validator_failed:tests'] }),
          evaluation({ status: 'blocked', diff_summary: CHANGED }),
        ],
      },
    ),
    rows: ['validator-or-case-failed'],
    status: 'partial',
    flags: [],
    blockers: ['validator_failed:tests low'],
  },
  {
    name: 'partial with the cap spent needs a person',
    input: envelope({ validation: failed }, { refinement: { spent: 1, max: 1 } }),
    rows: ['refinement-spent', 'validator-or-case-failed'],
    status: 'needs_human',
    flags: ['refinement_spent'],
    blockers: ['refinement_spent medium', 'validator_failed:tests low'],
  },
  {
    name: 'partial with the cap not spent is partial',
    input: envelope({ validation: failed }, { refinement: { spent: 0, max: 1 } }),
    rows: ['validator-or-case-failed'],
    status: 'partial',
    flags: [],
    blockers: ['validator_failed:tests low'],
  },
  {
    name: 'blocked with the cap spent stays blocked',
    input: envelope({ validation: { ...error, exit_codes: {} } }, { refinement: { spent: 1, max: 1 } }),
    rows: ['validation-unusable'],
    status: 'blocked',
    flags: [],
    blockers: ['validation_unusable medium'],
  },
  {
    name: 'an approval wins over a failed validator and keeps its blocker',
    input: envelope({ validation: failed, policy_events: ['requires_approval: x'] }),
    rows: ['approval-required', 'validator-or-case-failed'],
    status: 'needs_human',
    flags: [],
    blockers: ['approval_required medium', 'validator_failed:tests low'],
  },
];
