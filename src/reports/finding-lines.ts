import { relativeToCheckout } from './checkout-paths.ts';
import { stripEscapeSequences } from './output-tail.ts';

/** Maximum number of lines to compare; a longer output is not compared. */
const MAX_LINES = 5_000;
const MAX_COLUMNS = 400;

/**
 * The findings of a linter or a type checker, as lines that are equal if they report the same thing. Numbers are
 * replaced, because an edit above a finding moves it, and blank lines are dropped. Null if there is too much to
 * compare.
 */
export function findingLines(outputs: readonly string[], checkout: string): string[] | null {
  const text = relativeToCheckout(stripEscapeSequences(outputs.join('\n')), [checkout]);
  const lines = text
    .split('\n')
    .map((line) =>
      line
        .replace(/\d+(?:\.\d+)?/g, '#')
        .trim()
        .slice(0, MAX_COLUMNS),
    )
    .filter((line) => line !== '');
  return lines.length > MAX_LINES ? null : lines;
}

/** Lines that occur more often now than at the base. */
export function newFindings(base: readonly string[], now: readonly string[]): string[] {
  const remaining = new Map<string, number>();
  for (const line of base) remaining.set(line, (remaining.get(line) ?? 0) + 1);
  return now.filter((line) => {
    const count = remaining.get(line) ?? 0;
    remaining.set(line, count - 1);
    return count <= 0;
  });
}
