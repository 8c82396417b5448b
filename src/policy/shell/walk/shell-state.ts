import { type Compound, type Connector, plainWord, type Word } from '../grammar/shell-word.ts';

/** Maximum number of distinct values of a variable; with more, it counts as unknown. */
const MAX_VALUES = 256;
/** Maximum number of possible folders; with more, the folder counts as unknown. */
const MAX_FOLDERS = 16;

/** What is known about a variable. */
export interface Variable {
  /** The possible values. */
  readonly values: readonly Word[];
  /** It may hold other values as well. */
  readonly isOpen: boolean;
  /** It is an array that holds all of its values. */
  readonly isList: boolean;
}

/** The part of the shell's state that commands change for the commands after them. */
export interface ShellState {
  /** The folders the line may be in; null if unknown. */
  readonly folders: readonly string[] | null;
  /** The folders that `cd -` returns to. */
  readonly previous: readonly string[] | null;
  readonly stack: readonly (readonly string[] | null)[];
  readonly variables: ReadonlyMap<string, Variable>;
  readonly functions: ReadonlyMap<string, readonly Compound[]>;
}

export function createState(folders: readonly string[]): ShellState {
  return { folders, previous: null, stack: [], variables: new Map(), functions: new Map() };
}

/** Merges states: the result covers whichever of them is the real one. */
export function joinStates(states: readonly ShellState[]): ShellState {
  const distinct = [...new Set(states)];
  const [first, ...rest] = distinct;
  if (first === undefined) throw new Error('no states to join');
  return rest.reduce(joinPair, first);
}

function joinPair(left: ShellState, right: ShellState): ShellState {
  return {
    folders: joinFolders(left.folders, right.folders),
    previous: joinFolders(left.previous, right.previous),
    stack: left.stack === right.stack ? left.stack : [],
    variables: joinVariables(left.variables, right.variables),
    functions: joinFunctions(left.functions, right.functions),
  };
}

export function joinFolders(
  left: readonly string[] | null,
  right: readonly string[] | null,
): readonly string[] | null {
  if (left === right) return left;
  if (left === null || right === null) return null;
  const folders = [...new Set([...left, ...right])];
  return folders.length > MAX_FOLDERS ? null : folders;
}

function joinVariables(
  left: ShellState['variables'],
  right: ShellState['variables'],
): ShellState['variables'] {
  if (left === right) return left;
  const names = new Set([...left.keys(), ...right.keys()]);
  return new Map([...names].map((name) => [name, joinVariable(left.get(name), right.get(name))]));
}

function joinVariable(left: Variable | undefined, right: Variable | undefined): Variable {
  if (left === right && left !== undefined) return left;
  if (left === undefined || right === undefined) {
    const one = left ?? right;
    return { values: one?.values ?? [], isList: one?.isList ?? false, isOpen: true };
  }
  if (left.isList !== right.isList) return { values: [], isList: false, isOpen: true };
  return limitValues({
    values: distinctValues([...left.values, ...right.values]),
    isList: left.isList,
    isOpen: left.isOpen || right.isOpen,
  });
}

function distinctValues(values: readonly Word[]): readonly Word[] {
  return [
    ...new Map(values.map((word) => [`${word.below ?? ''}:${word.pattern}:${word.text}`, word])).values(),
  ];
}

function limitValues(variable: Variable): Variable {
  return variable.values.length > MAX_VALUES ? { ...variable, values: [], isOpen: true } : variable;
}

function joinFunctions(
  left: ShellState['functions'],
  right: ShellState['functions'],
): ShellState['functions'] {
  if (left === right) return left;
  const names = new Set([...left.keys(), ...right.keys()]);
  return new Map(
    [...names].map((name) => [name, [...new Set([...(left.get(name) ?? []), ...(right.get(name) ?? [])])]]),
  );
}

export function withVariable(state: ShellState, name: string, variable: Variable): ShellState {
  return { ...state, variables: new Map(state.variables).set(name, limitValues(variable)) };
}

export function withFunction(state: ShellState, compound: Compound): ShellState {
  return { ...state, functions: new Map(state.functions).set(compound.name, [compound]) };
}

/** Sets the arguments of a script, a function or `sh -c`: `$1`, `$2` and `$@`. */
export function withArguments(state: ShellState, words: readonly Word[]): ShellState {
  const variables = new Map([...state.variables].filter(([name]) => !/^\d+$/.test(name)));
  words.forEach((word, index) => {
    variables.set(String(index + 1), { values: [word], isOpen: false, isList: false });
  });
  for (let index = words.length; index < 10; index += 1)
    variables.set(String(index + 1), { values: [plainWord('')], isOpen: false, isList: false });
  for (const name of ['@', '*']) variables.set(name, { values: words, isOpen: false, isList: true });
  return { ...state, variables };
}

const ARGUMENT = /^(?:\d+|[@*])$/;

/** Restores the arguments of the caller after a function call. */
export function restoreArguments(state: ShellState, before: ShellState): ShellState {
  const own = [...state.variables].filter(([name]) => !ARGUMENT.test(name));
  const restored = [...before.variables].filter(([name]) => ARGUMENT.test(name));
  return { ...state, variables: new Map([...own, ...restored]) };
}

/**
 * A child shell inherits only exported variables. Exports aren't tracked, so each variable may hold other values
 * too.
 */
export function inChildShell(state: ShellState): ShellState {
  const variables = new Map(
    [...state.variables].map(([name, variable]) => [name, { ...variable, isOpen: true }]),
  );
  return { ...state, variables };
}

/** A command list while it runs. */
export interface Chain {
  readonly state: ShellState;
  /** States in which an earlier command of an and-list failed and ended the list. */
  readonly failed: readonly ShellState[];
  /** The state in which everything before `||` succeeded. */
  readonly succeeded: ShellState | null;
  readonly before: Connector;
}

export function startChain(state: ShellState): Chain {
  return { state, failed: [], succeeded: null, before: ';' };
}

/** After `&&`, everything before it succeeded; after any other connector it may have failed. */
export function continueChain({ state, failed, before }: Chain, next: Connector): Chain {
  if (next === '&&') return { state, failed, succeeded: null, before: next };
  const joined = failed.length === 0 ? state : joinStates([state, ...failed]);
  const succeeded = next === '||' && before !== '||' ? state : null;
  return { state: joined, failed: [], succeeded, before: next };
}
