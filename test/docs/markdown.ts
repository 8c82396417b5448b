import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '..', '..');

/** A fenced block; `info` is the text after the fence, such as `yaml workflow`. */
export interface Block {
  readonly info: string;
  readonly text: string;
  readonly line: number;
}

export interface Page {
  /** Relative to the project. */
  readonly path: string;
  readonly text: string;
  readonly blocks: readonly Block[];
}

/** Pages outside of docs/. */
const OTHER_PAGES = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'AGENTS.md',
  'examples/README.md',
  'examples/work-items/README.md',
];

/** Every page for users and contributors. */
export async function readPages(): Promise<readonly Page[]> {
  const below = await readdir(join(ROOT, 'docs'), { recursive: true });
  const docs = below.filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`);
  return Promise.all([...OTHER_PAGES, ...docs.sort()].map(readPage));
}

export async function readPage(path: string): Promise<Page> {
  const text = await readFile(join(ROOT, path), 'utf8');
  return { path, text, blocks: blocksOf(text) };
}

function blocksOf(text: string): Block[] {
  return [...text.matchAll(/^```([^\n`]*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    info: (match[1] ?? '').trim(),
    text: match[2] ?? '',
    line: text.slice(0, match.index).split('\n').length,
  }));
}

/** The text outside of fenced blocks. */
export function proseOf({ text }: Page): string {
  return text.replace(/^```[^\n`]*\n[\s\S]*?^```$/gm, '');
}

/** The one block of a page with this info; a page that has none, or two, is not the page that was meant. */
export function blockOf(page: Page, info: string): Block {
  const [block, second] = page.blocks.filter((candidate) => candidate.info === info);
  if (block === undefined || second !== undefined)
    throw new Error(`${page.path} has not exactly one block \`${info}\``);
  return block;
}

/** The part of a page under a heading, up to the next one of the same or a higher level. */
export function sectionOf(page: Page, heading: string): string {
  const start = page.text.indexOf(`${heading}\n`);
  if (start < 0) throw new Error(`${page.path} has no heading "${heading}"`);
  const level = /^#+/.exec(heading)?.[0].length ?? 1;
  const rest = page.text.slice(start + heading.length);
  const end = rest.search(new RegExp(`^#{1,${level}} `, 'm'));
  return end < 0 ? rest : rest.slice(0, end);
}

/** The rows of the tables in a text, head and rule left out. */
export function rowsOf(text: string): string[][] {
  const lines = text.split('\n');
  return lines
    .filter((line, index) => line.startsWith('|') && !isRule(line) && !isRule(lines[index + 1] ?? ''))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

function isRule(line: string): boolean {
  return /^\|(?: -{3,} \|)+$/.test(line);
}

/** Inline code of a text, in order: what is between single backticks. */
export function codeWords(text: string): string[] {
  return [...text.matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? '');
}

/** The anchors that headings of a page give, as GitHub makes them. */
export function anchorsOf({ text }: Page): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map((match) =>
    (match[1] ?? '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
