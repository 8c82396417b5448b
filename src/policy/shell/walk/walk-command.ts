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
import {
  type Assignment,
  type Compound,
  plainWord,
  programOf,
  type Segment,
  type Word,
} from '../grammar/shell-word.ts';
import { lineOfWords } from '../line-of-words.ts';
import { patchEffects } from '../programs/file-effects.ts';
import { findCode } from '../programs/interpreters.ts';
import { readScripts } from '../programs/script-text.ts';
import { type Call, type NestedLine, unwrapCalls } from '../programs/wrappers.ts';
import { checkEffect } from '../write-rules.ts';
import { assign, assignDefaults, declare } from './assign.ts';
import { commandOutput, expandCommand, expansionsOf, type Input, inputOf, NO_INPUT } from './known-values.ts';
import { destinations, moveFolder } from './moves.ts';
import { joinStates, type ShellState } from './shell-state.ts';
import { runInChild, type Walk } from './walk.ts';

/** Number of characters after a denied program's name that are compared with the rest of the entry. */
const MAX_CALL = 200;
/** Maximum number of occurrences that are checked. */
const MAX_PLACES = 1_000;

/**
 * The first entry of `commands.deny` that occurs in code of another language: as a program name, in a list of words
 * or in a shell line. A method of the same name doesn't count.
 */
function deniedInCode(text: string, deny: readonly DenyEntry[]): DenyEntry | null {
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

/** Checks one command with every possible value of its expansions. */
export function walkCommand(
  walk: Walk,
  segment: Segment,
  before: ShellState,
  piped: Input,
): { readonly state: ShellState; readonly output: Input } {
  const state = assignDefaults(before, segment);
  const expansions = expansionsOf(walk, state);
  const expanded = expandCommand(walk, segment, state);
  const check: CallCheck = { ...walk, folders: state.folders };
  const input = inputOf(walk, segment.redirections, piped, state);
  walk.findings.push(
    ...segment.assignments.flatMap((assignment) =>
      isReadSeparator(assignment, segment) ? [] : checkVariable(walk, assignment),
    ),
    ...expanded.redirections.flatMap((redirection) => checkRedirection(check, redirection)),
  );
  const set = segment.assignments.reduce((current, each) => assign(current, each, expansions), state);
  if (segment.words.length === 0) return { state: set, output: NO_INPUT };
  const ends = expanded.words.map((words) => {
    walk.checked += 1;
    return walkWords(walk, { segment, words, state, set, input });
  });
  return {
    state: ends.length === 0 ? state : joinStates(ends),
    output: commandOutput(walk, expanded.words, input, state),
  };
}

/** `IFS= read` changes the splitting for this one command only. */
function isReadSeparator({ name }: Assignment, { words: [first] }: Segment): boolean {
  return name === 'IFS' && first?.text === 'read';
}

export function checkCompoundRedirections(
  walk: Walk,
  check: CallCheck,
  { redirections }: Compound,
  state: ShellState,
): Finding[] {
  const expanded = expandCommand(walk, { words: [], redirections }, state);
  return expanded.redirections.flatMap((redirection) => checkRedirection(check, redirection));
}

interface ExpandedCommand {
  readonly segment: Segment;
  readonly words: readonly Word[];
  readonly state: ShellState;
  /** The state with the variables that are set for this command only. */
  readonly set: ShellState;
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
  const declared = declare(moved, segment.words, words, input, expansionsOf(walk, moved));
  return callFunction(walk, words, declared);
}

function callFunction(walk: Walk, words: readonly Word[], state: ShellState): ShellState {
  const [first, ...args] = words;
  const bodies = first === undefined ? [] : (state.functions.get(first.text) ?? []);
  if (bodies.length === 0) return state;
  return joinStates(bodies.map((body) => walk.runFunction(body, state, args)));
}

/** Checks a program on the line, or one that another program starts. */
function walkCall(walk: Walk, call: Call, { set, input }: ExpandedCommand): void {
  const folders = call.folder === null ? set.folders : destinations(set, call.folder, walk.place);
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
  for (const line of scripts.lines) runInChild(walk, line.text, set, null);
  walkAlias(walk, call, set);
  walkCode(walk, call.words, set, input, subject);
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
  runInChild(walk, `${line} ${lineOfWords(words)}`, state, null);
}

/** Checks a text that a program passes to a shell. */
function walkNested(
  walk: Walk,
  { line, isHere }: NestedLine,
  given: ExpandedCommand,
  state: ShellState,
): ShellState {
  if (line.unknown)
    walk.findings.push(
      unclearFinding(formatWords(given.words), 'the line that it runs contains an expansion'),
    );
  if (isHere) return walk.runText(line.text, state, given.input);
  runInChild(walk, line.text, given.set, null);
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
      if (code.line.unknown)
        walk.findings.push(unclearFinding(subject, 'the line that it runs contains an expansion'));
      if (code.isForeign) walk.findings.push(unclearFinding(subject, 'its shell has a different grammar'));
      runInChild(walk, code.line.text, state, code.args.slice(1));
      return;
    case 'input':
      if (input.text === null) walk.findings.push(unclearFinding(subject, code.problem));
      else if (!code.isShell) walk.findings.push(...checkCode(walk, input.text.text, subject, code.problem));
      else {
        if (input.text.unknown)
          walk.findings.push(unclearFinding(subject, 'the line that it runs contains an expansion'));
        runInChild(walk, input.text.text, state, null);
      }
  }
}

/** Code in another language is refused under an allow-list, and if it names a denied command. */
function checkCode({ policy, deny }: Walk, text: string, subject: string, problem: string): Finding[] {
  if (policy.commands.allow !== null) return [unclearFinding(subject, problem)];
  const entry = deniedInCode(text, deny);
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
