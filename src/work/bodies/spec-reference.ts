import type { MarkdownBlock } from './markdown-blocks.ts';

/** The part of a spec that an item is derived from. */
export interface SpecReference {
  readonly spec: string;
  readonly sections: readonly string[];
  readonly quote: string | null;
  readonly line: number;
}

const LABEL = /^[*_]*(spec|sections?(?:\(s\))?|quote)[*_]*\s*:[*_]*\s*(.*)$/is;

/** `Spec:` starts a reference; the following sections and quote belong to it. */
export function readSpecReferences(blocks: readonly MarkdownBlock[]): readonly SpecReference[] {
  const references: SpecReference[] = [];
  for (const { text, line } of blocks.flatMap(linesOf)) {
    const [, label = '', value = ''] = LABEL.exec(text) ?? [];
    const last = references.at(-1);
    if (label.toLowerCase() === 'spec') {
      references.push({ spec: unquoted(value), sections: [], quote: null, line });
    } else if (last !== undefined && label !== '') {
      references[references.length - 1] =
        label.toLowerCase() === 'quote'
          ? { ...last, quote: unquoted(value) }
          : { ...last, sections: [...last.sections, ...sectionsIn(value)] };
    }
  }
  return references;
}

function linesOf(block: MarkdownBlock): readonly { readonly text: string; readonly line: number }[] {
  switch (block.kind) {
    case 'item':
      return [block];
    case 'paragraph':
      return block.text.split('\n').map((text, index) => ({ text, line: block.line + index }));
    case 'code':
    case 'heading':
      return [];
  }
}

function sectionsIn(value: string): readonly string[] {
  return value
    .split(/[,;]\s+/)
    .map(unquoted)
    .filter((section) => section !== '');
}

function unquoted(text: string): string {
  const bare = text.trim();
  return /^(["'`“‘«])(.*)(["'`”’»])$/s.exec(bare)?.[2]?.trim() ?? bare;
}
