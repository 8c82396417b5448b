import { type CallCheck, checkRedirection, matchExpressions, type Rules } from '../check-call.ts';
import { certainFinding, type Finding, shortenSubject, unclearFinding } from '../findings.ts';
import { readLine } from '../grammar/read-line.ts';
import type { Compound, Part, ShellLine, Step, Word } from '../grammar/shell-word.ts';
import { assignedNames } from './assign.ts';
import { expandCommand, type Input, NO_INPUT, readInput } from './known-values.ts';
import {
  type Chain,
  continueChain,
  createState,
  inChildShell,
  joinFolders,
  joinStates,
  restoreArguments,
  type ShellState,
  startChain,
  withArguments,
  withFunction,
} from './shell-state.ts';
import type { Walk } from './walk.ts';
import { walkCommand } from './walk-command.ts';

/** Maximum number of commands checked for one line, counting each possible value. */
const MAX_CHECKED = 20_000;
/** Maximum nesting of lines inside lines and of function calls. */
const MAX_DEPTH = 12;
/** Maximum number of times that parsing resumes after text that could not be parsed. */
const MAX_RESUMED = 16;

/** Checks every command of a line. */
export function walkLine(rules: Rules, includesUnknown: boolean, line: string): Finding[] {
  const walk: Walk = {
    ...rules,
    includesUnknown,
    findings: [],
    checked: 0,
    depth: 0,
    defined: new Map(),
    called: new Set(),
    runText: (text, state, input) => walkText(walk, text, state, input),
    runFunction: (compound, state, args) => walkFunction(walk, compound, state, args),
  };
  walkText(walk, line, createState([rules.place.cwd]), NO_INPUT);
  // A function that is never called by name may be called indirectly.
  for (const [compound, state] of walk.defined)
    if (!walk.called.has(compound)) walkFunction(walk, compound, inChildShell(state), null);
  return walk.findings;
}

/** Checks a text as a line, and returns the state after it. */
function walkText(walk: Walk, text: string, state: ShellState, input: Input): ShellState {
  if (walk.depth > MAX_DEPTH) {
    walk.findings.push(unclearFinding(text, "the line can't be checked: it is nested too deeply"));
    return state;
  }
  walk.depth += 1;
  let current = state;
  let rest = text;
  for (let resumed = 0; rest !== '' && resumed < MAX_RESUMED; resumed += 1) {
    const read = readLine(rest);
    reportReading(walk, rest, read);
    // A line that is too large is refused whatever it contains.
    if (read.isTooLarge) break;
    current = walkSteps(walk, read.steps, current, input);
    const separator = read.unread.search(/[;\n]/);
    rest = separator < 0 ? '' : read.unread.slice(separator + 1);
  }
  walk.depth -= 1;
  return current;
}

function reportReading(walk: Walk, text: string, { problems, isTooLarge, masked }: ShellLine): void {
  const message = (problem: string): string => `the line can't be checked: ${problem}`;
  walk.findings.push(
    ...problems.map((problem) =>
      isTooLarge
        ? certainFinding('native_policy_block', shortenSubject(text.trim()), message(problem))
        : unclearFinding(text, message(problem)),
    ),
    ...matchExpressions(walk.deny, shortenSubject(text.trim()), masked),
  );
}

function walkSteps(walk: Walk, steps: readonly Step[], start: ShellState, input: Input): ShellState {
  let chain = startChain(start);
  let piped = NO_INPUT;
  for (const step of steps) {
    if (step.kind === 'compound' && step.shape === 'substitution') {
      for (const part of step.parts) walkSteps(walk, part.steps, chain.state, NO_INPUT);
      continue;
    }
    const given = chain.before === '|' ? piped : input;
    const { state, output } = walkStep(walk, step, chain.state, given);
    piped = output;
    chain = continueChain(applyStep(walk, chain, step, state), step.next);
  }
  return continueChain(chain, ';').state;
}

interface Walked {
  readonly state: ShellState;
  /** The input of the next command in a pipe. */
  readonly output: Input;
}

function walkStep(walk: Walk, step: Step, state: ShellState, input: Input): Walked {
  if (step.kind === 'compound') return { state: walkCompound(walk, step, state, input), output: NO_INPUT };
  walk.checked += 1;
  if (walk.checked > MAX_CHECKED) {
    if (walk.checked === MAX_CHECKED + 1)
      walk.findings.push(
        certainFinding('native_policy_block', '', "the line can't be checked: it has too many commands"),
      );
    return { state, output: NO_INPUT };
  }
  return walkCommand(walk, step, state, input);
}

/**
 * Applies the effect of a command on the state, unless the command may not have run, may have failed or ran in
 * another shell.
 */
