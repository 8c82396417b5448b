import type { PlannerStatus } from '../../contracts/vocabulary.ts';
import { parseDiffSummary } from '../summaries.ts';
import type { Facts } from './facts.ts';
import type { RowFinding } from './rows.ts';
import type { RiskFlag } from './severity.ts';

/** The result of the other rows, before any escalation. */
export interface StatusBeforeEscalation {
  readonly wouldBe: PlannerStatus;
  /** The findings of all rows that matched. */
  readonly found: readonly RowFinding[];
  /** Those of rows that contradict the agent or a report. */
  readonly contradictions: readonly RowFinding[];
}

export interface Escalation {
  readonly id: string;
  readonly status: 'unsafe' | 'needs_human';
  readonly flag: RiskFlag;
  readonly find: (facts: Facts, before: StatusBeforeEscalation) => readonly RowFinding[];
}

function repeatedContradiction(
  { wasContradictedBefore }: Facts,
  { contradictions }: StatusBeforeEscalation,
): RowFinding[] {
  if (!wasContradictedBefore) return [];
  return contradictions.map((contradiction) => ({
    ...contradiction,
    summary: `${contradiction.summary}; an earlier evaluation also found a contradiction`,
  }));
}

function nothingChanged(
  { intent, hasWorkspaceChanges }: Facts,
  { wouldBe }: StatusBeforeEscalation,
): RowFinding[] {
  if (wouldBe !== 'success' || intent !== 'implementation' || hasWorkspaceChanges !== false) return [];
  const summary =
    'the step was asked to implement something, but the workspace does not differ from the base';
  return [{ code: 'nothing_changed', subject: '', summary, evidenceRef: null }];
}

function repeatedPartial({ evaluations }: Facts, { wouldBe }: StatusBeforeEscalation): RowFinding[] {
  const lastTwo = evaluations.slice(-2);
  const isStuck = lastTwo.length === 2 && lastTwo.every((entry) => entry.status === 'partial');
  if (wouldBe !== 'partial' || !isStuck) return [];
  const summary = 'this would be the third partial result in a row';
  return [{ code: 'repeated_partial', subject: '', summary, evidenceRef: null }];
}

function noProgress(
  { diff, previousEvaluation }: Facts,
  { wouldBe, found }: StatusBeforeEscalation,
): RowFinding[] {
  if ((wouldBe !== 'partial' && wouldBe !== 'blocked') || previousEvaluation === null) return [];
  const earlier = parseDiffSummary(previousEvaluation.diff_summary ?? '').fingerprint;
  if (diff.fingerprint === null || diff.fingerprint !== earlier) return [];
  return found
    .filter(({ code }) => previousEvaluation.blocker_codes.includes(code))
    .map((again) => ({
      ...again,
      summary: `${again.summary}, as in the previous evaluation, and the workspace has not changed since`,
    }));
}

function refinementSpent({ refinement }: Facts, { wouldBe }: StatusBeforeEscalation): RowFinding[] {
  if (wouldBe !== 'partial' || refinement === null || refinement.spent < refinement.max) return [];
  const summary = `${refinement.spent} of ${refinement.max} refinements are spent`;
  return [{ code: 'refinement_spent', subject: '', summary, evidenceRef: null }];
}

/** Rows of the decision table that depend on the result of the other rows. */
export const ESCALATIONS: readonly Escalation[] = [
  {
    id: 'repeated-contradiction',
    status: 'unsafe',
    flag: 'repeated_contradiction',
    find: repeatedContradiction,
  },
  { id: 'nothing-changed', status: 'needs_human', flag: 'nothing_changed', find: nothingChanged },
  { id: 'repeated-partial', status: 'needs_human', flag: 'repeated_partial_loop', find: repeatedPartial },
  { id: 'no-progress', status: 'needs_human', flag: 'repeated_partial_loop', find: noProgress },
  { id: 'refinement-spent', status: 'needs_human', flag: 'refinement_spent', find: refinementSpent },
];
