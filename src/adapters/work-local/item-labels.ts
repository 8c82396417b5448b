import type { WorkStatus } from '../../contracts/work-item.ts';
import type { ItemFields } from '../../ports/work-provider.ts';

/** One of each category that the item has, then the others. A closed item has none for its status. */
export function labelsOf(
  { type, priority, complexity, otherLabels }: ItemFields,
  status: WorkStatus,
): readonly string[] {
  const ofCategories = [
    `task:${type}`,
    ...(status === 'closed' ? [] : [`status:${status}`]),
    `priority:${priority}`,
    ...(complexity === null ? [] : [`complexity:${complexity}`]),
  ];
  const others = otherLabels.filter((label) => !ofCategories.includes(label));
  return [...ofCategories, ...new Set(others)];
}
