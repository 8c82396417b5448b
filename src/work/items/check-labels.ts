import type { WorkStatus, WorkType } from '../../contracts/work/work-item.ts';
import { didYouMean } from '../../diagnostics/did-you-mean.ts';
import type { ProblemCode } from '../results/problem-codes.ts';
import { CATEGORY_PREFIX, categoryOf, LABELS, type LabelCategory, readLabelFields } from './labels.ts';

export interface LabelProblem {
  readonly code: ProblemCode;
  readonly message: string;
  /** The index of the label; null if one is missing. */
  readonly index: number | null;
}

/** The item that the labels belong to. */
export type LabelledItem =
  /** Starts as pending. */
  | { readonly kind: 'new' }
  /**
   * Only transitions change its status, so the status label may be missing, match the current status, or be
   * that of the template. `status` is null if unknown.
   */
  | { readonly kind: 'existing'; readonly status: WorkStatus | null };

const KNOWN = LABELS.map(({ name }) => name);
const MISSING: Readonly<Record<LabelCategory, ProblemCode>> = {
  type: 'WR501',
  status: 'WR502',
  priority: 'WR503',
  complexity: 'WR504',
};

/** Checks labels. The type comes from the labels; `type` is used if they have none. */
export function checkLabels(
  labels: readonly string[],
  item: LabelledItem = { kind: 'new' },
  type: WorkType | null = null,
): readonly LabelProblem[] {
  const own = readLabelFields(labels).type ?? type;
  return [
    ...labels.flatMap((label, index) => checkLabel(labels, label, index)),
    ...checkCategory(labels, 'type', true),
    ...checkCategory(labels, 'status', item.kind === 'new'),
    ...checkCategory(labels, 'priority', true),
    ...checkCategory(labels, 'complexity', own === 'implement'),
    ...(own === 'refinement' ? checkRefinement(labels) : []),
    ...checkStatus(labels, item),
  ];
}

function checkLabel(labels: readonly string[], label: string, index: number): readonly LabelProblem[] {
  const first = labels.indexOf(label);
  if (first < index) return [{ code: 'WR506', message: `the label "${label}" is listed twice`, index }];
  if (KNOWN.includes(label)) return [];
  const category = categoryOf(label) ?? intendedCategory(label);
  if (category === null) return [];
  const near = didYouMean(label, KNOWN);
  const known = KNOWN.filter((name) => categoryOf(name) === category).join(', ');
  const hint = near === null ? `the labels are ${known}` : `did you mean ${near}?`;
  return [{ code: 'WR507', message: `there is no label "${label}": ${hint}`, index }];
}

/** Recognises misspelt labels of a category, such as `Priority: High`. */
function intendedCategory(label: string): LabelCategory | null {
  return categoryOf(
    label
      .trim()
      .toLowerCase()
      .replace(/\s*:\s*/, ':'),
  );
}

function checkCategory(
  labels: readonly string[],
  category: LabelCategory,
  needed: boolean,
): readonly LabelProblem[] {
  const own = labels
    .map((label, index) => ({ label, index }))
    .filter(({ label, index }) => KNOWN.includes(label) && labels.indexOf(label) === index)
    .filter(({ label }) => categoryOf(label) === category);
  if (own.length === 0) {
    // A misspelt label is already reported, so it does not count as missing.
    const misspelt = labels.some((label) => !KNOWN.includes(label) && intendedCategory(label) === category);
    if (!needed || misspelt) return [];
    const message = `there is no label "${CATEGORY_PREFIX[category]}:…"`;
    return [{ code: MISSING[category], message, index: null }];
  }
  return own.slice(1).map(({ label, index }) => ({
    code: 'WR505',
    message: `"${own[0]?.label}" and "${label}" are both labels for the ${category}`,
    index,
  }));
}

function checkRefinement(labels: readonly string[]): readonly LabelProblem[] {
  return labels.flatMap((label, index): readonly LabelProblem[] => {
    if (!KNOWN.includes(label) || labels.indexOf(label) < index) return [];
    if (label === 'priority:low')
      return [{ code: 'WR509', message: 'a refinement has the priority high or medium, and not low', index }];
    if (categoryOf(label) === 'complexity')
      return [{ code: 'WR510', message: `a refinement has no complexity, and this has "${label}"`, index }];
    return [];
  });
}

function checkStatus(labels: readonly string[], item: LabelledItem): readonly LabelProblem[] {
  const { status } = readLabelFields(labels);
  if (status === null) return [];
  const index = labels.indexOf(`status:${status}`);
  if (item.kind === 'new')
    return status === 'pending'
      ? []
      : [
          {
            code: 'WR508',
            message: `a new item starts as status:pending, and this as status:${status}`,
            index,
          },
        ];
  // The template has status:pending, so repeating its labels does not request a transition.
  if (item.status === null || item.status === status || status === 'pending') return [];
  const message = `the item is ${item.status}, and an update can't make it "status:${status}"`;
  return [{ code: 'WR511', message, index }];
}
