/**
 * The significant tokens of a text: differences without meaning in the language are normalised. Null if the
 * reader is unsure; then nothing is proved.
 */
export type Tokens = readonly string[] | null;

/** One lexical element of a text. */
export interface Piece {
  readonly kind: 'space' | 'newline' | 'comment' | 'word' | 'number' | 'string' | 'mark' | 'line';
  readonly text: string;
}

/** Marks around which white space never matters. */
const FREE_MARKS = new Set(['(', ')', '[', ']', '{', '}', ',', ';']);

export interface TokenRules {
  /** Whether any white space counts, because a macro can see it. */
  readonly keepsBlanks: boolean;
  readonly keepsNewlines: boolean;
  /** Whether a comment separates its neighbours like white space. */
  readonly commentIsBlank: boolean;
  /** Comments that act as directives. */
  readonly isDirective: (comment: string) => boolean;
}

/**
 * Converts pieces to tokens, so that two texts have the same tokens only if no white space, line end or
 * comment between them matters.
 */
export function toTokens(pieces: readonly Piece[], rules: TokenRules): readonly string[] {
  const tokens: string[] = [];
  let blank = false;
  let newline = false;
  let before: Piece | null = null;
  for (const piece of pieces) {
    const isSpace = piece.kind === 'space' || piece.kind === 'newline';
    const isComment = piece.kind === 'comment' && !rules.isDirective(piece.text);
    if (isSpace || isComment) {
      blank ||= isSpace || rules.commentIsBlank;
      newline ||= piece.text.includes('\n');
      continue;
    }
    if (before !== null && newline && rules.keepsNewlines) tokens.push('\n');
    if (before !== null && blank && blankMatters(before, piece, rules)) tokens.push(' ');
    tokens.push(`${piece.kind}:${piece.text}`);
    [blank, newline, before] = [false, false, piece];
  }
  return tokens;
}

function blankMatters(left: Piece, right: Piece, { keepsBlanks }: TokenRules): boolean {
  if (keepsBlanks) return true;
  if (FREE_MARKS.has(left.text) || FREE_MARKS.has(right.text)) return false;
  if (left.kind === 'mark' && right.kind === 'mark') return true;
  const literal = isLiteral(left) || isLiteral(right);
  if (left.kind === 'mark' || right.kind === 'mark')
    return literal && (left.text === '.' || right.text === '.');
  return literal && left.kind !== 'line' && right.kind !== 'line';
}

function isLiteral({ kind }: Piece): boolean {
  return kind === 'number' || kind === 'string';
}

/** Null if one of them could not be read. */
export function haveSameTokens(before: Tokens, after: Tokens): boolean | null {
  if (before === null || after === null) return null;
  return before.length === after.length && before.every((token, index) => token === after[index]);
}
