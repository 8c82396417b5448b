import { fromMarkdown } from 'mdast-util-from-markdown';

/** The parts of a Markdown page that can be checked. */
export interface MarkdownPage {
  readonly links: readonly PageLink[];
  /** The anchors that links to this page can use. */
  readonly anchors: ReadonlySet<string>;
  readonly examples: readonly Example[];
}

export interface PageLink {
  readonly target: string;
  readonly line: number;
}

export interface Example {
  readonly language: string;
  readonly code: string;
  readonly line: number;
}

/** After the language of a code block: the example is not run. */
const NO_RUN = 'no-run';

type Root = ReturnType<typeof fromMarkdown>;
type Node = Root | Root['children'][number];

export function readMarkdown(text: string): MarkdownPage {
  const links: PageLink[] = [];
  const anchors = new Set<string>();
  const examples: Example[] = [];
  const headings = new Map<string, number>();
  const visit = (node: Node): void => {
    const line = node.position?.start.line ?? 1;
    switch (node.type) {
      case 'link':
      case 'image':
      case 'definition':
        links.push({ target: node.url, line });
        break;
      case 'heading':
        anchors.add(anchorOf(textOf(node), headings));
        break;
      case 'html':
        for (const match of node.value.matchAll(/\b(?:id|name)\s*=\s*["']([^"']+)["']/g)) {
          anchors.add(match[1] ?? '');
        }
        break;
      case 'code': {
        const words = (node.meta ?? '').split(/\s+/);
        if (node.lang && !words.includes(NO_RUN)) {
          examples.push({ language: node.lang, code: node.value, line });
        }
        break;
      }
      default:
    }
    if ('children' in node) for (const child of node.children) visit(child);
  };
  visit(fromMarkdown(text));
  return { links, anchors, examples };
}

function textOf(node: Node): string {
  if ('value' in node && node.type !== 'html') return node.value;
  return 'children' in node ? node.children.map(textOf).join('') : '';
}

/** The anchor as GitHub creates it; repeated headings are numbered. */
function anchorOf(heading: string, seen: Map<string, number>): string {
  const plain = heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M} _-]/gu, '')
    .replaceAll(' ', '-');
  const count = seen.get(plain) ?? 0;
  seen.set(plain, count + 1);
  return count === 0 ? plain : `${plain}-${count}`;
}
