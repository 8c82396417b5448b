import { type BodyKind, TEMPLATE_SECTIONS, type TemplateSection } from './body-template.ts';
import type { Heading, MarkdownBlock } from './markdown-blocks.ts';

export interface BodySection {
  /** The name in the template; null for an unknown section. */
  readonly name: string | null;
  /** The heading as written. */
  readonly title: string;
  readonly level: number;
  readonly line: number;
  readonly column: number;
  /** Whether it has the level and the parent of the template. */
  readonly placed: boolean;
  /** The text below the heading, including subsections, without comments. */
  readonly text: string;
  readonly blocks: readonly MarkdownBlock[];
}

const KNOWN: ReadonlyMap<string, TemplateSection> = new Map(
  Object.values(TEMPLATE_SECTIONS)
    .flat()
    .map((section) => [section.name.toLowerCase(), section]),
);

export function readSections(markdown: string, blocks: readonly MarkdownBlock[]): readonly BodySection[] {
  const sections: BodySection[] = [];
  let enclosing: string | null = null;
  for (const [index, heading] of blocks.entries()) {
    if (heading.kind !== 'heading') continue;
    const known = KNOWN.get(plainTitle(heading.title)) ?? null;
    // A subsection at too high a level does not end the section that it belongs to.
    const isStray = known !== null && known.parent !== null && known.parent === enclosing;
    if (heading.level <= 2 && !isStray) enclosing = heading.level === 2 ? (known?.name ?? null) : null;
    const end = findSectionEnd(blocks, index, heading);
    const next = blocks[end];
    sections.push({
      name: known?.name ?? null,
      title: heading.title,
      level: heading.level,
      line: heading.line,
      column: heading.column,
      placed: known !== null && known.level === heading.level && isInside(known, enclosing),
      text: removeComments(
        markdown.slice(heading.end, next?.kind === 'heading' ? next.start : markdown.length),
      ),
      blocks: blocks.slice(index + 1, end),
    });
  }
  return sections;
}

/** The sections of a name: those in the right place, or else those elsewhere. */
export function findSections(sections: readonly BodySection[], name: string): readonly BodySection[] {
  const named = sections.filter((section) => section.name === name);
  const placed = named.filter((section) => section.placed);
  return placed.length > 0 ? placed : named;
}

/** The template that a body matches best. */
export function detectBodyKind(sections: readonly BodySection[]): BodyKind | null {
  const names = new Set(sections.map(({ name }) => name));
  const own = (kind: BodyKind): number =>
    TEMPLATE_SECTIONS[kind].filter(({ name }) => name !== SHARED && names.has(name)).length;
  const [task, refinement] = [own('task'), own('refinement')];
  if (task === 0 && refinement === 0) return null;
  return refinement > task ? 'refinement' : 'task';
}

const SHARED = 'Spec Reference';

function isInside({ parent }: TemplateSection, enclosing: string | null): boolean {
  return parent === null || parent === enclosing;
}

/** Normalises a title: case, emphasis and a trailing colon don't matter. */
function plainTitle(title: string): string {
  return title
    .replace(/[*_:]+$|^[*_]+/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}

function findSectionEnd(blocks: readonly MarkdownBlock[], start: number, heading: Heading): number {
  for (let index = start + 1; index < blocks.length; index += 1) {
    const block = blocks[index];
    if (block?.kind === 'heading' && block.level <= heading.level) return index;
  }
  return blocks.length;
}

function removeComments(text: string): string {
  return text.replace(/<!--[\s\S]*?(?:-->|$)/g, '').trim();
}
