/**
 * Makes paths relative to the root of the checkout. Validators run in a checkout that agents can't open, and print
 * its absolute paths; the same files are in the workspace.
 */
export function relativeToCheckout(text: string, checkouts: readonly string[]): string {
  let result = text;
  for (const checkout of longestFirst(checkouts)) {
    const folder = checkout.replace(/\/+$/, '');
    if (folder === '' || !/[^/]/.test(folder)) continue;
    for (const written of new Set([folder, encodeURI(folder)])) {
      const start = new RegExp(
        `(?:file://)?${escapePattern(written)}(?=[/\\s"'\`)\\]:,;]|$)(?:/(?=[^\\s]))?`,
        'g',
      );
      result = result.replace(start, (found) => (found.endsWith('/') ? '' : '.'));
    }
  }
  return result;
}

/** Does the same for every string in a value, such as a report that a harness wrote itself. */
export function valueRelativeToCheckout(value: unknown, checkouts: readonly string[]): unknown {
  if (typeof value === 'string') return relativeToCheckout(value, checkouts);
  if (Array.isArray(value)) return value.map((each) => valueRelativeToCheckout(each, checkouts));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, valueRelativeToCheckout(each, checkouts)]),
  );
}

function longestFirst(checkouts: readonly string[]): string[] {
  return [...new Set(checkouts)].sort((one, other) => other.length - one.length);
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
