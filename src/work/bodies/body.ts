import type { WorkType } from '../../contracts/work/work-item.ts';
import { type BodySection, detectBodyKind, findSections, readSections } from './body-sections.ts';
import { type BodyKind, TYPE_OF_KIND } from './body-template.ts';
import { type ListItem, type MarkdownBlock, parseMarkdownBlocks, type TextBlock } from './markdown-blocks.ts';
import { isLonePath, readScopeEntry, readSentence, type ScopeEntry, type ScopeList } from './scope-entry.ts';
import { readSpecReferences, type SpecReference } from './spec-reference.ts';

export interface BodyLine {
  readonly text: string;
  readonly line: number;
}

export interface Criterion extends BodyLine {
  readonly done: boolean;
}

/** A parsed work item body. Lines count from 1. */
export interface WorkBody {
  /** The template it matches best; null if it matches neither. */
  readonly kind: BodyKind | null;
  readonly sections: readonly BodySection[];
  readonly objective: string;
  readonly specReferences: readonly SpecReference[];
  readonly inScope: readonly ScopeEntry[];
  readonly outOfScope: readonly ScopeEntry[];
  /** Entries of the two lists that name no path: prose for readers. */
  readonly unreadEntries: readonly BodyLine[];
  readonly criteria: readonly Criterion[];
  readonly context: string;
  readonly constraints: string;
  readonly ambiguity: string;
  readonly options: readonly BodyLine[];
  readonly recommendation: string;
  readonly blockedTasks: readonly BodyLine[];
}

/** Parses any text; missing sections are empty. */
export function readBody(markdown: string): WorkBody {
  const blocks = parseMarkdownBlocks(markdown);
  const sections = readSections(markdown, blocks);
  const textOf = (name: string) =>
    findSections(sections, name)
      .map(({ text }) => text)
      .filter((text) => text !== '')
      .join('\n\n');
  const blocksOf = (name: string) => findSections(sections, name).flatMap((section) => section.blocks);
  const inScope = readEntries(blocksOf('In Scope'), 'in');
  const outOfScope = readEntries(blocksOf('Out of Scope'), 'out');
  return {
    kind: detectBodyKind(sections),
    sections,
    objective: textOf('Objective'),
    specReferences: readSpecReferences(blocksOf('Spec Reference')),
    inScope: inScope.entries,
    outOfScope: outOfScope.entries,
    unreadEntries: [...inScope.unread, ...outOfScope.unread],
    criteria: readCriteria(blocksOf('Acceptance Criteria')),
    context: textOf('Context'),
    constraints: textOf('Constraints'),
    ambiguity: textOf('Ambiguity'),
    options: readItems(blocksOf('Options')),
    recommendation: textOf('Recommendation'),
    blockedTasks: readItems(blocksOf('Blocked Tasks')),
  };
}

/** The type whose template a body matches best. */
export function detectBodyType(markdown: string): WorkType | null {
  const { kind } = readBody(markdown);
  return kind === null ? null : TYPE_OF_KIND[kind];
}

interface Entries {
  readonly entries: readonly ScopeEntry[];
  readonly unread: readonly BodyLine[];
}

/**
 * Reads a list, as in the template; without one, paths on their own lines, in table cells or in sentences.
 */
function readEntries(blocks: readonly MarkdownBlock[], list: ScopeList): Entries {
  const items = blocks.filter((block) => block.kind === 'item');
  if (items.length === 0) return readLines(blocks, list);
  const entries: ScopeEntry[] = [];
  const unread: BodyLine[] = [];
  let folderDepth: number | null = null;
  for (const item of items) {
    if (folderDepth !== null && item.depth > folderDepth) continue;
    const read = readScopeEntry(item.text, list);
    entries.push(...read.entries.map((entry) => ({ ...entry, line: item.line })));
    if (read.prose && isTopLevel(item)) unread.push({ text: item.text, line: item.line });
    // Entries nested under a folder are covered by it, and are usually relative to it.
    folderDepth = read.entries.some(({ path }) => path.endsWith('/')) ? item.depth : null;
  }
  return { entries: withoutNotes(entries, items), unread };
}

/** Nested items are often notes; they count only if they are clearly paths. */
function withoutNotes(entries: readonly ScopeEntry[], items: readonly ListItem[]): readonly ScopeEntry[] {
  const nested = new Map(items.filter((item) => !isTopLevel(item)).map((item) => [item.line, item.text]));
  return entries.filter(({ path, line }) => {
    const text = nested.get(line);
    return text === undefined || isLonePath(text) || text.startsWith('`') || /[/*]/.test(path);
  });
}

function isTopLevel({ depth }: ListItem): boolean {
  return depth === 0;
}

function readLines(blocks: readonly MarkdownBlock[], list: ScopeList): Entries {
  const entries = blocks.flatMap((block) => {
    if (block.kind !== 'paragraph' && block.kind !== 'code') return [];
    const alone = listPathLines(block).flatMap(({ text, line }) =>
      readScopeEntry(text, list).entries.map((entry) => ({ ...entry, line })),
    );
    if (alone.length > 0 || block.kind === 'code') return alone;
    return readSentence(block.text, list).entries.map((entry) => ({ ...entry, line: block.line }));
  });
  return { entries, unread: [] };
}

function listPathLines({ kind, text, line }: TextBlock): readonly BodyLine[] {
  // The first line of a code block is its fence.
  const first = kind === 'code' ? line + 1 : line;
  return text
    .split('\n')
    .map((each, index) => ({ text: kind === 'code' ? each : findPathCell(each), line: first + index }))
    .filter((each) => isLonePath(each.text));
}

/** The first cell of a table row that is a path; any other line unchanged. */
function findPathCell(line: string): string {
  if (!line.trimStart().startsWith('|')) return line;
  return line.split('|').find(isLonePath) ?? '';
}

const CHECKBOX = /^\[([ xX])\](?:\s+|$)/;

/** Items of the list, with or without a checkbox; in prose, one criterion per paragraph. */
function readCriteria(blocks: readonly MarkdownBlock[]): readonly Criterion[] {
  return readItems(blocks)
    .map(({ text, line }) => {
      const box = CHECKBOX.exec(text);
      const bare = box === null ? text : text.slice(box[0].length);
      return { text: bare.trim(), done: box !== null && box[1] !== ' ', line };
    })
    .filter(({ text }) => text !== '');
}

function readItems(blocks: readonly MarkdownBlock[]): readonly BodyLine[] {
  const items = blocks.filter((block) => block.kind === 'item' && isTopLevel(block));
  const found = items.length > 0 ? items : blocks.filter((block) => block.kind === 'paragraph');
  return found.flatMap((block) =>
    block.kind === 'heading' ? [] : [{ text: block.text.trim(), line: block.line }],
  );
}
