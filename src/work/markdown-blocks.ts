import type { MarkdownBlock } from './markdown-block.ts';
import { readMdastBlocks } from './mdast-blocks.ts';
import { readPlainBlocks } from './plain-blocks.ts';

/**
 * The blocks of a Markdown text, without what is inside of quotes. Hundreds of bodies are read at once, and most are as plain as
 * the templates are, so those do not pay for a whole parser.
 */
export function readBlocks(markdown: string): readonly MarkdownBlock[] {
  return readPlainBlocks(markdown) ?? readMdastBlocks(markdown);
}
