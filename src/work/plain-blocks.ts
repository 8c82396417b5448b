import type { MarkdownBlock } from './markdown-block.ts';

type LineKind = 'blank' | 'heading' | 'item' | 'text';

const BLANK = /^ *$/;
/** A row of hashes at the end may be decoration. */
const HEADING = /^(#{1,6}) ([^#\s][^#]*)$/;
const ITEM = /^(?:[-*+]|(\d{1,9})\.) (.+)$/;
/** What can start nothing but a paragraph. */
const TEXT = /^(?:[\p{L}"“'([]|\*\*[\p{L}\p{N}]|`[^`])/u;
const NUMBER = /^\d+(?![\d.)])/;

/**
 * Reads headings, paragraphs and lists of one level, all from the start of the line. Null for a text in which anything else
 * could stand: then a parser has to say what it means.
 */
export function readPlainBlocks(markdown: string): readonly MarkdownBlock[] | null {
  const blocks: MarkdownBlock[] = [];
  let before: LineKind = 'blank';
  let paragraph: { readonly line: number; readonly lines: string[] } | null = null;
  let start = 0;
  const end = () => {
    if (paragraph !== null)
      blocks.push({ kind: 'paragraph', text: paragraph.lines.join('\n'), line: paragraph.line });
    paragraph = null;
  };
  for (const [index, text] of markdown.split('\n').entries()) {
    const line = index + 1;
    const kind = kindOf(text, before);
    if (kind === null) return null;
    if (kind !== 'text') end();
    if (kind === 'heading') {
      const [, marks = '', title = ''] = HEADING.exec(text) ?? [];
      blocks.push({ kind, title, depth: marks.length, line, column: 1, start, end: start + text.length });
    } else if (kind === 'item') {
      blocks.push({ kind, text: ITEM.exec(text)?.[2] ?? '', line, column: 1, depth: 0 });
    } else if (kind === 'text') {
      paragraph ??= { line, lines: [] };
      paragraph.lines.push(text);
    }
    before = kind;
    start += text.length + 1;
  }
  end();
  return blocks;
}

/** Null where the line, or the line after that one, may mean something else. */
function kindOf(text: string, before: LineKind): LineKind | null {
  if (BLANK.test(text)) return 'blank';
  if (text !== text.trim() || /[\p{Cc}]/u.test(text)) return null;
  if (HEADING.test(text)) return 'heading';
  const item = ITEM.exec(text);
  if (item !== null) {
    // A number goes on with a paragraph, unless it is 1.
    if (item[1] !== undefined && before === 'text') return null;
    return isText(item[2] ?? '') ? 'item' : null;
  }
  // Text right below an item belongs to it.
  return isText(text) && before !== 'item' ? 'text' : null;
}

function isText(text: string): boolean {
  return TEXT.test(text) || NUMBER.test(text);
}
