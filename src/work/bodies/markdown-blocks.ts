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
  readonly depth: number;
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
 * Disables inline syntax such as emphasis and links: it is not needed, paths contain stars and underscores,
 * and untrusted text can't make its parsing slow. Link definitions stay paragraphs.
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
export function readBlocks(markdown: string, pieceLines?: number): readonly MarkdownBlock[] {
  return splitMarkdown(blankFrontMatter(markdown), pieceLines).flatMap(readPiece);
}

function readPiece({ text, linesBefore, offset }: MarkdownPiece): readonly MarkdownBlock[] {
  return parsePiece(text).map((block) => {
    const line = block.line + linesBefore;
    return block.kind === 'heading'
      ? { ...block, line, start: block.start + offset, end: block.end + offset }
      : { ...block, line };
  });
}

/** Headings inside of fences, quotes, lists and comments aren't headings of the document. */
function parsePiece(markdown: string): readonly MarkdownBlock[] {
  const blocks: MarkdownBlock[] = [];
  // An explicit stack, because nested lists can exceed the call stack.
  const stack: { readonly node: Node; readonly depth: number }[] = [];
  const push = (nodes: readonly Node[], depth: number): void => {
    for (const node of nodes.toReversed()) stack.push({ node, depth });
  };
  push(fromMarkdown(markdown, { extensions: [BLOCKS_ONLY] }).children, -1);
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { node, depth } = next;
    switch (node.type) {
      case 'heading':
        if (depth < 0) blocks.push(headingOf(node));
        break;
      case 'paragraph':
        if (depth < 0) blocks.push({ kind: 'paragraph', text: textOf(node), line: lineOf(node) });
        break;
      case 'code':
        if (depth < 0) blocks.push({ kind: 'code', text: node.value, line: lineOf(node) });
        break;
      case 'list':
        push(node.children, depth + 1);
        break;
      case 'listItem':
        blocks.push(itemOf(node, depth));
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

function headingOf(node: Node & { readonly type: 'heading' }): Heading {
  return {
    kind: 'heading',
    title: textOf(node),
    depth: node.depth,
    line: lineOf(node),
    column: node.position?.start.column ?? 1,
    start: node.position?.start.offset ?? 0,
    end: node.position?.end.offset ?? 0,
  };
}

function itemOf(node: Node & { readonly type: 'listItem' }, depth: number): ListItem {
  const paragraph = node.children.find(({ type }) => type === 'paragraph');
  return {
    kind: 'item',
    text: paragraph === undefined ? '' : textOf(paragraph).replace(/\s*\n\s*/g, ' '),
    line: lineOf(node),
    column: node.position?.start.column ?? 1,
    depth,
  };
}

function textOf(node: Node): string {
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
function splitMarkdown(markdown: string, pieceLines = PIECE_LINES): readonly MarkdownPiece[] {
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