function applyStep(walk: Walk, chain: Chain, step: Step, after: ShellState): Chain {
  if (chain.before === '||' && chain.succeeded !== null && endsLine(step))
    return { ...chain, state: chain.succeeded };
  const { state } = chain;
  if (after === state || step.next === '|' || step.next === '&') return chain;
  if (step.negated || chain.before === '||' || chain.before === '|')
    return { ...chain, state: joinStates([state, after]) };
  const mayFail = walk.includesUnknown && (after.folders !== state.folders || chain.before === '&&');
  return { ...chain, state: after, failed: mayFail ? [...chain.failed, state] : chain.failed };
}

/** Whether the line ends here, so that nothing after this step runs. */
function endsLine(step: Step): boolean {
  if (step.kind === 'command') return /^(?:exit|return)$/.test(step.words[0]?.text ?? '');
  const last = step.shape === 'group' ? step.parts[0]?.steps.at(-1) : undefined;
  return last !== undefined && endsLine(last);
}

function walkCompound(walk: Walk, compound: Compound, state: ShellState, piped: Input): ShellState {
  const check: CallCheck = { ...walk, folders: state.folders };
  walk.findings.push(...checkCompoundRedirections(walk, check, compound, state));
  const input = readInput(walk, compound.redirections, piped, state);
  const [first] = compound.parts;
  switch (compound.shape) {
    case 'subshell':
    case 'substitution':
      walkSteps(walk, first?.steps ?? [], state, input);
      return state;
    case 'group':
      return walkSteps(walk, first?.steps ?? [], state, input);
    case 'if':
      return walkBranches(walk, compound.parts, state, input);
    case 'case':
      return joinStates([state, ...compound.parts.map(({ steps }) => walkSteps(walk, steps, state, input))]);
    case 'loop':
      return walkLoop(walk, compound.parts, state, input);
    case 'function':
      walk.defined.set(compound, state);
      return withFunction(state, compound);
  }
}

/** Conditions run in order; each body runs after its own condition, the last one after all of them. */
function walkBranches(walk: Walk, parts: readonly Part[], state: ShellState, input: Input): ShellState {
  const ends: ShellState[] = [];
  let tested = state;
  let otherwise = state;
  let isComplete = false;
  for (const { role, steps } of parts) {
    if (role === 'condition') {
      tested = walkSteps(walk, steps, otherwise, input);
      otherwise = joinStates([otherwise, tested]);
    } else {
      isComplete ||= role === 'otherwise';
      ends.push(walkSteps(walk, steps, role === 'otherwise' ? otherwise : tested, input));
    }
  }
  return joinStates(isComplete ? ends : [...ends, otherwise]);
}

/** Maximum number of rounds through a loop's body before its folder counts as unknown. */
const MAX_ROUNDS = 3;

/** A body may run repeatedly, so the variables it sets and the folders it changes to also apply at its start. */
function walkLoop(walk: Walk, parts: readonly Part[], state: ShellState, input: Input): ShellState {
  const steps = parts.flatMap((part) => part.steps);
  const start = walk.includesUnknown ? openVariables(state, assignedNames(steps)) : state;
  let folders = start.folders;
  let end = start;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    end = { ...start, folders };
    for (const part of parts) end = walkSteps(walk, part.steps, end, input);
    const reached = joinFolders(folders, end.folders);
    if (!walk.includesUnknown || reached?.length === folders?.length) break;
    folders = round === MAX_ROUNDS - 2 ? null : reached;
  }
  return joinStates([{ ...start, folders }, end]);
}

function openVariables(state: ShellState, names: ReadonlySet<string>): ShellState {
  const variables = new Map(state.variables);
  for (const name of names) {
    const known = variables.get(name) ?? { values: [], isList: false };
    variables.set(name, { ...known, isOpen: true });
  }
  return { ...state, variables };
}

/** Checks the body of a function with the given arguments; null if they are unknown. */
function walkFunction(
  walk: Walk,
  compound: Compound,
  state: ShellState,
  args: readonly Word[] | null,
): ShellState {
  if (walk.depth > MAX_DEPTH) {
    walk.findings.push(unclearFinding(compound.name, "the line can't be checked: it is nested too deeply"));
    return state;
  }
  walk.called.add(compound);
  walk.depth += 1;
  const end = compound.parts.reduce(
    (current, { steps }) => walkSteps(walk, steps, current, NO_INPUT),
    args === null ? state : withArguments(state, args),
  );
  walk.depth -= 1;
  return args === null ? end : restoreArguments(end, state);
}

function checkCompoundRedirections(
  walk: Walk,
  check: CallCheck,
  { redirections }: Compound,
  state: ShellState,
): Finding[] {
  const expanded = expandCommand(walk, { words: [], redirections }, state);
  return expanded.redirections.flatMap((redirection) => checkRedirection(check, redirection));
}
