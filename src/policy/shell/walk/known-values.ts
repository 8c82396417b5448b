import {
  programOf,
  quotedWord,
  type Redirection,
  type Segment,
  type Step,
  type Word,
} from '../grammar/shell-word.ts';
import { type Output, printedOutput, textOutput } from '../programs/printed-output.ts';
import type { CommandPlace } from '../write-rules.ts';
import { type Expansions, expandWords, expandWritten } from './expand-words.ts';
import { moveFolder } from './moves.ts';
import type { ShellState, Variable } from './shell-state.ts';

/** The context in which expansions are resolved. */
export interface ExpansionContext {
  readonly place: CommandPlace;
  /** Whether a variable that may hold other values also counts as unknown. */
  readonly includesUnknown: boolean;
}

/** The input of a command: the whole text as one word, and the lines that a program is known to print. */
export interface Input {
  readonly text: Word | null;
  readonly output: Output | null;
}

export const NO_INPUT: Input = { text: null, output: null };

/** Variables that hold a plain name or nothing. */
const NAME_VARIABLES = new Set(['USER', 'LOGNAME', 'HOSTNAME', 'OSTYPE', 'MACHTYPE', 'HOSTTYPE']);

/** Variables that hold a number, or nothing in a shell that doesn't define them. */
const NUMBER_VARIABLES = new Set(['!', 'RANDOM', 'SRANDOM', 'SECONDS', 'LINENO', 'UID', 'EUID', 'PPID']);

/** Maximum nesting of command substitutions whose output is computed. */
const MAX_DEPTH = 16;

export function createExpansions(context: ExpansionContext, state: ShellState, depth = 0): Expansions {
  return {
    variable: (name) => resolveVariable(name, state, context.place),
    output: ({ steps }) =>
      depth > MAX_DEPTH ? null : (computeStepsOutput(context, steps, state, depth + 1)?.words ?? null),
    includesUnknown: context.includesUnknown,
  };
}

function resolveVariable(name: string, state: ShellState, place: CommandPlace): Variable | null {
  const assigned = state.variables.get(name);
  if (assigned === undefined) return resolveEnvironmentVariable(name, state, place);
  // The next `cd` overwrites an assigned value.
  return name === 'PWD' || name === 'OLDPWD' ? null : assigned;
}

function resolveEnvironmentVariable(name: string, state: ShellState, place: CommandPlace): Variable | null {
  const values = (texts: readonly string[] | null): Variable | null =>
    texts === null ? null : { values: texts.map(quotedWord), isOpen: false, isList: false };
  switch (name) {
    case 'HOME':
      return place.home === null ? null : values([place.home]);
    case 'PWD':
      return values(state.folders);
    case 'OLDPWD':
      return values(state.previous);
    case 'TMPDIR':
      return values(place.temporary.slice(0, 1));
    default:
      if (NUMBER_VARIABLES.has(name)) return values(['', '0']);
      return NAME_VARIABLES.has(name) ? values(['', 'name']) : null;
  }
}

/** The combined output of the steps; null if unknown. */
function computeStepsOutput(
  context: ExpansionContext,
  steps: readonly Step[],
  state: ShellState,
  depth: number,
): Output | null {
  let current = state;
  let piped: Output | null = null;
  let isPiped = false;
  const commands = steps.filter((step) => step.kind === 'command' || step.shape !== 'substitution');
  for (const [index, step] of commands.entries()) {
    if (step.kind !== 'command') return null;
    const [words, ...others] = expandWritten(step.words, createExpansions(context, current, depth));
    if (words === undefined || others.length > 0) return null;
    const isLast = index === commands.length - 1;
    if (programOf(words[0]) === 'cd' && !isLast) {
      current = moveFolder(current, words, context.place);
      continue;
    }
    const input = readInput(
      context,
      step.redirections,
      { output: isPiped ? piped : null, text: null },
      current,
      depth,
    );
    piped = printedOutput(words, input.output, locatePrinting(context.place, current));
    isPiped = step.next === '|';
    if (piped === null || (!isLast && !isPiped)) return null;
  }
  return piped;
}

function locatePrinting({ workspace, temporary }: CommandPlace, { folders }: ShellState) {
  const [folder, ...others] = folders ?? [];
  return { folder: folder !== undefined && others.length === 0 ? folder : null, workspace, temporary };
}

/** The input that redirections give to a command; without any, the piped input. */
export function readInput(
  context: ExpansionContext,
  redirections: readonly Redirection[],
  piped: Input,
  state: ShellState,
  depth = 0,
): Input {
  const redirection = redirections.findLast(({ operator }) => operator.startsWith('<') && operator !== '<&');
  if (redirection === undefined)
    return piped.output === null
      ? piped
      : { output: piped.output, text: piped.text ?? outputText(piped.output) };
  const { operator, target, body, input } = redirection;
  if (input !== null) {
    const output = computeStepsOutput(context, input, state, depth + 1);
    return { output, text: output === null ? null : outputText(output) };
  }
  const word = operator === '<<' ? (body?.word ?? null) : operator === '<<<' ? target : null;
  if (word === null) return NO_INPUT;
  const expand = operator === '<<<' ? expandWritten : expandWords;
  const [only, ...others] = expand([word], createExpansions(context, state, depth));
  const [text] = others.length === 0 ? (only ?? []) : [];
  if (text === undefined) return { text: word, output: null };
  return { text, output: text.unknown ? null : textOutput(text.text) };
}

function outputText({ text }: Output): Word | null {
  return text === null ? null : quotedWord(text);
}

/** The output of a command, if its expansions allow only one meaning. */
export function computeCommandOutput(
  context: ExpansionContext,
  alternatives: readonly (readonly Word[])[],
  input: Input,
  state: ShellState,
): Input {
  const [words, ...others] = alternatives;
  if (words === undefined || others.length > 0) return NO_INPUT;
  return { text: null, output: printedOutput(words, input.output, locatePrinting(context.place, state)) };
}

/** The command with each possible value of its expansions. */
export function expandCommand(
  context: ExpansionContext,
  { words, redirections }: Pick<Segment, 'words' | 'redirections'>,
  state: ShellState,
): { readonly words: (readonly Word[])[]; readonly redirections: readonly Redirection[] } {
  const expansions = createExpansions(context, state);
  return {
    words: expandWritten(words, expansions),
    redirections: redirections.flatMap((redirection) =>
      expandWritten([redirection.target], expansions).map(([target]) => ({
        ...redirection,
        target: target ?? redirection.target,
      })),
    ),
  };
}
