/** Finds where blocks of code end, in languages with braces. Reads each character once, whatever the input. */

export type Dialect = 'rust' | 'zig';

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

export function findBlocks(text: string, dialect: Dialect): CodeBlocks {
  const marks = readMarks(text, dialect);
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
function readMarks(text: string, dialect: Dialect): Mark[] {
  const marks: Mark[] = [];
  const open: Mark[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const endAfter = skipText(text, at, dialect);
    if (endAfter > at) {
      at = endAfter - 1;
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

/** The end of the comment or string that starts here; `at` itself if there is none. */
function skipText(text: string, at: number, dialect: Dialect): number {
  const char = text[at];
  if (char === '/' && text[at + 1] === '/') return endAfter(text, '\n', at + 2);
  if (char === '/' && text[at + 1] === '*') return endAfter(text, '*/', at + 2);
  if (char === '"') return skipQuote(text, at);
  if (char === "'") return skipCharacter(text, at);
  if (char === 'r' && dialect === 'rust' && !/\w/.test(text[at - 1] ?? '')) return skipRawString(text, at);
  return at;
}

function endAfter(text: string, end: string, from: number): number {
  const found = text.indexOf(end, from);
  return found < 0 ? text.length : found + end.length;
}

function skipQuote(text: string, at: number): number {
  let end = at + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
  return Math.min(end + 1, text.length);
}

/** `'a'` and `'\u{1f600}'` are characters, `'a` is a lifetime. */
function skipCharacter(text: string, at: number): number {
  if (text[at + 1] === '\\') {
    const end = text.slice(at + 3, at + 15).indexOf("'");
    return end < 0 ? at : at + 3 + end + 1;
  }
  return text[at + 2] === "'" ? at + 3 : at;
}

function skipRawString(text: string, at: number): number {
  let quote = at + 1;
  while (text[quote] === '#') quote += 1;
  return text[quote] === '"' ? endAfter(text, `"${'#'.repeat(quote - at - 1)}`, quote + 1) : at;
}
