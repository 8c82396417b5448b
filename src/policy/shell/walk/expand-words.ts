import { type Change, type Piece, plainWord, startsAtHome, type Word } from '../grammar/shell-word.ts';
import type { Variable } from './shell-state.ts';

type CutSign = Extract<Change, { kind: 'cut' }>['sign'];

/**
 * Maximum number of value combinations that one command is checked with; beyond it, its expansions count as
 * unknown.
 */
const MAX_COMBINATIONS = 256;

/** Maximum number of characters that the expansions of one command produce; beyond it, they count as unknown. */
const MAX_EXPANDED = 128 * 1024;

/** What is known about the expansions in a word. */
export interface Expansions {
  readonly variable: (name: string) => Variable | null;
  /** The words that a command substitution prints; null if unknown. */
  readonly output: (piece: Extract<Piece, { kind: 'output' }>) => readonly Word[] | null;
  /** Whether a variable that may hold other values also counts as unknown. */
  readonly includesUnknown: boolean;
}

/**
 * Replaces a tilde by the home folder, but only where it is written, not in the value of a variable. The home of
 * another user is treated as some folder outside.
 */
function expandTilde(word: Word, { variable }: Expansions): Word {
  if (!startsAtHome(word)) return word;
  const [home] = /^~(?:\/|$)/.test(word.text) ? (variable('HOME')?.values ?? []) : [];
  const replace = (text: string): string => (home === undefined ? `/${text}` : text.replace(/^~/, home.text));
  const pieces = word.pieces?.map((piece, index) =>
    index === 0 && piece.kind === 'text' ? { ...piece, text: replace(piece.text) } : piece,
  );
  return { ...word, text: replace(word.text), raw: replace(word.raw), pieces: pieces ?? null };
}

/** Expands words as written on a line, including tildes. */
export function expandWritten(words: readonly Word[], expansions: Expansions): (readonly Word[])[] {
  return expandWords(
    words.map((word) => expandTilde(word, expansions)),
    expansions,
  );
}

/** All known expansions of the words of a command. */
export function expandWords(words: readonly Word[], expansions: Expansions): (readonly Word[])[] {
  const names = new Set(
    words.flatMap(({ pieces }) =>
      (pieces ?? []).flatMap((piece) => (piece.kind === 'variable' ? [piece.name] : [])),
    ),
  );
  if (words.every(({ pieces }) => pieces === null)) return [words];
  return combineValues([...names], expansions).map((chosen) => {
    const budget = { left: MAX_EXPANDED };
    return words.flatMap((word) => expandWord(word, chosen, expansions, budget));
  });
}

/** The values of each variable in one combination: its value, or the words of an array; null if unknown. */
type Chosen = ReadonlyMap<string, readonly Word[] | null>;

function combineValues(names: readonly string[], { variable, includesUnknown }: Expansions): Chosen[] {
  let all: Chosen[] = [new Map()];
  for (const name of names) {
    const choices = listChoices(variable(name), includesUnknown);
    if (all.length * choices.length > MAX_COMBINATIONS)
      all = all.map((chosen) => new Map(chosen).set(name, null));
    else all = all.flatMap((chosen) => choices.map((choice) => new Map(chosen).set(name, choice)));
  }
  return all;
}

function listChoices(variable: Variable | null, includesUnknown: boolean): (readonly Word[] | null)[] {
  if (variable === null) return [null];
  const known = variable.isList ? [variable.values] : variable.values.map((word) => [word]);
  return variable.isOpen && (includesUnknown || variable.values.length === 0) ? [...known, null] : known;
}

/** One field of an expanded word, while it is being built. */
interface Field {
  readonly pieces: Piece[];
  pattern: boolean;
  below: Word['below'];
  quoted: boolean;
  bare: boolean;
}

interface Budget {
  left: number;
}

/** The values, unless they exceed the remaining budget. */
function spendBudget(budget: Budget, values: readonly Word[] | null): readonly Word[] | null {
  for (const { text, raw, pieces } of values ?? [])
    budget.left -= text.length + raw.length + (pieces?.length ?? 0);
  return budget.left < 0 ? null : values;
}

function expandWord(word: Word, chosen: Chosen, expansions: Expansions, budget: Budget): Word[] {
  if (word.pieces === null) return [word];
  const fields: Field[] = [
    { pieces: [], pattern: word.pattern, below: word.below, quoted: false, bare: false },
  ];
  let isEmptyList = false;
  for (const piece of word.pieces) {
    const values =
      piece.kind === 'text' ? null : spendBudget(budget, resolvePiece(piece, chosen, expansions));
    // `"$@"` without arguments yields no word, while `"$x"` yields an empty one.
    isEmptyList ||= values?.length === 0 && isAll(piece);
    if (piece.kind === 'text') append(last(fields), piece, piece.quoted);
    else if (values === null)
      append(last(fields), { kind: 'unknown', raw: piece.raw, quoted: piece.quoted }, piece.quoted);
    else appendValues(fields, values, piece.quoted, isAll(piece));
  }
  const isWord = (field: Field, index: number): boolean =>
    hasContent(field) || (field.quoted && !(index === 0 && isEmptyList));
  return fields.filter(isWord).map((field) => buildWord(field, word));
}

