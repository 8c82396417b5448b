/** A part of a text that has the same blocks as in the whole text. */
export interface MarkdownPiece {
  readonly text: string;
  /** The number of lines and characters before it. */
  readonly linesBefore: number;
  readonly offset: number;
}

/** Enough lines per parser call, and few enough for its quadratic time. */
const PIECE_LINES = 200;

/** Starts a block that continues over blank lines, unless it is part of a list. */
const SPANS_BLANK_LINES = /^ {0,3}(?:`{3}|~{3}|<)/;
const BULLET = /^[-*+] \S/;
/**
 * A heading, a quote or text. Whether a number or a bare bullet starts a list depends on the preceding line.
 */
const STARTS_BLOCK = /^[#>\p{L}]/u;

/**
 * Splits a text where an independent block starts: at a bullet without indentation, and after a blank line.
 * It does not split after a possible fence or HTML.
 */
export function piecesOf(markdown: string, pieceLines = PIECE_LINES): readonly MarkdownPiece[] {
  const pieces: MarkdownPiece[] = [];
  let [from, linesBefore, offset] = [0, 0, 0];
  // A lone carriage return also ends a line, and would not be counted.
  const lines = /\r(?!\n)/.test(markdown) ? [] : markdown.split('\n');
  for (const [index, line] of lines.entries()) {
    if (SPANS_BLANK_LINES.test(line)) break;
    const starts = BULLET.test(line) || (STARTS_BLOCK.test(line) && lines[index - 1]?.trim() === '');
    if (starts && index - linesBefore >= pieceLines) {
      pieces.push({ text: markdown.slice(from, offset), linesBefore, offset: from });
      [from, linesBefore] = [offset, index];
    }
    offset += line.length + 1;
  }
  return [...pieces, { text: markdown.slice(from), linesBefore, offset: from }];
}
