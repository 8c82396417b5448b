export interface JsonBounds {
  readonly levels: number;
  readonly values: number;
}

/**
 * Why a parsed text is more than a report can be, or null. What reads it next goes down by recursion and notes every
 * value that does not fit, so a few megabytes of brackets or zeros could end the whole program.
 */
export function boundsProblem(value: unknown, { levels, values }: JsonBounds): string | null {
  let count = 0;
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) return `is nested deeper than ${levels} levels`;
    const next: unknown[] = [];
    for (const item of level) {
      if (typeof item !== 'object' || item === null) continue;
      const inner = Array.isArray(item) ? (item as unknown[]) : Object.values(item);
      count += inner.length;
      if (count > values) return `holds more than ${values} values`;
      for (const one of inner) if (typeof one === 'object' && one !== null) next.push(one);
    }
    level = next;
  }
  return null;
}
