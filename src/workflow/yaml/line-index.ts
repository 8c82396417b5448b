import type { Span } from '../../diagnostics/diagnostic.ts';

/** Converts text offsets to lines and columns. */
export interface LineIndex {
  readonly span: (start: number, end: number) => Span;
}

export function createLineIndex(text: string): LineIndex {
  let known: readonly number[] | null = null;

  const place = (offset: number): { line: number; column: number } => {
    // Computed on first use: most documents are valid and need no positions.
    known ??= findLineStarts(text);
    const starts = known;
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };

  return {
    span: (start, end) => {
      const from = place(start);
      const to = place(Math.max(start, end));
      return { line: from.line, column: from.column, endLine: to.line, endColumn: to.column };
    },
  };
}

/** The offset at which each line starts. */
export function findLineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}
