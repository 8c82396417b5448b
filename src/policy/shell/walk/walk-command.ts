import {
  type CallCheck,
  checkCall,
  checkRedirection,
  checkVariable,
  checkWrittenFile,
  formatWords,
  isActivation,
} from '../check-call.ts';
import { type DenyEntry, startsWithPrefix } from '../command-lists.ts';
import { certainFinding, type Finding, unclearFinding } from '../findings.ts';
import { readGit } from '../git/git-words.ts';
import { type Assignment, plainWord, programOf, type Segment, type Word } from '../grammar/shell-word.ts';
import { formatCommandLine } from '../line-of-words.ts';
import { patchEffects } from '../programs/file-effects.ts';
import { findCode } from '../programs/interpreters.ts';
import { readScripts } from '../programs/script-text.ts';
import { type Call, type NestedLine, unwrapCalls } from '../programs/wrappers.ts';
import { checkEffect } from '../write-rules.ts';
import { assign, assignDefaults, declare } from './assign.ts';
import {
  computeCommandOutput,
  createExpansions,
  expandCommand,
  type Input,
  NO_INPUT,
  readInput,
} from './known-values.ts';
import { moveFolder, resolveDestinations } from './moves.ts';
import { joinStates, type ShellState } from './shell-state.ts';
import { runInChild, type Walk } from './walk.ts';

/** Number of characters after a denied program's name that are compared with the rest of the entry. */
const MAX_CALL = 200;
/** Maximum number of occurrences of a denied program's name that are checked. */
const MAX_PLACES = 1_000;

/**
 * The first entry of `commands.deny` that occurs in code of another language: as a program name, in a list of words
 * or in a shell line. A method of the same name doesn't count.
 */
function findDeniedInCode(text: string, deny: readonly DenyEntry[]): DenyEntry | null {
  return deny.find((entry) => occursIn(text, entry)) ?? null;
}

