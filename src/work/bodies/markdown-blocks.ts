import { fromMarkdown } from 'mdast-util-from-markdown';

export interface ListItem {
  readonly kind: 'item';
  /** One line: wrapped lines are joined. */
  readonly text: string;
  readonly line: number;
  readonly column: number;
  /** 0 for an item of the outermost list. */
  readonly depth: number;
}

export interface Heading {
  readonly kind: 'heading';
  readonly title: string;
  readonly level: number;
  readonly line: number;
  readonly column: number;
  readonly start: number;
  readonly end: number;
}

export interface TextBlock {
  readonly kind: 'paragraph' | 'code';
  readonly text: string;
  readonly line: number;
}

/** Items of a list follow each other, each before its nested items. */
export type MarkdownBlock = Heading | ListItem | TextBlock;

type Root = ReturnType<typeof fromMarkdown>;
type Node = Root['children'][number];

/**
 * Disables inline syntax such as emphasis and links: paths contain stars and underscores, and untrusted text could
 * make inline parsing slow. Link definitions stay paragraphs.
 */
const BLOCKS_ONLY = {
  disable: {
    null: [
      'attention',
      'autolink',
      'characterEscape',
      'characterReference',
      'codeText',
      'definition',
      'hardBreakEscape',
      'htmlText',
      'labelEnd',
      'labelStartImage',
      'labelStartLink',
    ],
  },
};

/** Parses in pieces, because the parser takes quadratic time in the number of lists or quotes. */
export function parseMarkdownBlocks(markdown: string, pieceLines?: number): readonly MarkdownBlock[] {
  return splitMarkdown(blankFrontMatter(markdown), pieceLines).flatMap(parsePieceInDocument);
}

function parsePieceInDocument({ text, linesBefore, offset }: MarkdownPiece): readonly MarkdownBlock[] {
  return parsePiece(text).map((block) => {
    const line = block.line + linesBefore;
    return block.kind === 'heading'
      ? { ...block, line, start: block.start + offset, end: block.end + offset }
      : { ...block, line };
  });
}

/** The depth of a block that is in no list. The blocks of an outermost list have depth 0. */
const OUTSIDE_LISTS = -1;

/** Headings inside of fences, quotes, lists and comments aren't headings of the document. */
function parsePiece(markdown: string): readonly MarkdownBlock[] {
  const blocks: MarkdownBlock[] = [];
  // An explicit stack, because nested lists can exceed the call stack. `depth` counts the enclosing lists from 0.
  const stack: { readonly node: Node; readonly depth: number }[] = [];
  const push = (nodes: readonly Node[], depth: number): void => {
    for (const node of nodes.toReversed()) stack.push({ node, depth });
  };
  push(fromMarkdown(markdown, { extensions: [BLOCKS_ONLY] }).children, OUTSIDE_LISTS);
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { node, depth } = next;
    switch (node.type) {
      case 'heading':
        if (depth === OUTSIDE_LISTS) blocks.push(toHeading(node));
        break;
      case 'paragraph':
        if (depth === OUTSIDE_LISTS)
          blocks.push({ kind: 'paragraph', text: joinText(node), line: lineOf(node) });
        break;
      case 'code':
        if (depth === OUTSIDE_LISTS) blocks.push({ kind: 'code', text: node.value, line: lineOf(node) });
        break;
      case 'list':
        push(node.children, depth + 1);
        break;
      case 'listItem':
        blocks.push(toListItem(node, depth));
        push(
          node.children.filter(({ type }) => type === 'list'),
          depth,
        );
        break;
      default:
        break;
    }
  }
  return blocks;
}

/** A rule at the top, followed by sections and another rule, is not front matter. */
const FRONT_MATTER = /^\uFEFF?---[ \t]*\r?\n(?:(?!##)[^\n]*\n)*?---[ \t]*(?:\r?\n|$)/;

/** Blanks the front matter, so that line numbers and offsets stay the same. */
function blankFrontMatter(markdown: string): string {
  const found = FRONT_MATTER.exec(markdown)?.[0];
  if (found === undefined) return markdown;
  return found.replace(/[^\r\n]/g, ' ') + markdown.slice(found.length);
}

function toHeading(node: Node & { readonly type: 'heading' }): Heading {
  return {
    kind: 'heading',
    title: joinText(node),
    level: node.depth,
    line: lineOf(node),
    column: node.position?.start.column ?? 1,
    start: node.position?.start.offset ?? 0,
    end: node.position?.end.offset ?? 0,
  };
}

function toListItem(node: Node & { readonly type: 'listItem' }, depth: number): ListItem {
  const paragraph = node.children.find(({ type }) => type === 'paragraph');
  return {
    kind: 'item',
    text: paragraph === undefined ? '' : joinText(paragraph).replace(/\s*\n\s*/g, ' '),
    line: lineOf(node),
    column: node.position?.start.column ?? 1,
    depth,
  };
}

function joinText(node: Node): string {
  if (node.type !== 'paragraph' && node.type !== 'heading') return '';
  return node.children.map((child) => ('value' in child ? child.value : '')).join('');
}

function lineOf(node: Node): number {
  return node.position?.start.line ?? 1;
}

interface MarkdownPiece {
  readonly text: string;
  /** The number of lines and characters before it. */
  readonly linesBefore: number;
  readonly offset: number;
}

/** Small enough that the quadratic time of the parser does not matter. */
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
function splitMarkdown(markdown: string, pieceLines = PIECE_LINES): readonly MarkdownPiece[] {
  const pieces: MarkdownPiece[] = [];
  let [from, linesBefore, offset] = [0, 0, 0];
  // The parser ends a line at a lone carriage return too, but `split` does not: such a text is parsed in one piece.
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
