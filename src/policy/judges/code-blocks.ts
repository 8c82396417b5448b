import { type CodeLanguage, findLiteral } from '../content/code-text.ts';

/** Finds where blocks of code end, in languages with braces. Reads each character once, whatever the input. */

export interface CodeBlocks {
  /** The offset after the block or semicolon that ends the item starting at `start`. */
  readonly endOf: (start: number) => number;
}

interface Mark {
  readonly at: number;
  readonly char: string;
  /** Number of brackets open before it. */
  readonly depth: number;
  /** The offset after the matching closing bracket; for a semicolon, the offset after it. */
  end: number;
}

export function findBlocks(text: string, language: CodeLanguage): CodeBlocks {
  const marks = readMarks(text, language);
  const next = nextAtSameDepth(marks);
  return {
    endOf: (start) => {
      const first = indexFrom(marks, start);
      const depth = marks[first]?.depth ?? 0;
      for (let index = first; index < marks.length; index = next[index] ?? marks.length) {
        const mark = marks[index];
        if (mark === undefined || mark.depth < depth) break;
        if (mark.char === '{' || mark.char === ';') return mark.end;
      }
      return text.length;
    },
  };
}

/** For each mark, the next one that isn't deeper. */
function nextAtSameDepth(marks: readonly Mark[]): number[] {
  const next: number[] = [];
  const open: number[] = [];
  for (let index = marks.length - 1; index >= 0; index -= 1) {
    const depth = marks[index]?.depth ?? 0;
    while (open.length > 0 && (marks[open.at(-1) ?? 0]?.depth ?? 0) > depth) open.pop();
    next[index] = open.at(-1) ?? marks.length;
    open.push(index);
  }
  return next;
}

function indexFrom(marks: readonly Mark[], start: number): number {
  let [low, high] = [0, marks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((marks[middle]?.at ?? 0) < start) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Brackets and semicolons outside comments and strings. */
function readMarks(text: string, language: CodeLanguage): Mark[] {
  const marks: Mark[] = [];
  const open: Mark[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const literal = findLiteral(text, at, language);
    if (literal !== null) {
      at = literal.end - 1;
      continue;
    }
    const char = text[at] ?? '';
    if ('([{'.includes(char)) {
      const mark = { at, char, depth: open.length, end: text.length };
      marks.push(mark);
      open.push(mark);
    } else if (')]}'.includes(char)) {
      const mark = open.pop();
      if (mark !== undefined) mark.end = at + 1;
    } else if (char === ';') marks.push({ at, char, depth: open.length, end: at + 1 });
  }
  return marks;
}
