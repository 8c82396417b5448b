import type { BlockerSeverity } from '../../contracts/planner/planner-decision.ts';
import type { PlannerStatus } from '../../contracts/vocabulary.ts';

/** Precedence of the statuses and the fixed order of the flags. */

const RANK: Readonly<Record<PlannerStatus, number>> = {
  success: 0,
  partial: 1,
  blocked: 2,
  needs_human: 3,
  unsafe: 4,
};

/** Positive when `a` is worse than `b`. */
export function compareStatus(a: PlannerStatus, b: PlannerStatus): number {
  return RANK[a] - RANK[b];
}

export function worstStatus(statuses: readonly PlannerStatus[]): PlannerStatus {
  return statuses.reduce<PlannerStatus>(
    (worst, next) => (compareStatus(next, worst) > 0 ? next : worst),
    'success',
  );
}

export function blockerSeverity(status: PlannerStatus): BlockerSeverity {
  switch (status) {
    case 'unsafe':
      return 'high';
    case 'needs_human':
    case 'blocked':
      return 'medium';
    case 'partial':
    case 'success':
      return 'low';
  }
}

export const RISK_FLAGS = [
  'policy_violation',
  'report_execution_mismatch',
  'repeated_contradiction',
  'proposed_goldens_present',
  'judge_changed',
  'fewer_checks',
  'nothing_changed',
  'ux_error',
  'repeated_partial_loop',
  'refinement_spent',
  'missing_artifact',
  'transcript_workspace_mismatch',
  'ux_flags_present',
  'flaky_checks',
] as const;
export type RiskFlag = (typeof RISK_FLAGS)[number];

/** Flags for a contradiction between two sources of evidence. */
export const CONTRADICTION_FLAGS: readonly string[] = [
  'transcript_workspace_mismatch',
  'missing_artifact',
  'report_execution_mismatch',
  'repeated_contradiction',
] satisfies RiskFlag[];

/** Sorts known flags into their fixed order and appends the others; removes duplicates. */
export function orderFlags(flags: readonly string[]): string[] {
  const known: readonly string[] = RISK_FLAGS;
  const unique = [...new Set(flags)];
  return [
    ...known.filter((flag) => unique.includes(flag)),
    ...unique.filter((flag) => !known.includes(flag)),
  ];
}
