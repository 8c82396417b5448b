const HEAD_LINES = 8;
const TAIL_LINES = 12;
const OMITTED = '  …';

/**
 * The lines of a failed command that are shown. Most programs print the reason last, but npm and others print it first
 * and then their usage, so both ends are shown. `tail` is null where `head` is the whole output; otherwise the last
 * line of `head` and the first of `tail` may be cut and are dropped.
 */
export function excerptOutput(head: string, tail: string | null): readonly string[] {
  const first = printed(head);
  if (tail === null) {
    if (first.length <= HEAD_LINES + TAIL_LINES) return first;
    return [...first.slice(0, HEAD_LINES), OMITTED, ...first.slice(-TAIL_LINES)];
  }
  const start = printed(head.slice(0, Math.max(0, head.lastIndexOf('\n')))).slice(0, HEAD_LINES);
  const end = printed(tail.slice(tail.indexOf('\n') + 1)).slice(-TAIL_LINES);
  return [...start, OMITTED, ...end];
}

/** Lines that say something: npm prints a prefix alone for an empty line. */
function printed(text: string): readonly string[] {
  return text.split('\n').filter((line) => !/^\s*(?:npm (?:error|ERR!))?\s*$/.test(line));
}
