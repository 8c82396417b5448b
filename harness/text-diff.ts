/** One line of a comparison: kept, removed or added. */
interface Edit {
  readonly sign: ' ' | '-' | '+';
  readonly line: string;
}

export interface TextDiff {
  /** In the format of `diff -u`; empty if nothing differs. */
  readonly text: string;
  readonly added: number;
  readonly removed: number;
}

/** With more differences than this, the rest is shown as one block instead of line by line. */
const MAX_EDITS = 2_000;
const CONTEXT_LINES = 3;

export function diffTexts(before: string | null, after: string, name: string): TextDiff {
  const edits = editsBetween(before === null ? [] : linesOf(before), linesOf(after));
  const added = edits.filter(({ sign }) => sign === '+').length;
  const removed = edits.filter(({ sign }) => sign === '-').length;
  if (added === 0 && removed === 0) return { text: '', added, removed };
  const head = [before === null ? '--- /dev/null' : `--- a/${name}`, `+++ b/${name}`];
  return { text: `${[...head, ...hunksOf(edits)].join('\n')}\n`, added, removed };
}

/** A last line without a line feed differs from one with it. */
function linesOf(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  const last = lines.pop() ?? '';
  return last === '' ? lines : [...lines, `${last}\n\\ No newline at end of file`];
}

function editsBetween(before: readonly string[], after: readonly string[]): Edit[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  const keep = (lines: readonly string[]): Edit[] => lines.map((line) => ({ sign: ' ', line }));
  return [
    ...keep(before.slice(0, start)),
    ...shortestEdits(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...keep(before.slice(before.length - end)),
  ];
}

/** The greedy algorithm of Myers: the furthest point on each diagonal, with one more edit in each round. */
function shortestEdits(before: readonly string[], after: readonly string[]): Edit[] {
  const reach = new Map<number, number>([[1, 0]]);
  const trace: ReadonlyMap<number, number>[] = [];
  const limit = Math.min(before.length + after.length, MAX_EDITS);
  for (let edits = 0; edits <= limit; edits += 1) {
    trace.push(new Map(reach));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = nextX(reach, diagonal, edits);
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x += 1;
      reach.set(diagonal, x);
      if (x >= before.length && x - diagonal >= after.length) return walkBack(trace, before, after);
    }
  }
  return [
    ...before.map((line): Edit => ({ sign: '-', line })),
    ...after.map((line): Edit => ({ sign: '+', line })),
  ];
}

function nextX(reach: ReadonlyMap<number, number>, diagonal: number, edits: number): number {
  const down = reach.get(diagonal + 1) ?? -1;
  const right = reach.get(diagonal - 1) ?? -1;
  return diagonal === -edits || (diagonal !== edits && right < down) ? down : right + 1;
}

function walkBack(
  trace: readonly ReadonlyMap<number, number>[],
  before: readonly string[],
  after: readonly string[],
): Edit[] {
  const edits: Edit[] = [];
  let x = before.length;
  let y = after.length;
  for (let count = trace.length - 1; count >= 0; count -= 1) {
    const reach = trace[count] ?? new Map<number, number>();
    const diagonal = x - y;
    const down = reach.get(diagonal + 1) ?? -1;
    const right = reach.get(diagonal - 1) ?? -1;
    const fromAbove = diagonal === -count || (diagonal !== count && right < down);
    const previousX = fromAbove ? down : right;
    const previousY = previousX - (fromAbove ? diagonal + 1 : diagonal - 1);
    while (x > previousX && y > previousY && x > 0 && y > 0) {
      edits.push({ sign: ' ', line: before[x - 1] ?? '' });
      x -= 1;
      y -= 1;
    }
    if (count === 0) break;
    if (fromAbove) edits.push({ sign: '+', line: after[previousY] ?? '' });
    else edits.push({ sign: '-', line: before[previousX] ?? '' });
    x = previousX;
    y = previousY;
  }
  return edits.reverse();
}

/** Groups nearby changes into hunks with context lines. */
function hunksOf(edits: readonly Edit[]): string[] {
  const changed = edits.flatMap(({ sign }, index) => (sign === ' ' ? [] : [index]));
  const ranges: { from: number; to: number }[] = [];
  for (const index of changed) {
    const last = ranges.at(-1);
    if (last !== undefined && index - CONTEXT_LINES <= last.to + CONTEXT_LINES) last.to = index;
    else ranges.push({ from: index, to: index });
  }
  return ranges.flatMap(({ from, to }) =>
    hunk(edits, Math.max(0, from - CONTEXT_LINES), Math.min(edits.length, to + CONTEXT_LINES + 1)),
  );
}

function hunk(edits: readonly Edit[], from: number, to: number): string[] {
  const count = (part: readonly Edit[], other: '-' | '+'): number =>
    part.filter(({ sign }) => sign !== other).length;
  const ahead = edits.slice(0, from);
  const shown = edits.slice(from, to);
  const range = (other: '-' | '+'): string => {
    const length = count(shown, other);
    return `${count(ahead, other) + (length === 0 ? 0 : 1)},${length}`;
  };
  return [`@@ -${range('+')} +${range('-')} @@`, ...shown.map(({ sign, line }) => `${sign}${line}`)];
}
