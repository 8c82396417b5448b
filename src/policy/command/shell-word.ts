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
}

/** What stands where a program adds words of its own, such as xargs does. */
export const SUPPLIED_WORD: Word = { text: '', raw: '…', quoting: 'none', unknown: true, pattern: false };

export function plainWord(text: string): Word {
  return { text, raw: text, quoting: 'none', unknown: false, pattern: false };
}

export function isFixed(word: Word): boolean {
  return !word.unknown && !word.pattern;
}

/** The name of a program, whatever way leads to it. */
export function programOf(word: Word | undefined): string {
  if (word === undefined) return '';
  return word.text.slice(word.text.lastIndexOf('/') + 1).toLowerCase();
}

export interface Assignment {
  readonly name: string;
  /** Null where the value is only known when it runs. */
  readonly value: string | null;
}

const ASSIGNMENT = /^([A-Za-z_][A-Za-z0-9_]*)(?:\[[^\]]*\])?\+?=/;

/** What the shell itself takes for an assignment; quotes in the name make it an ordinary word. */
export function readAssignment(word: Word): Assignment | null {
  return assignmentOf(ASSIGNMENT.exec(word.raw)?.[1], word);
}

/** What `export` and `env` take for one: they get the word without its quotes. */
export function readGivenAssignment(word: Word): Assignment | null {
  return assignmentOf(ASSIGNMENT.exec(word.text)?.[1], word);
}

function assignmentOf(name: string | undefined, { text, unknown }: Word): Assignment | null {
  if (name === undefined) return null;
  return { name, value: unknown ? null : text.slice(text.indexOf('=') + 1) };
}

/** A tilde is only the home folder where its name is not quoted; what follows the slash may be. */
export function startsAtHome({ raw }: Word): boolean {
  return /^~[\w.+-]*(?:\/|$)/.test(raw);
}

export type WriteOperator = '>' | '>>' | '>|' | '>&' | '&>' | '&>>' | '<>';

export interface Redirection {
  readonly operator: WriteOperator | '<' | '<&' | '<<' | '<<<';
  readonly target: Word;
}

export type Connector = '&&' | '||' | ';' | '|' | '&' | 'end';

/** One simple command with all that belongs to it. */
export interface Segment {
  readonly assignments: readonly Assignment[];
  readonly words: readonly Word[];
  readonly redirections: readonly Redirection[];
  /** Behind `!` it succeeds by failing. */
  readonly negated: boolean;
  /** The subshells around it, outermost first, each with a number of its own. */
  readonly shells: readonly number[];
  /** What stands between it and the next one. */
  readonly next: Connector;
}

export interface ShellLine {
  readonly segments: readonly Segment[];
  /** What makes the reading uncertain. A line with any of them is not to be trusted. */
  readonly problems: readonly string[];
  /** Loops and functions run what is written once more than once. */
  readonly repeats: boolean;
  /** The line with quoted text, bodies of here-documents and comments blotted out, character by character. */
  readonly masked: string;
}

/** Matches neither words nor white space. */
export const MASK = '\u0000';
