import { MASK, type Segment, type ShellLine } from './shell-word.ts';

/** How deep substitutions, groups and quotes inside each other are followed. */
const MAX_DEPTH = 64;
/** Lines with more than this are not read by anybody, and so are not run either. */
const MAX_COMMANDS = 5_000;
const MAX_WORDS = 50_000;

export interface Heredoc {
  readonly delimiter: string;
  /** A quoted delimiter keeps the shell from expanding the body. */
  readonly literal: boolean;
  readonly stripTabs: boolean;
}

/** Where the reader stands in a line, and what it has found so far. */
export interface LineCursor {
  readonly source: string;
  at: number;
  depth: number;
  words: number;
  /** The subshells that are open, and how many there were. */
  shells: readonly number[];
  shellCount: number;
  repeats: boolean;
  readonly segments: Segment[];
  readonly problems: Set<string>;
  /** Pairs of offsets between which text is blotted out. */
  readonly masks: (readonly [number, number])[];
  readonly heredocs: Heredoc[];
  /** Reads commands up to the bracket that closes a substitution. */
  readonly readNested: (cursor: LineCursor) => void;
}

export function createCursor(source: string, readNested: LineCursor['readNested']): LineCursor {
  return {
    source,
    at: 0,
    depth: 0,
    words: 0,
    shells: [],
    shellCount: 0,
    repeats: false,
    segments: [],
    problems: new Set(),
    masks: [],
    heredocs: [],
    readNested,
  };
}

export function charAt(cursor: LineCursor, offset = 0): string {
  return cursor.source[cursor.at + offset] ?? '';
}

export function isAtEnd(cursor: LineCursor): boolean {
  return cursor.at >= cursor.source.length;
}

export function sees(cursor: LineCursor, text: string): boolean {
  return cursor.source.startsWith(text, cursor.at);
}

/** Gives up on the rest: what can't be read is not guessed at. */
export function giveUp(cursor: LineCursor, problem: string): void {
  cursor.problems.add(problem);
  cursor.at = cursor.source.length;
}

export function addSegment(cursor: LineCursor, segment: Omit<Segment, 'shells' | 'next'>): void {
  cursor.segments.push({ ...segment, shells: cursor.shells, next: 'end' });
  if (cursor.segments.length > MAX_COMMANDS) giveUp(cursor, 'it holds too many commands');
}

export function countWord(cursor: LineCursor): void {
  cursor.words += 1;
  if (cursor.words > MAX_WORDS) giveUp(cursor, 'it holds too many words');
}

export function nest(cursor: LineCursor, read: () => void): void {
  if (cursor.depth >= MAX_DEPTH) {
    giveUp(cursor, 'it is nested too deeply');
    return;
  }
  cursor.depth += 1;
  read();
  cursor.depth -= 1;
}

export function mask(cursor: LineCursor, from: number, to: number): void {
  if (to > from) cursor.masks.push([from, to]);
}

/** To the end of the line; what stands there is no text of a command. */
export function skipComment(cursor: LineCursor): void {
  const start = cursor.at;
  const end = cursor.source.indexOf('\n', start);
  cursor.at = end < 0 ? cursor.source.length : end;
  mask(cursor, start, cursor.at);
}

export function finish(cursor: LineCursor): ShellLine {
  const { source, segments, problems, repeats } = cursor;
  return { segments, problems: [...problems], repeats, masked: blot(source, cursor.masks) };
}

function blot(source: string, masks: LineCursor['masks']): string {
  const parts: string[] = [];
  let done = 0;
  for (const [from, to] of [...masks].sort(([left], [right]) => left - right)) {
    const start = Math.max(from, done);
    if (to <= start) continue;
    parts.push(source.slice(done, start), MASK.repeat(to - start));
    done = to;
  }
  parts.push(source.slice(done));
  return parts.join('');
}
