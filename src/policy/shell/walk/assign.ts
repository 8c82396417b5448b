import {
  type Assignment,
  programOf,
  quotedWord,
  readGivenAssignment,
  type Segment,
  type Step,
  type Word,
} from '../grammar/shell-word.ts';
import { parseOptions } from '../programs/options.ts';
import { type Expansions, expandWritten } from './expand-words.ts';
import type { Input } from './known-values.ts';
import { type ShellState, type Variable, withArguments, withVariable } from './shell-state.ts';
import { readFilledVariables } from './variables.ts';

const UNKNOWN: Variable = { values: [], isOpen: true, isList: false };

/** The state after an assignment. */
export function assign(state: ShellState, assignment: Assignment, expansions: Expansions): ShellState {
  const { name, content, appends } = assignment;
  const value = assignedValue(content, expansions);
  const before = state.variables.get(name);
  return withVariable(state, name, appends ? appendValue(before, value) : value);
}

const DEFAULTED = /\$\{([A-Za-z_]\w*):?=([^}]*)/g;

/** The state after `${x:=text}` expansions, which set variables that are empty. */
export function assignDefaults(state: ShellState, { words, assignments, redirections }: Segment): ShellState {
  const writtenWords = [
    ...words,
    ...assignments.flatMap(({ content }) => (content.kind === 'word' ? [content.word] : [])),
    ...redirections.flatMap(({ target, body }) => [target, ...(body === null ? [] : [body.word])]),
  ];
  let current = state;
  for (const { raw } of writtenWords)
    for (const [, name = '', text = ''] of raw.includes('=') ? raw.matchAll(DEFAULTED) : []) {
      const before = current.variables.get(name);
      const kept = before?.values.filter((value) => value.text !== '') ?? [];
      const isOpen = (before?.isOpen ?? true) || /["'`$\\{]/.test(text);
      current = withVariable(current, name, { values: [...kept, quotedWord(text)], isOpen, isList: false });
    }
  return current;
}

function assignedValue(content: Assignment['content'], expansions: Expansions): Variable {
  switch (content.kind) {
    case 'unknown':
      return UNKNOWN;
    case 'word':
      return toVariable(
        expandWritten([asOneWord(content.word)], expansions).map((words) => words[0] ?? null),
      );
    case 'choice':
      return toVariable(expandWritten(content.words, expansions).flat());
    case 'list': {
      const [words, ...others] = expandWritten(content.words, expansions);
      if (words === undefined || others.length > 0 || words.some(({ unknown }) => unknown)) return UNKNOWN;
      return { values: words, isOpen: false, isList: true };
    }
  }
}

/** The value of an assignment is not split into words. */
function asOneWord(word: Word): Word {
  return word.pieces === null
    ? { ...word, pattern: false, quoting: 'whole' }
    : { ...word, pattern: false, pieces: word.pieces.map((piece) => ({ ...piece, quoted: true })) };
}

/** Unknown values keep their known parts, which may reveal a violation. */
function toVariable(words: readonly (Word | null)[]): Variable {
  return { values: words.filter((word) => word !== null), isOpen: words.includes(null), isList: false };
}

function appendValue(before: Variable | undefined, added: Variable): Variable {
  if (before === undefined || before.isOpen || added.isOpen) return UNKNOWN;
  if (before.isList && added.isList) return { ...before, values: [...before.values, ...added.values] };
  if (before.isList || added.isList || before.values.length * added.values.length > 64) return UNKNOWN;
  if ([...before.values, ...added.values].some(({ unknown }) => unknown)) return UNKNOWN;
  const values = before.values.flatMap((left) =>
    added.values.map((right) => ({ ...right, text: left.text + right.text, raw: left.text + right.text })),
  );
  return { values, isOpen: false, isList: false };
}

const DECLARATION_BUILTINS = new Set(['export', 'declare', 'typeset', 'readonly', 'local']);

/** The state after a shell builtin that sets variables. */
export function declare(
  state: ShellState,
  writtenWords: readonly Word[],
  words: readonly Word[],
  input: Input,
  expansions: Expansions,
): ShellState {
  const program = programOf(words[0]);
  if (DECLARATION_BUILTINS.has(program))
    return writtenWords
      .slice(1)
      .flatMap((word) => readGivenAssignment(word) ?? [])
      .reduce((current, assignment) => assign(current, assignment, expansions), state);
  if (program === 'set' && words[1]?.text === '--') return withArguments(state, words.slice(2));
  if (program === 'shift') return forgetArguments(state);
  const names = readFilledVariables(words).map(({ name }) => name.replace(/\[.*$/s, ''));
  if (names.length === 0) return state;
  const lines = program === 'read' && input.output !== null ? readLines(words, input.output.words) : null;
  const value: Variable = lines === null ? UNKNOWN : { values: lines, isOpen: false, isList: false };
  const single = names.length === 1 ? value : UNKNOWN;
  return names.reduce((current, name) => withVariable(current, name, single), state);
}

/** The lines as `read` stores them; null if `read` transforms them. */
function readLines(words: readonly Word[], lines: readonly Word[]): readonly Word[] | null {
  const { options } = parseOptions(words.slice(1), { letters: 'dnNptu' });
  const isPlain = options.every(
    ({ name, value }) => ['-r', '-s', '-t'].includes(name) || (name === '-d' && value?.text === ''),
  );
  const isRaw = options.some(({ name }) => name === '-r');
  return isPlain && (isRaw || !lines.some(({ text }) => text.includes('\\'))) ? lines : null;
}

function forgetArguments(state: ShellState): ShellState {
  const variables = new Map(state.variables);
  for (const name of variables.keys()) if (/^(?:\d+|[@*])$/.test(name)) variables.set(name, UNKNOWN);
  return { ...state, variables };
}

/** The names that are set anywhere in the given steps. */
export function assignedNames(steps: readonly Step[]): Set<string> {
  const names = new Set<string>();
  const visit = (step: Step): void => {
    if (step.kind === 'compound') for (const part of step.parts) part.steps.forEach(visit);
    else for (const name of namesOf(step)) names.add(name);
  };
  steps.forEach(visit);
  return names;
}

function namesOf({ assignments, words }: Segment): string[] {
  return [
    ...assignments.map(({ name }) => name),
    ...words.flatMap((word) => readGivenAssignment(word)?.name ?? []),
    ...readFilledVariables(words).map(({ name }) => name.replace(/\[.*$/s, '')),
  ];
}
