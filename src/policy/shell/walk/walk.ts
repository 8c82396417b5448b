import type { Rules } from '../check-call.ts';
import type { Finding } from '../findings.ts';
import type { Compound, Word } from '../grammar/shell-word.ts';
import { type ExpansionContext, type Input, NO_INPUT } from './known-values.ts';
import { inChildShell, type ShellState, withArguments } from './shell-state.ts';

/** A walk through a line, in the order in which its commands would run. */
export interface Walk extends Rules, ExpansionContext {
  readonly findings: Finding[];
  checked: number;
  depth: number;
  /** Functions that were defined, with the state at their definition, and those that were called. */
  readonly defined: Map<Compound, ShellState>;
  readonly called: Set<Compound>;
  /** Checks a text as a line, and returns the state after it. */
  readonly runText: (text: string, state: ShellState, input: Input) => ShellState;
  readonly runFunction: (compound: Compound, state: ShellState, args: readonly Word[] | null) => ShellState;
}

/** Checks a text that runs in a child shell with the given arguments; null if they are unknown. */
export function runInChild(walk: Walk, text: string, state: ShellState, args: readonly Word[] | null): void {
  const child = inChildShell(state);
  walk.runText(text, args === null ? child : withArguments(child, args), NO_INPUT);
}
