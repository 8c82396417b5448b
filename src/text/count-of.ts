/** `1 test`, `2 tests`: a number with its noun, in the singular for one. */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