function hasContent({ pieces }: Field): boolean {
  return pieces.some((piece) => piece.kind !== 'text' || piece.text !== '');
}

function isAll(piece: Piece): boolean {
  return piece.kind === 'variable' && piece.change.kind === 'all' && piece.name !== '*';
}

function last(fields: readonly Field[]): Field {
  const field = fields.at(-1);
  if (field === undefined) throw new Error('a word without fields');
  return field;
}

function append(field: Field, piece: Piece, quoted: boolean): void {
  field.pieces.push(piece);
  if (quoted) field.quoted = true;
  else field.bare = true;
}

function appendValues(fields: Field[], values: readonly Word[], quoted: boolean, all: boolean): void {
  values.forEach((value, index) => {
    if (index > 0) {
      if (quoted && !all) appendValue(last(fields), { ...value, text: ` ${value.text}` }, true);
      else fields.push({ pieces: [], pattern: false, below: null, quoted: false, bare: false });
    }
    if (quoted || value.unknown || value.pattern || value.below !== null)
      appendValue(last(fields), value, quoted);
    else splitValue(fields, value.text);
  });
}

function appendValue(field: Field, value: Word, quoted: boolean): void {
  const pieces: readonly Piece[] = value.unknown
    ? (value.pieces ?? [{ kind: 'unknown', raw: value.raw, quoted }])
    : [{ kind: 'text', text: value.text, quoted: true }];
  for (const piece of pieces) append(field, piece, quoted);
  field.pattern ||= value.pattern;
  field.below = joinBelow(field.below, value.below);
}

function joinBelow(left: Word['below'], right: Word['below']): Word['below'] {
  return left === 'all' || right === 'all' ? 'all' : (left ?? right);
}

/** Without quotes a value is split at white space, and its parts may be patterns. */
function splitValue(fields: Field[], text: string): void {
  const parts = text.split(/[ \t\n]+/);
  parts.forEach((part, index) => {
    if (index > 0) fields.push({ pieces: [], pattern: false, below: null, quoted: false, bare: false });
    if (part === '') return;
    append(last(fields), { kind: 'text', text: part, quoted: false }, false);
    if (/[*?]|\[.*\]/.test(part)) last(fields).pattern = true;
  });
}

function buildWord({ pieces: all, pattern, below, quoted, bare }: Field, word: Word): Word {
  const pieces = all.filter((piece) => piece.kind !== 'text' || piece.text !== '');
  const unknown = pieces.some(({ kind }) => kind !== 'text');
  const text = pieces.map((piece) => (piece.kind === 'text' ? piece.text : piece.raw)).join('');
  const isQuoted = all[0]?.quoted === true;
  return {
    text,
    raw: unknown ? word.raw : isQuoted ? `'${text}'` : text,
    quoting: quoted ? (bare ? 'part' : 'whole') : 'none',
    unknown,
    pattern,
    pieces: unknown ? pieces : null,
    below,
  };
}

/** Null if the value is unknown. */
function resolvePiece(
  piece: Exclude<Piece, { kind: 'text' }>,
  chosen: Chosen,
  { output }: Expansions,
): readonly Word[] | null {
  switch (piece.kind) {
    case 'number':
      return [plainWord('0')];
    case 'unknown':
      return null;
    case 'output': {
      const words = output(piece);
      return piece.quoted && words?.length !== 1 ? null : words;
    }
    case 'variable': {
      const values = chosen.get(piece.name) ?? null;
      const { change } = piece;
      if (change.kind === 'default') return withDefault(values, change.text);
      if (values === null) return null;
      if (change.kind !== 'cut') return values;
      const cut = values.map((value) => cutValue(value, change.sign, change.text));
      return cut.every((value) => value !== null) ? cut : null;
    }
  }
}

/** Replaces an empty value by the default; an unknown value stays unknown. */
function withDefault(values: readonly Word[] | null, text: string): readonly Word[] | null {
  if (values === null) return null;
  const [only] = values;
  return values.length === 0 || (values.length === 1 && only?.text === '' && !only.unknown)
    ? [plainWord(text)]
    : values;
}

/**
 * Handles `${x%.ts}`, `${x#src/}`, the last part of a path and its folder: the usual forms in which scripts split
 * paths.
 */
function cutValue(value: Word, sign: CutSign, text: string): Word | null {
  if (value.unknown) return null;
  const slash = value.text.lastIndexOf('/');
  const shorten = (shortened: string): Word => ({ ...value, text: shortened, raw: shortened });
  if (sign === '##' && text === '*/')
    return value.below === null ? shorten(value.text.slice(slash + 1)) : null;
  if (sign === '%' && text === '/*') return slash < 0 ? value : shorten(value.text.slice(0, slash));
  if (sign === '%' && text === '.*' && !value.pattern && value.below === null) {
    const dot = value.text.lastIndexOf('.');
    return dot < 0 ? value : shorten(value.text.slice(0, dot));
  }
  if (/[*?[\]]/.test(text)) return null;
  // A path below a folder stays below it when its suffix changes.
  if (value.below !== null) return sign.startsWith('%') ? value : null;
  if (sign.startsWith('%'))
    return value.text.endsWith(text) ? shorten(value.text.slice(0, value.text.length - text.length)) : value;
  return value.text.startsWith(text) ? shorten(value.text.slice(text.length)) : value;
}
