import type { Change, Piece, Step, Word } from './shell-word.ts';

/** A word while it is being read. */
export interface WordDraft {
  readonly pieces: Piece[];
  glob: boolean;
  quoted: boolean;
  bare: boolean;
  /** State of a brace expansion: 0 none, 1 open, 2 with a list, 3 closed. */
  brace: 0 | 1 | 2 | 3;
  /** An open bracket that may become a bracket expression. */
  bracket: boolean;
}

export function createDraft(): WordDraft {
  return { pieces: [], glob: false, quoted: false, bare: false, brace: 0, bracket: false };
}

/** Adds text, merging it with a preceding text piece of the same quoting. */
export function addText(draft: WordDraft, text: string, quoted: boolean): void {
  const last = draft.pieces.at(-1);
  if (last?.kind === 'text' && last.quoted === quoted)
    draft.pieces[draft.pieces.length - 1] = { ...last, text: last.text + text };
  else draft.pieces.push({ kind: 'text', text, quoted });
}

export function addPiece(draft: WordDraft, piece: Piece): void {
  draft.bare = true;
  draft.pieces.push(piece);
}

export function wordOf(draft: WordDraft, raw: string): Word {
  const { pieces } = draft;
  const unknown = pieces.some(({ kind }) => kind !== 'text');
  return {
    text: pieces.map((piece) => (piece.kind === 'text' ? piece.text : piece.raw)).join(''),
    raw,
    quoting: draft.quoted ? (draft.bare ? 'part' : 'whole') : 'none',
    unknown,
    pattern: draft.glob || draft.brace === 3,
    pieces: unknown ? pieces : null,
    below: null,
  };
}

const NUMBERS = new Set(['?', '$', '#']);

export function variablePiece(name: string, raw: string, quoted: boolean): Piece {
  if (NUMBERS.has(name)) return { kind: 'number', raw, quoted };
  const change: Change = { kind: name === '@' || name === '*' ? 'all' : 'none' };
  return { kind: 'variable', name, raw, change, quoted };
}

const NAME = '[A-Za-z_]\\w*|\\d+|[@*]';
const BRACED = new RegExp(`^\\$\\{(${NAME})(?:\\[([^\\]]*)\\])?(?:(:?[-=])|(%%?|##?))?([^]*)\\}$`);

/** `${…}` as a part of a word; the text after the name is only interpreted if it is plain. */
export function bracedPiece(raw: string, quoted: boolean): Piece {
  if (/^\$\{(?:#[^}]*|[?$#])\}$/.test(raw)) return { kind: 'number', raw, quoted };
  const [, name, subscript, fallback, sign, text = ''] = BRACED.exec(raw) ?? [];
  const change = name === undefined ? null : readChange({ subscript, fallback, sign, text });
  if (name === undefined || change === null) return { kind: 'unknown', raw, quoted };
  if (change.kind === 'none') return variablePiece(name, raw, quoted);
  return { kind: 'variable', name, raw, change, quoted };
}

interface BracedParts {
  readonly subscript: string | undefined;
  readonly fallback: string | undefined;
  readonly sign: string | undefined;
  readonly text: string;
}

function readChange({ subscript, fallback, sign, text }: BracedParts): Change | null {
  if (/["'`$\\{}]/.test(text)) return null;
  if (subscript !== undefined)
    return sign === undefined && text === '' && /^[@*]$/.test(subscript) ? { kind: 'all' } : null;
  if (fallback !== undefined) return { kind: 'default', text };
  switch (sign) {
    case '%':
    case '%%':
    case '#':
    case '##':
      return { kind: 'cut', sign, text };
    default:
      return text === '' ? { kind: 'none' } : null;
  }
}

export function outputPiece(raw: string, steps: readonly Step[], quoted: boolean): Piece {
  return { kind: 'output', raw, steps, quoted };
}
