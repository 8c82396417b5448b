/** A part of a text whose blocks are those of the whole text. */
export interface MarkdownPiece {
  readonly text: string;
  /** How many lines and characters stand before it. */
  readonly linesBefore: number;
  readonly offset: number;
}

/** Enough to be worth a parser, and few enough for what it does to the square of them. */
const PIECE_LINES = 200;

/** Opens what goes on over blank lines, where it is no part of a list. */
const GOES_ON = /^ {0,3}(?:`{3}|~{3}|<)/;
const BULLET = /^[-*+] \S/;
/** A heading, a quote, words. Whether a number or a bare bullet starts a list depends on what stands before it. */
const FRESH = /^[#>\p{L}]/u;

/**
 * Cuts a text where a new block starts that is part of no other: at a bullet that is not indented, and behind a blank line.
 * After what could be a fence or HTML nothing is cut.
 */
export function piecesOf(markdown: string, pieceLines = PIECE_LINES): readonly MarkdownPiece[] {
  const pieces: MarkdownPiece[] = [];
  let [from, linesBefore, offset] = [0, 0, 0];
  // A carriage return alone ends a line as well, and would not be counted.
  const lines = /\r(?!\n)/.test(markdown) ? [] : markdown.split('\n');
  for (const [index, line] of lines.entries()) {
    if (GOES_ON.test(line)) break;
    const starts = BULLET.test(line) || (FRESH.test(line) && lines[index - 1]?.trim() === '');
    if (starts && index - linesBefore >= pieceLines) {
      pieces.push({ text: markdown.slice(from, offset), linesBefore, offset: from });
      [from, linesBefore] = [offset, index];
    }
    offset += line.length + 1;
  }
  return [...pieces, { text: markdown.slice(from), linesBefore, offset: from }];
}
