/** Finds where blocks of code end, in languages with braces. Reads every character once, whatever an agent wrote. */

export type Dialect = 'rust' | 'zig';

export interface CodeBlocks {
  /** Behind the block or the semicolon that ends the item beginning at `start`. */
  readonly endOf: (start: number) => number;
}

interface Mark {
  readonly at: number;
  readonly char: string;
  /** Brackets that are open before it. */
  readonly depth: number;
  /** Behind the bracket that closes this one; for a semicolon, behind itself. */
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

/** For each mark the next one that is not deeper. */
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

/** Brackets and semicolons that are neither in comments nor in strings. */
function readMarks(text: string, dialect: Dialect): Mark[] {
  const marks: Mark[] = [];
  const open: Mark[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const behind = skipText(text, at, dialect);
    if (behind > at) {
      at = behind - 1;
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

/** Where the comment or the string that begins here ends; `at` itself if none does. */
function skipText(text: string, at: number, dialect: Dialect): number {
  const char = text[at];
  if (char === '/' && text[at + 1] === '/') return behind(text, '\n', at + 2);
  if (char === '/' && text[at + 1] === '*') return behind(text, '*/', at + 2);
  if (char === '"') return behindQuote(text, at);
  if (char === "'") return behindCharacter(text, at);
  if (char === 'r' && dialect === 'rust' && !/\w/.test(text[at - 1] ?? '')) return behindRawString(text, at);
  return at;
}

function behind(text: string, end: string, from: number): number {
  const found = text.indexOf(end, from);
  return found < 0 ? text.length : found + end.length;
}

function behindQuote(text: string, at: number): number {
  let end = at + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
  return Math.min(end + 1, text.length);
}

/** `'a'` and `'\u{1f600}'` are characters, `'a` is a lifetime. */
function behindCharacter(text: string, at: number): number {
  if (text[at + 1] === '\\') {
    const end = text.slice(at + 3, at + 15).indexOf("'");
    return end < 0 ? at : at + 3 + end + 1;
  }
  return text[at + 2] === "'" ? at + 3 : at;
}

function behindRawString(text: string, at: number): number {
  let quote = at + 1;
  while (text[quote] === '#') quote += 1;
  return text[quote] === '"' ? behind(text, `"${'#'.repeat(quote - at - 1)}`, quote + 1) : at;
}
