/** A list item at any depth, without its nested items. */
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
