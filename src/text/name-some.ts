/** The first `max` names of a list on one line, and the number of the others. */
export function nameSome(names: readonly string[], max: number): string {
  const hidden = names.length - max;
  return `${names.slice(0, max).join(', ')}${hidden > 0 ? ` and ${hidden} more` : ''}`;
}
