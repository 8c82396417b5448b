/** A word as the shell passes it on: quotes removed, parts joined. */
export interface Word {
  /** The text known before it runs. Expansions appear as written. */
  readonly text: string;
  /** As written. */
  readonly raw: string;
  readonly quoting: 'none' | 'part' | 'whole';
  /** Only the running shell knows the value: `$x`, `$(…)`, words that xargs appends. */
  readonly unknown: boolean;
  /** The shell may expand it to several words: globs and braces. */
  readonly pattern: boolean;
  /** Its parts, if some of them are expansions. */
  readonly pieces: readonly Piece[] | null;
  /** The word represents paths below its text, as `find` lists them: `all` of them, or `some` selected by name. */
  readonly below: 'some' | 'all' | null;
}

/** A part of a word. Quoted parts are neither split into words nor expanded as patterns. */
export type Piece = { readonly quoted: boolean } & (
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'variable'; readonly raw: string; readonly name: string; readonly change: Change }
  /** A command substitution, with the commands that produce its output. */
  | { readonly kind: 'output'; readonly raw: string; readonly steps: readonly Step[] }
  /** A result of arithmetic, a process id or an exit code. */
  | { readonly kind: 'number'; readonly raw: string }
  | { readonly kind: 'unknown'; readonly raw: string }
);

/** How an expansion changes the value of its variable. */
export type Change =
  | { readonly kind: 'none' | 'all' }
  /** `${x:-text}`. */
  | { readonly kind: 'default'; readonly text: string }
  /** `${x%text}` and `${x#text}`, which remove a suffix or a prefix; doubled, the longest possible one. */
  | { readonly kind: 'cut'; readonly sign: '%' | '%%' | '#' | '##'; readonly text: string };

/** A placeholder for words that a program adds, such as xargs. */
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

/** A text without its quotes that no shell splits again. */
export function quotedWord(text: string): Word {
  return { ...plainWord(text), quoting: 'whole' };
}

export function isFixed(word: Word): boolean {
  return !word.unknown && !word.pattern;
}

/** The name of a program without its path. */
export function programOf(word: Word | undefined): string {
  if (word === undefined) return '';
  return word.text.slice(word.text.lastIndexOf('/') + 1).toLowerCase();
}

export interface Assignment {
  readonly name: string;
  /** Null if the value is only known at run time. */
  readonly value: string | null;
  readonly content: AssignedContent;
  /** Whether the value is appended to the current one: `x+=y`. */
  readonly appends: boolean;
}

export type AssignedContent =
  | { readonly kind: 'word'; readonly word: Word }
  /** The elements of an array. */
  | { readonly kind: 'list'; readonly words: readonly Word[] }
  /** A loop sets its variable to each of these in turn. */
  | { readonly kind: 'choice'; readonly words: readonly Word[] }
  | { readonly kind: 'unknown' };

export const UNKNOWN_CONTENT: AssignedContent = { kind: 'unknown' };

const ASSIGNMENT = /^([A-Za-z_][A-Za-z0-9_]*)(\[[^\]]*\])?(\+?)=/;

/** Reads an assignment as the shell does; quotes in the name make it an ordinary word. */
export function readAssignment(word: Word): Assignment | null {
  return toAssignment(ASSIGNMENT.exec(word.raw), word);
}

/** Reads an assignment as `export` and `env` do: from the word without its quotes. */
export function readGivenAssignment(word: Word): Assignment | null {
  return toAssignment(ASSIGNMENT.exec(word.text), word);
}

function toAssignment(found: RegExpExecArray | null, word: Word): Assignment | null {
  const [whole = '', name, subscript, plus] = found ?? [];
  if (name === undefined) return null;
  return {
    name,
    value: word.unknown ? null : word.text.slice(word.text.indexOf('=') + 1),
    content:
      subscript === undefined ? { kind: 'word', word: dropPrefix(word, whole.length) } : UNKNOWN_CONTENT,
    appends: plus === '+',
  };
}

/** The rest of a word after some characters of plain text. */
function dropPrefix(word: Word, length: number): Word {
  const text = word.text.slice(length);
  const [first, ...rest] = word.pieces ?? [];
  const pieces =
    first?.kind === 'text' ? [{ ...first, text: first.text.slice(length) }, ...rest] : word.pieces;
  const isWritten = word.raw.startsWith(word.text.slice(0, length));
  return { ...word, text, raw: isWritten ? word.raw.slice(length) : text, pieces };
}

/** A tilde means the home folder only if the part before the slash is unquoted. */
export function startsAtHome({ raw }: Word): boolean {
  return /^~[\w.+-]*(?:\/|$)/.test(raw);
}

export type WriteOperator = '>' | '>>' | '>|' | '>&' | '&>' | '&>>' | '<>';

export interface Redirection {
  readonly operator: WriteOperator | '<' | '<&' | '<<' | '<<<';
  readonly target: Word;
  /** The text of a here-document, which is read after its command. */
  readonly body: { word: Word } | null;
  /** The commands whose output `< <(…)` reads. */
  readonly input: readonly Step[] | null;
}

export type Connector = '&&' | '||' | ';' | '|' | '&' | 'end';

/** One simple command with its assignments and redirections. */
export interface Segment {
  readonly kind: 'command';
  readonly assignments: readonly Assignment[];
  readonly words: readonly Word[];
  readonly redirections: readonly Redirection[];
  /** Preceded by `!`, which inverts its exit code. */
  readonly negated: boolean;
  /** Whether it is inside `$(…)`, so that its output is part of another command. */
  readonly substituted: boolean;
  /** The connector between this command and the next one. */
  readonly next: Connector;
}

export type CompoundShape = 'subshell' | 'substitution' | 'group' | 'loop' | 'if' | 'case' | 'function';

/** A compound command, such as a loop, a group or a subshell. */
export interface Compound {
  readonly kind: 'compound';
  readonly shape: CompoundShape;
  /** The name of a function; empty for other shapes. */
  readonly name: string;
  /** Conditions and bodies in order; for a case, its branches. */
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
  /** Every simple command, in reading order. */
  readonly segments: readonly Segment[];
  /** Reasons why the parse is uncertain. A line with a problem must not be trusted. */
  readonly problems: readonly string[];
  /** The line exceeds the limits, and the rest of it was not read. */
  readonly isTooLarge: boolean;
  /** The rest of the line that was not read because the text before it could not be parsed. */
  readonly unread: string;
  /** The line with quoted text, here-document bodies and comments masked, character by character. */
  readonly masked: string;
}

/** A character that matches neither words nor white space. */
export const MASK = '\u0000';
