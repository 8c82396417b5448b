/** A word as the shell passes it on: quotes removed, parts joined. */
export interface Word {
  /** What is known before it runs. Expansions stand as they were written. */
  readonly text: string;
  /** As it was written. */
  readonly raw: string;
  readonly quoting: 'none' | 'part' | 'whole';
  /** Only the running shell knows what it becomes: `$x`, `$(…)`, what xargs appends. */
  readonly unknown: boolean;
  /** The shell may make several words of it: globs and braces. */
  readonly pattern: boolean;
  /** Its parts, where some of them are expansions. */
  readonly pieces: readonly Piece[] | null;
  /** It stands for paths below its text, such as `find` lists: for `all` of them, or for `some` picked by name. */
  readonly below: 'some' | 'all' | null;
}

/** A part of a word. Quoted parts are neither split into words nor taken for patterns. */
export type Piece = { readonly quoted: boolean } & (
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'variable'; readonly raw: string; readonly name: string; readonly change: Change }
  /** A command substitution, with the commands whose output it stands for. */
  | { readonly kind: 'output'; readonly raw: string; readonly steps: readonly Step[] }
  /** A result of arithmetic, a process id or an exit code. */
  | { readonly kind: 'number'; readonly raw: string }
  | { readonly kind: 'unknown'; readonly raw: string }
);

/** What an expansion makes of the value of its variable. */
export type Change =
  | { readonly kind: 'none' | 'all' }
  /** `${x:-text}`. */
  | { readonly kind: 'default'; readonly text: string }
  /** `${x%text}` and `${x#text}`, which cut something off the end or the start; doubled, as much as possible. */
  | { readonly kind: 'cut'; readonly sign: '%' | '%%' | '#' | '##'; readonly text: string };

/** What stands where a program adds words of its own, such as xargs does. */
export const SUPPLIED_WORD: Word = {
  text: '',
  raw: '…',
  quoting: 'none',
  unknown: true,
  pattern: false,
  pieces: null,
  below: null,
};

export function plainWord(text: string): Word {
  return { text, raw: text, quoting: 'none', unknown: false, pattern: false, pieces: null, below: null };
}

/** A text that no quotes of the line surround any more, but that no shell splits either. */
export function quotedWord(text: string): Word {
  return { ...plainWord(text), quoting: 'whole' };
}

export function isFixed(word: Word): boolean {
  return !word.unknown && !word.pattern;
}

/** The name of a program, whatever path leads to it. */
export function programOf(word: Word | undefined): string {
  if (word === undefined) return '';
  return word.text.slice(word.text.lastIndexOf('/') + 1).toLowerCase();
}

export interface Assignment {
  readonly name: string;
  /** Null where the value is only known when it runs. */
  readonly value: string | null;
  readonly content: AssignedContent;
  /** `x+=y` adds to what is there. */
  readonly adds: boolean;
}

export type AssignedContent =
  | { readonly kind: 'word'; readonly word: Word }
  /** The elements of an array. */
  | { readonly kind: 'list'; readonly words: readonly Word[] }
  /** A loop sets its variable to one of these after the other. */
  | { readonly kind: 'choice'; readonly words: readonly Word[] }
  | { readonly kind: 'unknown' };

export const UNKNOWN_CONTENT: AssignedContent = { kind: 'unknown' };

const ASSIGNMENT = /^([A-Za-z_][A-Za-z0-9_]*)(\[[^\]]*\])?(\+?)=/;

/** What the shell itself takes for an assignment; quotes in the name make it an ordinary word. */
export function readAssignment(word: Word): Assignment | null {
  return assignmentOf(ASSIGNMENT.exec(word.raw), word);
}

/** What `export` and `env` take for one: they get the word without its quotes. */
export function readGivenAssignment(word: Word): Assignment | null {
  return assignmentOf(ASSIGNMENT.exec(word.text), word);
}

function assignmentOf(found: RegExpExecArray | null, word: Word): Assignment | null {
  const [whole = '', name, subscript, plus] = found ?? [];
  if (name === undefined) return null;
  return {
    name,
    value: word.unknown ? null : word.text.slice(word.text.indexOf('=') + 1),
    content:
      subscript === undefined ? { kind: 'word', word: withoutStart(word, whole.length) } : UNKNOWN_CONTENT,
    adds: plus === '+',
  };
}

/** The rest of a word whose first characters are plain text. */
function withoutStart(word: Word, length: number): Word {
  const text = word.text.slice(length);
  const [first, ...rest] = word.pieces ?? [];
  const pieces =
    first?.kind === 'text' ? [{ ...first, text: first.text.slice(length) }, ...rest] : word.pieces;
  const isWritten = word.raw.startsWith(word.text.slice(0, length));
  return { ...word, text, raw: isWritten ? word.raw.slice(length) : text, pieces };
}

/** A tilde is only the home folder where its name is not quoted; what follows the slash may be. */
export function startsAtHome({ raw }: Word): boolean {
  return /^~[\w.+-]*(?:\/|$)/.test(raw);
}

export type WriteOperator = '>' | '>>' | '>|' | '>&' | '&>' | '&>>' | '<>';

export interface Redirection {
  readonly operator: WriteOperator | '<' | '<&' | '<<' | '<<<';
  readonly target: Word;
  /** Of a here-document: its text. It is read after the command that it belongs to. */
  readonly body: { word: Word } | null;
  /** Of `< <(…)`: the commands whose output is read. */
  readonly input: readonly Step[] | null;
}

export type Connector = '&&' | '||' | ';' | '|' | '&' | 'end';

/** One simple command with all that belongs to it. */
export interface Segment {
  readonly kind: 'command';
  readonly assignments: readonly Assignment[];
  readonly words: readonly Word[];
  readonly redirections: readonly Redirection[];
  /** Behind `!` it succeeds by failing. */
  readonly negated: boolean;
  /** Whether it is inside of `$(…)`, so that its output is a part of another command. */
  readonly substituted: boolean;
  /** What stands between it and the next one. */
  readonly next: Connector;
}

export type CompoundShape = 'subshell' | 'substitution' | 'group' | 'loop' | 'if' | 'case' | 'function';

/** Commands that the grammar holds together. */
export interface Compound {
  readonly kind: 'compound';
  readonly shape: CompoundShape;
  /** Of a function. */
  readonly name: string;
  /** Conditions and bodies in their order; of a case, its branches. */
  readonly parts: readonly Part[];
  readonly redirections: readonly Redirection[];
  readonly negated: boolean;
  readonly next: Connector;
}

export interface Part {
  readonly role: 'condition' | 'body' | 'otherwise';
  readonly steps: readonly Step[];
}

export type Step = Segment | Compound;

export interface ShellLine {
  readonly steps: readonly Step[];
  /** Every simple command, in the order in which it was read. */
  readonly segments: readonly Segment[];
  /** What makes the reading uncertain. A line with any of them is not to be trusted. */
  readonly problems: readonly string[];
  /** The line is larger than any that is written by hand, and the rest of it was not read. */
  readonly isTooLarge: boolean;
  /** What was not read, because what stands before it was not understood. */
  readonly unread: string;
  /** The line with quoted text, bodies of here-documents and comments blotted out, character by character. */
  readonly masked: string;
}

/** Matches neither words nor white space. */
export const MASK = '\u0000';
