import type { WorkItem, WorkStatus } from '../../contracts/work/work-item.ts';
import { categoryOf, type LabelCategory, readLabelFields } from '../items/labels.ts';
import type { ItemFields } from '../items/provider-values.ts';
import { formatLabel } from './forge-text.ts';

/**
 * Labels are a projection of the journal. What a person changed in them is read here and judged elsewhere; nothing of it is
 * overwritten before that.
 */

export interface LabelSteps {
  /** Added first, so that an item never lacks its status. */
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/** From the labels that an issue has to those that it should have. A forge ignores the case of labels. */
export function planLabelSteps(wanted: readonly string[], seen: readonly string[]): LabelSteps {
  return {
    add: wanted.filter((label) => !includesLabel(seen, label)),
    remove: seen.filter((label) => !includesLabel(wanted, label)),
  };
}

export function includesLabel(labels: readonly string[], label: string): boolean {
  return labels.some((each) => each.toLowerCase() === label.toLowerCase());
}

export type StatusReading =
  | { readonly kind: 'same' }
  /** `label` is what asks for the status; null if the issue was closed or reopened. */
  | { readonly kind: 'asks'; readonly to: WorkStatus; readonly label: string | null }
  /** It can't be known what the person wants. */
  | { readonly kind: 'unclear'; readonly reason: string };

/** What the state and the status labels of an issue ask for, compared with the status of its item. */
export function readStatus(
  status: WorkStatus,
  labels: readonly string[],
  state: 'open' | 'closed',
): StatusReading {
  if (state === 'closed')
    return status === 'closed' ? { kind: 'same' } : { kind: 'asks', to: 'closed', label: null };
  const seen = statusesOf(labels);
  const others = seen.filter((each) => each !== status);
  const [to, another] = others;
  if (another !== undefined)
    return {
      kind: 'unclear',
      reason: `the issue has several new status labels: ${others.map((each) => `status:${each}`).join(', ')}`,
    };
  if (to !== undefined) return { kind: 'asks', to, label: `status:${to}` };
  if (status === 'closed') return { kind: 'asks', to: 'pending', label: null };
  return seen.length > 0 ? { kind: 'same' } : { kind: 'unclear', reason: 'the status label was removed' };
}

function statusesOf(labels: readonly string[]): WorkStatus[] {
  const lower = [...new Set(labels.map((label) => label.toLowerCase()))];
  return lower.flatMap((label) => readLabelFields([label]).status ?? []);
}

/**
 * The fields that the labels of an issue change. Of two labels in a category the new one counts; a category without a label,
 * or with two new ones, stays as it is.
 */
export function readLabelEdits(
  item: Pick<WorkItem, 'type' | 'priority' | 'complexity'>,
  known: readonly string[],
  seen: readonly string[],
): Partial<ItemFields> {
  const type = newValue('type', item.type, seen) ?? item.type;
  const priority = newValue('priority', item.priority, seen);
  const complexity =
    type === 'refinement'
      ? null
      : (newValue('complexity', item.complexity, seen) ?? item.complexity ?? 'medium');
  const others = seen.filter((label) => isOther(label));
  const kept = known.filter(isOther);
  const hasOthers =
    others.some((label) => !includesLabel(kept.map(asWritten), label)) ||
    kept.some((label) => !includesLabel(others, asWritten(label)));
  return {
    ...(type === item.type ? {} : { type }),
    ...(priority === null ? {} : { priority }),
    ...(complexity === item.complexity ? {} : { complexity }),
    // A label that a forge can't have stays with the item.
    ...(hasOthers
      ? { otherLabels: [...others, ...kept.filter((label) => formatLabel(label) === null)] }
      : {}),
  };
}

type Values = {
  readonly [Category in Exclude<LabelCategory, 'status'>]: ReturnType<typeof readLabelFields>[Category];
};

function newValue<Category extends keyof Values>(
  category: Category,
  current: Values[Category],
  seen: readonly string[],
): NonNullable<Values[Category]> | null {
  const values = seen
    .map((label) => label.toLowerCase())
    .filter((label) => categoryOf(label) === category)
    .flatMap((label): NonNullable<Values[Category]>[] => {
      const value = readLabelFields([label])[category] as Values[Category];
      return value === null || value === current ? [] : [value];
    });
  return values.length === 1 ? (values[0] ?? null) : null;
}

/** conductor's own labels in their own spelling; any other label as it is. */
export function normalizeLabel(label: string): string {
  const lower = label.toLowerCase();
  return readLabelFields([lower]).other.length === 0 ? lower : label;
}

function isOther(label: string): boolean {
  return readLabelFields([normalizeLabel(label)]).other.length > 0;
}

function asWritten(label: string): string {
  return formatLabel(label) ?? label;
}
