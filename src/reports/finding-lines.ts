import { relativeToCheckout } from './checkout-paths.ts';
import { stripEscapeSequences } from './output-tail.ts';

/** Lines of an output that are compared; one with more can't be. */
const MAX_LINES = 5_000;
const MAX_COLUMNS = 400;

/**
 * What a linter or a type checker reports, as lines that are equal if they say the same: numbers are left out, because an edit
 * above a finding moves it, and so are blank lines. Null where there is too much to compare.
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

/** Lines that there are more of now than there were. */
export function newFindings(base: readonly string[], now: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const line of base) left.set(line, (left.get(line) ?? 0) + 1);
  return now.filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count <= 0;
  });
}
