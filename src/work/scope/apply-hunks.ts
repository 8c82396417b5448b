import type { PatchHunk } from '../../policy/patches/patch.ts';

/** The replacement character for bytes that aren't valid text. */
const REPLACEMENT_CHARACTER = '\uFFFD';

/**
 * Returns the text after the hunks, or before them with `reverse`. Null if a line differs from the hunk at
 * its stated position: a hunk that matches elsewhere may mean something else there.
 */
export function applyHunks(text: string, hunks: readonly PatchHunk[], reverse = false): string | null {
  const lines = splitLines(text);
  const out: string[] = [];
  let at = 0;
  for (const hunk of hunks) {
    const sides = splitHunk(hunk, reverse);
    if (sides === null) return null;
    const { start, from, to } = sides;
    // A hunk without lines of this side names the line after which it applies.
    const first = from.length === 0 ? start : start - 1;
    if (first < at || first + from.length > lines.length) return null;
    for (const line of lines.slice(at, first)) out.push(line);
    if (from.some((line, index) => lines[first + index] !== line)) return null;
    for (const line of to) out.push(line);
    at = first + from.length;
  }
  for (const line of lines.slice(at)) out.push(line);
  // Only the last line may lack a line feed.
  if (out.slice(0, -1).some((line) => !line.endsWith('\n'))) return null;
  return out.join('');
}

interface Sides {
  readonly start: number;
  readonly from: readonly string[];
  readonly to: readonly string[];
}

function splitHunk(hunk: PatchHunk, reverse: boolean): Sides | null {
  const old: string[] = [];
  const now: string[] = [];
  let last: readonly string[][] = [];
  for (const line of hunk.lines) {
    if (line.includes(REPLACEMENT_CHARACTER)) return null;
    if (line.startsWith('\\')) {
      for (const side of last) side.push((side.pop() ?? '').replace(/\n$/, ''));
      continue;
    }
    last = line.startsWith('+') ? [now] : line.startsWith('-') ? [old] : [old, now];
    // Some programs strip the leading space of an otherwise empty line.
    const content = /^[-+ ]/.test(line) ? line.slice(1) : line;
    for (const side of last) side.push(`${content}\n`);
  }
  return reverse
    ? { start: hunk.newStart, from: now, to: old }
    : { start: hunk.oldStart, from: old, to: now };
}

/** The text that a hunk replaces. Null if it is not valid text. */
export function readOldSide(hunk: PatchHunk): string | null {
  return splitHunk(hunk, false)?.from.join('') ?? null;
}

function splitLines(text: string): string[] {
  const lines = text.split('\n').map((line) => `${line}\n`);
  const last = (lines.pop() ?? '').slice(0, -1);
  return last === '' ? lines : [...lines, last];
}
