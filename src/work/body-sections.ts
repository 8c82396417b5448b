import { type BodyKind, TEMPLATE_SECTIONS, type TemplateSection } from './body-template.ts';
import type { Heading, MarkdownBlock } from './markdown-block.ts';

export interface BodySection {
  /** As the template has it; null for one that no template knows. */
  readonly name: string | null;
  /** As it is written. */
  readonly title: string;
  readonly depth: number;
  readonly line: number;
  readonly column: number;
  /** At the level of the template and inside of the section it belongs to. */
  readonly placed: boolean;
  /** What stands under it, subsections included, without comments. */
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
  let around: string | null = null;
  for (const [index, heading] of blocks.entries()) {
    if (heading.kind !== 'heading') continue;
    const known = KNOWN.get(plainTitle(heading.title)) ?? null;
    // One that belongs into the section around it and stands too high does not end that section.
    const strays = known !== null && known.parent !== null && known.parent === around;
    if (heading.depth <= 2 && !strays) around = heading.depth === 2 ? (known?.name ?? null) : null;
    const end = endOf(blocks, index, heading);
    const next = blocks[end];
    sections.push({
      name: known?.name ?? null,
      title: heading.title,
      depth: heading.depth,
      line: heading.line,
      column: heading.column,
      placed: known !== null && known.depth === heading.depth && isInside(known, around),
      text: contentOf(markdown.slice(heading.end, next?.kind === 'heading' ? next.start : markdown.length)),
      blocks: blocks.slice(index + 1, end),
    });
  }
  return sections;
}

/** Those of a name; where none is in its place, those that are elsewhere. */
export function sectionsNamed(sections: readonly BodySection[], name: string): readonly BodySection[] {
  const named = sections.filter((section) => section.name === name);
  const placed = named.filter((section) => section.placed);
  return placed.length > 0 ? placed : named;
}

/** The template that a body follows more than the other. */
export function kindOfSections(sections: readonly BodySection[]): BodyKind | null {
  const names = new Set(sections.map(({ name }) => name));
  const own = (kind: BodyKind): number =>
    TEMPLATE_SECTIONS[kind].filter(({ name }) => name !== SHARED && names.has(name)).length;
  const [task, refinement] = [own('task'), own('refinement')];
  if (task === 0 && refinement === 0) return null;
  return refinement > task ? 'refinement' : 'task';
}

const SHARED = 'Spec Reference';

function isInside({ parent }: TemplateSection, around: string | null): boolean {
  return parent === null || parent === around;
}

/** Case, emphasis and a colon at the end do not make another section. */
function plainTitle(title: string): string {
  return title
    .replace(/[*_:]+$|^[*_]+/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}

function endOf(blocks: readonly MarkdownBlock[], start: number, heading: Heading): number {
  for (let index = start + 1; index < blocks.length; index += 1) {
    const block = blocks[index];
    if (block?.kind === 'heading' && block.depth <= heading.depth) return index;
  }
  return blocks.length;
}

function contentOf(text: string): string {
  return text.replace(/<!--[\s\S]*?(?:-->|$)/g, '').trim();
}
