import type { Price } from '../contracts/config/config.ts';
import type { Usage } from '../contracts/run/agent-result.ts';

/** Adds the cost to the usage: the reported one, or one computed from the tokens and the price. Null stays unknown. */
export function addCost(usage: Usage | null, price: Price | null): Usage | null {
  if (usage === null || price === null || usage.cost_usd !== undefined) return usage;
  const { input_tokens, output_tokens } = usage;
  if (input_tokens === undefined && output_tokens === undefined) return usage;
  const cost =
    (input_tokens ?? 0) * (price.input_per_mtok / 1e6) + (output_tokens ?? 0) * (price.output_per_mtok / 1e6);
  return { ...usage, cost_usd: Number(cost.toFixed(9)) };
}

/** The higher number of each kind, of two counts of the same usage. */
export function mostUsage(one: Usage | null, other: Usage | null): Usage | null {
  if (one === null || other === null) return one ?? other;
  const most = (key: keyof Usage) => {
    const numbers = [one, other].flatMap((usage) => usage[key] ?? []);
    return numbers.length === 0 ? {} : { [key]: Math.max(...numbers) };
  };
  return { ...most('input_tokens'), ...most('output_tokens'), ...most('cost_usd') };
}

/** The usage since an earlier total; null stays unknown. */
export function usageSince(total: Usage | null, before: Usage | null): Usage | null {
  if (total === null || before === null) return total;
  const keys = ['input_tokens', 'output_tokens', 'cost_usd'] as const;
  // A count that is lower than before was reset, so it is the usage itself.
  if (keys.some((key) => (total[key] ?? 0) < (before[key] ?? 0))) return total;
  const since = (key: keyof Usage) =>
    total[key] === undefined ? {} : { [key]: Number((total[key] - (before[key] ?? 0)).toFixed(9)) };
  return { ...since('input_tokens'), ...since('output_tokens'), ...since('cost_usd') };
}

/** The sum of several starts; null if none of them reported any usage. */
export function sumUsage(all: readonly (Usage | null)[]): Usage | null {
  const known = all.filter((usage) => usage !== null);
  if (known.length === 0) return null;
  const sum = (key: keyof Usage) => {
    const numbers = known.flatMap((usage) => usage[key] ?? []);
    return numbers.length === 0 ? {} : { [key]: Number(numbers.reduce((a, b) => a + b, 0).toFixed(9)) };
  };
  return { ...sum('input_tokens'), ...sum('output_tokens'), ...sum('cost_usd') };
}
