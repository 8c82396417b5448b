import {
  COMPLEXITIES,
  type Complexity,
  PRIORITIES,
  type Priority,
  WORK_STATUSES,
  WORK_TYPES,
  type WorkStatus,
  type WorkType,
} from '../../contracts/work/work-item.ts';
import type { ItemFields } from './provider-values.ts';

export interface LabelDefinition {
  readonly name: string;
  readonly description: string;
  /** Six hexadecimal digits. */
  readonly color: string;
}

export const LABEL_CATEGORIES = ['type', 'status', 'priority', 'complexity'] as const;
export type LabelCategory = (typeof LABEL_CATEGORIES)[number];

/** The prefix before the colon. */
export const CATEGORY_PREFIX: Readonly<Record<LabelCategory, string>> = {
  type: 'task',
  status: 'status',
  priority: 'priority',
  complexity: 'complexity',
};

/** Closed items are not looked up by label, so this status has none. */
export type LabelledStatus = Exclude<WorkStatus, 'closed'>;

const TYPE_DESCRIPTIONS: Readonly<Record<WorkType, string>> = {
  implement: 'Code to write, as specified',
  refinement: 'A question about a spec, for a user',
};
const STATUS_DESCRIPTIONS: Readonly<Record<LabelledStatus, string>> = {
  pending: 'Waiting for its blockers, or for a retry',
  ready: 'No open blocker: an implementor can start',
  'in-progress': 'An implementor works on it',
  review: 'Its revision is being checked and reviewed',
  approved: 'Reviewed: a user can merge it',
  'needs-refinement': 'Waiting for a user: the review or a check found something',
  blocked: 'Waiting for a user: it has an external obstacle',
};
const PRIORITY_DESCRIPTIONS: Readonly<Record<Priority, string>> = {
  high: 'Started first',
  medium: 'Started after high',
  low: 'Started last',
};
const COMPLEXITY_DESCRIPTIONS: Readonly<Record<Complexity, string>> = {
  trivial: 'A few lines in one place',
  low: 'One file and its test',
  medium: 'A few files that depend on each other',
  high: 'Many files, or an open design question',
};
const COLORS: Readonly<Record<LabelCategory, Readonly<Record<string, string>>>> = {
  type: { implement: '1d76db', refinement: '8250df' },
  status: {
    pending: 'd4d4d4',
    ready: '0e8a16',
    'in-progress': 'fbca04',
    review: '5319e7',
    approved: '2ea44f',
    'needs-refinement': 'd93f0b',
    blocked: 'b60205',
  },
  priority: { high: 'e11d21', medium: 'eb6420', low: 'c2e0c6' },
  complexity: { trivial: 'edf8fb', low: 'b3cde3', medium: '8c96c6', high: '88419d' },
};

/** All labels, by category. */
export const LABELS: readonly LabelDefinition[] = [
  ...labelsFor('type', TYPE_DESCRIPTIONS),
  ...labelsFor('status', STATUS_DESCRIPTIONS),
  ...labelsFor('priority', PRIORITY_DESCRIPTIONS),
  ...labelsFor('complexity', COMPLEXITY_DESCRIPTIONS),
];

function labelsFor(
  category: LabelCategory,
  descriptions: Readonly<Record<string, string>>,
): LabelDefinition[] {
  return Object.entries(descriptions).map(([value, description]) => ({
    name: `${CATEGORY_PREFIX[category]}:${value}`,
    description,
    color: COLORS[category][value] ?? 'ededed',
  }));
}

/** The fields that labels determine. Of two in one category the first counts; `checkLabels` reports the second. */
export interface LabelFields {
  readonly type: WorkType | null;
  readonly status: LabelledStatus | null;
  readonly priority: Priority | null;
  readonly complexity: Complexity | null;
  /** Labels of no category, and unknown ones. */
  readonly other: readonly string[];
}

const LABELLED_STATUSES = WORK_STATUSES.filter((status) => status !== 'closed');

export function readLabelFields(labels: readonly string[]): LabelFields {
  const known = new Set(LABELS.map(({ name }) => name));
  return {
    type: valueIn('type', WORK_TYPES, labels),
    status: valueIn('status', LABELLED_STATUSES, labels),
    priority: valueIn('priority', PRIORITIES, labels),
    complexity: valueIn('complexity', COMPLEXITIES, labels),
    other: [...new Set(labels.filter((label) => !known.has(label)))],
  };
}

/**
 * The fields of a planned item; never a status, which only the engine sets. The contract requires one label of each
 * category, so the defaults only satisfy the types.
 */
export function readPlannedLabels(
  labels: readonly string[],
): Pick<ItemFields, 'type' | 'priority' | 'complexity' | 'otherLabels'> {
  const { type, priority, complexity, other } = readLabelFields(labels);
  const known = type ?? 'implement';
  return {
    type: known,
    priority: priority ?? 'medium',
    complexity: known === 'refinement' ? null : (complexity ?? 'medium'),
    otherLabels: other,
  };
}

export type ReadLabels = typeof readPlannedLabels;

/** The labels of an item, by category, then the others. A closed item has no status label. */
export function formatLabels(
  fields: Omit<LabelFields, 'status'> & { readonly status: WorkStatus | null },
): string[] {
  const status = fields.status === 'closed' ? null : fields.status;
  const values = { ...fields, status };
  const own = LABEL_CATEGORIES.flatMap((category) => {
    const value = values[category];
    return value === null ? [] : [`${CATEGORY_PREFIX[category]}:${value}`];
  });
  return [...own, ...fields.other];
}

/** The category that the prefix of a label names. */
export function categoryOf(label: string): LabelCategory | null {
  const prefix = label.slice(0, label.indexOf(':'));
  return LABEL_CATEGORIES.find((category) => CATEGORY_PREFIX[category] === prefix) ?? null;
}

function valueIn<Value extends string>(
  category: LabelCategory,
  values: readonly Value[],
  labels: readonly string[],
): Value | null {
  for (const label of labels) {
    const value = values.find((candidate) => `${CATEGORY_PREFIX[category]}:${candidate}` === label);
    if (value !== undefined) return value;
  }
  return null;
}
