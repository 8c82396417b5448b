/** A piece of a line of code and the class of its colour; null for plain text. */
export interface Token {
  readonly text: string;
  readonly kind: string | null;
}

/** What `lowlight` returns, as far as it is used here. */
export interface SyntaxNode {
  readonly type: string;
  readonly value?: string;
  readonly properties?: { readonly className?: unknown };
  readonly children?: readonly SyntaxNode[];
}

/** Cuts a syntax tree into lines of tokens. A token that spans lines, such as a comment, keeps its kind on each. */
export function splitTokens(root: SyntaxNode): Token[][] {
  const lines: Token[][] = [[]];
  const visit = (node: SyntaxNode, kind: string | null): void => {
    if (node.type === 'text') {
      for (const [index, text] of (node.value ?? '').split('\n').entries()) {
        if (index > 0) lines.push([]);
        if (text !== '') lines.at(-1)?.push({ text, kind });
      }
      return;
    }
    const inner = kindOf(node) ?? kind;
    for (const child of node.children ?? []) visit(child, inner);
  };
  visit(root, null);
  return lines;
}

const KINDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    keyword: 'keyword',
    literal: 'number',
    number: 'number',
    string: 'string',
    regexp: 'string',
    addition: 'string',
    comment: 'comment',
    quote: 'comment',
    meta: 'comment',
    title: 'title',
    section: 'title',
    attr: 'title',
    attribute: 'title',
    property: 'title',
    name: 'keyword',
    tag: 'keyword',
    selector: 'keyword',
    type: 'type',
    built_in: 'type',
    class: 'type',
    symbol: 'number',
    bullet: 'number',
    deletion: 'keyword',
    variable: 'type',
  }),
);

function kindOf({ properties }: SyntaxNode): string | null {
  const names = properties?.className;
  if (!Array.isArray(names)) return null;
  for (const name of names as unknown[]) {
    const scope = typeof name === 'string' ? name.replace(/^hljs-/, '').split('-', 1)[0] : undefined;
    const kind = scope === undefined ? undefined : KINDS.get(scope);
    if (kind !== undefined) return kind;
  }
  return null;
}
