import { plannerDecisionSchema } from '../../contracts/planner/planner-decision.ts';
import { plannerInputSchema } from '../../contracts/planner/planner-input.ts';
import { harnessReportSchema } from '../../contracts/run/harness-report.ts';
import { parseForm } from '../../work/results/form-problems.ts';
import { checkImplementorResult } from '../../work/results/implementor-result.ts';
import type { ExistingItem } from '../../work/results/planned-ids.ts';
import { checkPlannerResult } from '../../work/results/planner-result.ts';
import type { ContractProblem } from '../../work/results/problem-codes.ts';
import { checkReviewerResult } from '../../work/results/reviewer-result.ts';

export const CONTRACT_KINDS = [
  'planner-result',
  'implementor-result',
  'reviewer-result',
  'harness-report',
  'planner-decision',
  'planner-input',
] as const;
export type ContractKind = (typeof CONTRACT_KINDS)[number];

/** A parsed document, or why it could not be parsed. */
export type ContractDocument =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly why: string };

/** All problems of a document; `items` are the existing items that a planner's result may refer to. */
export function checkContract(
  kind: ContractKind,
  document: ContractDocument,
  items: readonly ExistingItem[],
): readonly ContractProblem[] {
  // An agent may have left a half-written file, which is an invalid document like any other.
  if (!document.ok)
    return [{ path: '', code: 'WR001', message: `the document: it is not JSON: ${document.why}` }];
  const result = checkValue(kind, document.value, items);
  return result.ok ? [] : result.problems;
}

type Checked = { readonly ok: true } | { readonly ok: false; readonly problems: readonly ContractProblem[] };

function checkValue(kind: ContractKind, value: unknown, items: readonly ExistingItem[]): Checked {
  switch (kind) {
    case 'planner-result':
      return checkPlannerResult(value, { items });
    case 'implementor-result':
      return checkImplementorResult(value);
    case 'reviewer-result':
      return checkReviewerResult(value);
    case 'harness-report':
      return parseForm(harnessReportSchema, value);
    case 'planner-decision':
      return parseForm(plannerDecisionSchema, value);
    case 'planner-input':
      return parseForm(plannerInputSchema, value);
  }
}