function occursIn(text: string, entry: DenyEntry): boolean {
  if (entry.kind === 'broken') return true;
  if (entry.kind === 'expression') return entry.expression.test(text);
  const [name = ''] = entry.words;
  const places = [...text.matchAll(namePattern(name))].slice(0, MAX_PLACES);
  return places.some(({ index }) => {
    const words = text.slice(index, index + MAX_CALL).split(/[\s'"`,;()[\]{}]+/);
    return startsWithPrefix(words.filter((word) => word !== '').map(plainWord), entry.words);
  });
}

function namePattern(name: string): RegExp {
  return new RegExp(`(?<![\\w.$-])${name.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')}(?![\\w-])`, 'gi');
}

const UNKNOWN_LINE = 'the line that it runs contains an expansion';

/** Checks one command with every possible value of its expansions. */
export function walkCommand(
  walk: Walk,
  segment: Segment,
  before: ShellState,
  piped: Input,
): { readonly state: ShellState; readonly output: Input } {
  const state = assignDefaults(before, segment);
  const expansions = createExpansions(walk, state);
  const expanded = expandCommand(walk, segment, state);
  const check: CallCheck = { ...walk, folders: state.folders };
  const input = readInput(walk, segment.redirections, piped, state);
  walk.findings.push(
    ...segment.assignments.flatMap((assignment) =>
      isReadSeparator(assignment, segment) ? [] : checkVariable(walk, assignment),
    ),
    ...expanded.redirections.flatMap((redirection) => checkRedirection(check, redirection)),
  );
  const assignedState = segment.assignments.reduce(
    (current, each) => assign(current, each, expansions),
    state,
  );
  if (segment.words.length === 0) return { state: assignedState, output: NO_INPUT };
  const ends = expanded.words.map((words) => {
    walk.checked += 1;
    return walkWords(walk, { segment, words, state, assignedState, input });
  });
  return {
    state: ends.length === 0 ? state : joinStates(ends),
    output: computeCommandOutput(walk, expanded.words, input, state),
  };
}

/** `IFS= read` changes the splitting for this one command only. */
function isReadSeparator({ name }: Assignment, { words: [first] }: Segment): boolean {
  return name === 'IFS' && first?.text === 'read';
}

interface ExpandedCommand {
  readonly segment: Segment;
  readonly words: readonly Word[];
  readonly state: ShellState;
  /** The state with the variables that are set for this command only. */
  readonly assignedState: ShellState;
  readonly input: Input;
}

/** Checks a command whose expansions have one value each, and returns the state after it. */
function walkWords(walk: Walk, given: ExpandedCommand): ShellState {
  const { segment, words, state, input } = given;
  const { calls, lines, problems } = unwrapCalls(words, input.output);
  const subject = formatWords(words);
  walk.findings.push(...problems.map((problem) => unclearFinding(subject, problem)));
  for (const call of calls) walkCall(walk, call, given);
  const afterLines = lines.reduce((current, line) => walkNested(walk, line, given, current), state);
  const moved = moveFolder(afterLines, words, walk.place);
  const declared = declare(moved, segment.words, words, input, createExpansions(walk, moved));
  return callFunction(walk, words, declared);
}

function callFunction(walk: Walk, words: readonly Word[], state: ShellState): ShellState {
  const [first, ...args] = words;
  const bodies = first === undefined ? [] : (state.functions.get(first.text) ?? []);
  if (bodies.length === 0) return state;
  return joinStates(bodies.map((body) => walk.runFunction(body, state, args)));
}

/** Checks a program on the line, or one that another program starts. */
function walkCall(walk: Walk, call: Call, { assignedState, input }: ExpandedCommand): void {
  const folders =
    call.folder === null
      ? assignedState.folders
      : resolveDestinations(assignedState, call.folder, walk.place);
  const check: CallCheck = { ...walk, folders };
  const subject = formatWords(call.words);
  const scripts = readScripts(call.words);
  walk.findings.push(
    ...checkCall(check, call),
    ...checkSourced(check, call.words, subject),
    ...scripts.problems.map((problem) => unclearFinding(subject, problem)),
    ...scripts.files.flatMap((file) => checkWrittenFile(check, file)),
    ...findPatchEffects(call.words, input).flatMap((effect) => checkEffect(check, effect)),
  );
  for (const line of scripts.lines) runInChild(walk, line.text, assignedState, null);
  walkAlias(walk, call, assignedState);
  walkCode(walk, call.words, assignedState, input, subject);
}

/** Files that set up an environment and that agents don't write: those of the user's own tools. */
const ENVIRONMENT_FILE = /^\/(?:opt|usr|etc)\/[\w./@+-]+$/;

function checkSourced(check: CallCheck, words: readonly Word[], subject: string): Finding[] {
  const { place } = check;
  const [first, file] = words;
  if (first?.text !== 'source' && first?.text !== '.') return [];
  if (file === undefined || isActivation(check, words)) return [];
  const text = file.text.replace(/^~(?=\/)/, place.home ?? '~');
  const isOfUser = place.home !== null && text.startsWith(`${place.home}/.`);
  const isOfSystem = ENVIRONMENT_FILE.test(text);
  const isKnown = !file.unknown && !text.includes('..') && !text.startsWith(`${place.workspace}/`);
  return isKnown && (isOfUser || isOfSystem)
    ? []
    : [unclearFinding(subject, `${first.text} runs a file inside this shell`)];
}

function findPatchEffects(words: readonly Word[], { text }: Input) {
  if (!/^apply_?patch$/.test(programOf(words[0]))) return [];
  return patchEffects(words[1]?.text ?? text?.text ?? '');
}

/** `git -c alias.x=… x` runs the command that the alias stands for. */
function walkAlias(walk: Walk, call: Call, state: ShellState): void {
  const git = readGit(call.words);
  if (git === null || git.alias === null) return;
  const words = git.rest.map(({ text }) => text);
  const line = git.alias.startsWith('!') ? git.alias.slice(1) : `git ${git.alias}`;
  runInChild(walk, `${line} ${formatCommandLine(words)}`, state, null);
}

/** Checks a text that a program passes to a shell. */
function walkNested(
  walk: Walk,
  { line, runsInThisShell }: NestedLine,
  given: ExpandedCommand,
  state: ShellState,
): ShellState {
  if (line.unknown) walk.findings.push(unclearFinding(formatWords(given.words), UNKNOWN_LINE));
  if (runsInThisShell) return walk.runText(line.text, state, given.input);
  runInChild(walk, line.text, given.assignedState, null);
  return state;
}

/** Checks the program that an interpreter gets on the line or from its input. */
function walkCode(
  walk: Walk,
  words: readonly Word[],
  state: ShellState,
  input: Input,
  subject: string,
): void {
  const code = findCode(words);
  switch (code.kind) {
    case 'none':
      return;
    case 'unknown':
      walk.findings.push(unclearFinding(subject, code.problem));
      return;
    case 'code':
      walk.findings.push(...checkCode(walk, code.text, subject, code.problem));
      return;
    case 'line':
      if (code.line.unknown) walk.findings.push(unclearFinding(subject, UNKNOWN_LINE));
      if (code.isForeign) walk.findings.push(unclearFinding(subject, 'its shell has a different grammar'));
      runInChild(walk, code.line.text, state, code.args.slice(1));
      return;
    case 'input':
      if (input.text === null) walk.findings.push(unclearFinding(subject, code.problem));
      else if (!code.isShell) walk.findings.push(...checkCode(walk, input.text.text, subject, code.problem));
      else {
        if (input.text.unknown) walk.findings.push(unclearFinding(subject, UNKNOWN_LINE));
        runInChild(walk, input.text.text, state, null);
      }
  }
}

/** Code in another language is refused under an allow-list, and if it names a denied command. */
function checkCode({ policy, deny }: Walk, text: string, subject: string, problem: string): Finding[] {
  if (policy.commands.allow !== null) return [unclearFinding(subject, problem)];
  const entry = findDeniedInCode(text, deny);
  return entry === null
    ? []
    : [
        certainFinding(
          'native_policy_block',
          subject,
          `the code on the line uses a command that is denied by ${entry.source}`,
        ),
      ];
}
