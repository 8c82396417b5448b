import type { PatchHunk } from '../../policy/patch.ts';

/** What a decoder writes where bytes are no text. */
const LOST = '\uFFFD';

/**
 * The text after the hunks, or before them with `reverse`. Null where a line is not exactly as the hunk says, at the
 * place that it says: a hunk that fits elsewhere may mean something else there.
 */
export function applyHunks(text: string, hunks: readonly PatchHunk[], reverse = false): string | null {
  const lines = splitLines(text);
  const out: string[] = [];
  let at = 0;
  for (const hunk of hunks) {
    const sides = sidesOf(hunk, reverse);
    if (sides === null) return null;
    const { start, from, to } = sides;
    // A hunk without lines of this side names the line behind which it stands.
    const first = from.length === 0 ? start : start - 1;
    if (first < at || first + from.length > lines.length) return null;
    for (const line of lines.slice(at, first)) out.push(line);
    if (from.some((line, index) => lines[first + index] !== line)) return null;
    for (const line of to) out.push(line);
    at = first + from.length;
  }
  for (const line of lines.slice(at)) out.push(line);
  // Only the last line may lack its end.
  if (out.slice(0, -1).some((line) => !line.endsWith('\n'))) return null;
  return out.join('');
}

interface Sides {
  readonly start: number;
  readonly from: readonly string[];
  readonly to: readonly string[];
}

function sidesOf(hunk: PatchHunk, reverse: boolean): Sides | null {
  const old: string[] = [];
  const now: string[] = [];
  let last: readonly string[][] = [];
  for (const line of hunk.lines) {
    if (line.includes(LOST)) return null;
    if (line.startsWith('\\')) {
      for (const side of last) side.push((side.pop() ?? '').replace(/\n$/, ''));
      continue;
    }
    last = line.startsWith('+') ? [now] : line.startsWith('-') ? [old] : [old, now];
    // Some programs take the blank off a line that has nothing else.
    const content = /^[-+ ]/.test(line) ? line.slice(1) : line;
    for (const side of last) side.push(`${content}\n`);
  }
  return reverse
    ? { start: hunk.newStart, from: now, to: old }
    : { start: hunk.oldStart, from: old, to: now };
}

/** What a hunk says was there. Null where that is no text. */
export function oldSide(hunk: PatchHunk): string | null {
  return sidesOf(hunk, false)?.from.join('') ?? null;
}

function splitLines(text: string): string[] {
  const lines = text.split('\n').map((line) => `${line}\n`);
  const last = (lines.pop() ?? '').slice(0, -1);
  return last === '' ? lines : [...lines, last];
}
