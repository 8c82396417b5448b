import {
  type Compound,
  type CompoundShape,
  type Connector,
  MASK,
  type Part,
  type Redirection,
  type Segment,
  type ShellLine,
  type Step,
  type Word,
} from './shell-word.ts';

/** How deeply nested substitutions, groups and quotes are followed. */
const MAX_DEPTH = 64;
/** Limits that hand-written lines don't exceed. */
const MAX_COMMANDS = 5_000;
const MAX_WORDS = 50_000;

export interface Heredoc {
  readonly delimiter: string;
  /** A quoted delimiter prevents expansion of the body. */
  readonly literal: boolean;
  readonly stripTabs: boolean;
  /** Set once the body has been read. */
  readonly body: { word: Word };
}

type Draft<T> = { -readonly [Key in keyof T]: T[Key] };
type PartDraft = Omit<Part, 'steps'> & { readonly steps: Step[] };
interface CompoundDraft extends Omit<Draft<Compound>, 'parts'> {
  readonly parts: PartDraft[];
}

/** The reader's position in a line, and the results so far. */
export interface LineCursor {
  readonly source: string;
  at: number;
  depth: number;
  words: number;
  isTooLarge: boolean;
  /** The position where the reader gave up; null if it read to the end. */
  stoppedAt: number | null;
  /** The list that the next command is added to. */
  steps: Step[];
  /** The compounds around the current position, outermost first. */
  open: { readonly compound: CompoundDraft; readonly around: Step[] }[];
  readonly segments: Segment[];
  readonly problems: Set<string>;
  /** Ranges of offsets in which text is masked. */
  readonly masks: (readonly [number, number])[];
  readonly heredocs: Heredoc[];
  /** Reads commands up to the parenthesis that closes a substitution. */
  readonly readNested: (cursor: LineCursor) => void;
  /** Reads a text with an extra level of quoting, such as the content of backquotes. */
  readonly readText: (text: string, depth: number) => ShellLine;
}

