const HEAD_LINES = 8;
const TAIL_LINES = 12;
const OMITTED = '  …';

/**
 * Selects the lines of a failed command's output to show. Most programs print the reason last, but npm and others print
 * it first and then their usage, so both ends are shown. `tail` is null if `head` is the whole output; otherwise the
 * last line of `head` and the first of `tail` may be incomplete and are dropped.
 */
export function excerptOutput(head: string, tail: string | null): readonly string[] {
  const first = dropEmptyLines(head);
  if (tail === null) {
    if (first.length <= HEAD_LINES + TAIL_LINES) return first;
    return [...first.slice(0, HEAD_LINES), OMITTED, ...first.slice(-TAIL_LINES)];
  }
  const start = dropEmptyLines(head.slice(0, Math.max(0, head.lastIndexOf('\n')))).slice(0, HEAD_LINES);
  const end = dropEmptyLines(tail.slice(tail.indexOf('\n') + 1)).slice(-TAIL_LINES);
  return [...start, OMITTED, ...end];
}

/** Drops empty lines, including those on which npm prints only its prefix. */
function dropEmptyLines(text: string): readonly string[] {
  return text.split('\n').filter((line) => !/^\s*(?:npm (?:error|ERR!))?\s*$/.test(line));
}