export function createCursor(
  source: string,
  readers: Pick<LineCursor, 'readNested' | 'readText'>,
  depth = 0,
): LineCursor {
  return {
    source,
    at: 0,
    depth,
    words: 0,
    isTooLarge: false,
    stoppedAt: null,
    steps: [],
    open: [],
    segments: [],
    problems: new Set(),
    masks: [],
    heredocs: [],
    ...readers,
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

/** Stops reading: text that can't be parsed is never guessed. */
export function stopReading(cursor: LineCursor, problem: string): void {
  cursor.problems.add(problem);
  cursor.stoppedAt ??= cursor.at;
  cursor.at = cursor.source.length;
}

function stopForSize(cursor: LineCursor, problem: string): void {
  cursor.isTooLarge = true;
  stopReading(cursor, problem);
}

export function addSegment(
  cursor: LineCursor,
  segment: Omit<Segment, 'kind' | 'substituted' | 'next'>,
): void {
  const substituted = cursor.open.some(({ compound }) => compound.shape === 'substitution');
  const step: Segment = { kind: 'command', ...segment, substituted, next: 'end' };
  cursor.steps.push(step);
  cursor.segments.push(step);
  if (cursor.segments.length > MAX_COMMANDS) stopForSize(cursor, 'it has too many commands');
}

/**
 * The index of the last step that isn't a substitution: substitutions are listed beside the command they belong to.
 */
function lastIndex({ steps }: LineCursor): number {
  return steps.findLastIndex((step) => step.kind === 'command' || step.shape !== 'substitution');
}

/** Sets the connector of a command once the text after it has been read. */
export function join(cursor: LineCursor, next: Connector): void {
  const index = lastIndex(cursor);
  const last = cursor.steps[index];
  if (last === undefined || last.next !== 'end') return;
  const joined = { ...last, next };
  cursor.steps[index] = joined;
  const at = last.kind === 'command' ? cursor.segments.lastIndexOf(last) : -1;
  if (joined.kind === 'command' && at >= 0) cursor.segments[at] = joined;
}

export function openCompound(
  cursor: LineCursor,
  shape: CompoundShape,
  { name = '', negated = false }: { readonly name?: string; readonly negated?: boolean } = {},
): void {
  const isConditional = shape === 'if' || shape === 'loop';
  const part: PartDraft = { role: isConditional ? 'condition' : 'body', steps: [] };
  const compound: CompoundDraft = {
    kind: 'compound',
    shape,
    name,
    parts: [part],
    redirections: [],
    negated,
    next: 'end',
  };
  cursor.open.push({ compound, around: cursor.steps });
  cursor.steps = part.steps;
  // Even an empty substitution costs a reader of its own, so it counts towards the limit.
  if (shape === 'substitution') countWord(cursor);
}

/** Starts the next part: after `then`, `else`, `do` or the end of a `case` branch. */
export function openPart(cursor: LineCursor, shapes: readonly CompoundShape[], role: Part['role']): void {
  const frame = cursor.open.at(-1);
  if (frame === undefined || !shapes.includes(frame.compound.shape)) {
    cursor.problems.add('a reserved word is misplaced');
    return;
  }
  const part: PartDraft = { role, steps: [] };
  frame.compound.parts.push(part);
  cursor.steps = part.steps;
}

export function closeCompound(cursor: LineCursor, shape: CompoundShape): void {
  if (cursor.open.at(-1)?.compound.shape !== shape) {
    cursor.problems.add('a reserved word is misplaced');
    return;
  }
  closeLast(cursor);
  // The body of a function is a single compound, so the function ends with it.
  if (cursor.open.at(-1)?.compound.shape === 'function') closeLast(cursor);
}

function closeLast(cursor: LineCursor): void {
  const frame = cursor.open.pop();
  if (frame === undefined) return;
  cursor.steps = frame.around;
  cursor.steps.push(frame.compound);
}

/** Redirections after a compound apply to all of it. */
export function redirectLast(cursor: LineCursor, redirections: readonly Redirection[]): boolean {
  const index = lastIndex(cursor);
  const last = cursor.steps[index];
  if (last?.kind !== 'compound' || last.next !== 'end') return false;
  cursor.steps[index] = { ...last, redirections: [...last.redirections, ...redirections] };
  return true;
}

/** Reads the commands of a subshell or substitution; compounds left open in it end with it. */
export function readInside(cursor: LineCursor, shape: 'subshell' | 'substitution', read: () => void): Step[] {
  const depth = cursor.open.length;
  openCompound(cursor, shape);
  nest(cursor, read);
  if (cursor.open.length > depth + 1) cursor.problems.add('a compound command is not closed');
  while (cursor.open.length > depth + 1) closeLast(cursor);
  const { steps } = cursor;
  closeLast(cursor);
  if (shape === 'subshell' && cursor.open.at(-1)?.compound.shape === 'function') closeLast(cursor);
  return steps;
}

/** Adds commands that were read separately, as a substitution of this line. */
export function addSubstitution(
  cursor: LineCursor,
  { steps, segments, problems, isTooLarge }: ShellLine,
): void {
  openCompound(cursor, 'substitution');
  cursor.steps.push(...steps);
  closeLast(cursor);
  cursor.segments.push(...segments.map((segment) => ({ ...segment, substituted: true })));
  for (const problem of problems) cursor.problems.add(problem);
  cursor.isTooLarge ||= isTooLarge;
  if (cursor.segments.length > MAX_COMMANDS) stopForSize(cursor, 'it has too many commands');
}

export function countWord(cursor: LineCursor): void {
  cursor.words += 1;
  if (cursor.words > MAX_WORDS) stopForSize(cursor, 'it has too many words');
}

export function nest(cursor: LineCursor, read: () => void): void {
  if (cursor.depth >= MAX_DEPTH) {
    stopForSize(cursor, 'it is nested too deeply');
    return;
  }
  cursor.depth += 1;
  read();
  cursor.depth -= 1;
}

export function mask(cursor: LineCursor, from: number, to: number): void {
  if (to > from) cursor.masks.push([from, to]);
}

/** Skips to the end of the line and masks the comment. */
export function skipComment(cursor: LineCursor): void {
  const start = cursor.at;
  const end = cursor.source.indexOf('\n', start);
  cursor.at = end < 0 ? cursor.source.length : end;
  mask(cursor, start, cursor.at);
}

export function finish(cursor: LineCursor): ShellLine {
  if (cursor.open.length > 0) cursor.problems.add('a compound command is not closed');
  while (cursor.open.length > 0) closeLast(cursor);
  const { source, steps, segments, problems, isTooLarge, stoppedAt } = cursor;
  return {
    steps,
    segments,
    problems: [...problems],
    isTooLarge,
    unread: stoppedAt === null || isTooLarge ? '' : source.slice(stoppedAt),
    masked: maskRanges(source, cursor.masks),
  };
}

function maskRanges(source: string, masks: LineCursor['masks']): string {
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
