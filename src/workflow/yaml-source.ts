import { Composer, type CST, type Document, isMap, isScalar, type Node, Parser, type YAMLError } from 'yaml';
import { type Code, type Family, type ShapeNumber, shapeCode } from '../diagnostics/codes.ts';
import { createDiagnostic, type Diagnostic, type Span } from '../diagnostics/diagnostic.ts';
import { createLineIndex, type LineIndex } from './line-index.ts';
import { buildTree, MAX_DEPTH, type Path, rangeOf, type YamlTree } from './yaml-tree.ts';

/** A YAML document with the way back from its data to its text. */
export interface YamlSource {
  readonly data: unknown;
  readonly diagnostics: readonly Diagnostic[];
  /** Nearest place for a path: a path that does not exist gives the place of its nearest parent. */
  readonly locate: (path: Path, part: 'key' | 'value') => Span;
  /** Where a missing key of the mapping at this path would be looked for: its first key. */
  readonly locateFirstKey: (path: Path) => Span;
  /** A piece of the text of a scalar, or all of it where the piece is written in another way. */
  readonly locateText: (path: Path, piece: string) => Span;
  /** A scalar exactly as it stands in the file. */
  readonly sourceText: (path: Path) => string | null;
}

/** Null data with diagnostics: nothing more can be said about such a text. */
export interface YamlResult {
  readonly source: YamlSource | null;
  readonly diagnostics: readonly Diagnostic[];
  /** No error, but nothing in it either. */
  readonly empty: boolean;
}

/** Offsets of `text` are the offsets of the file; a front matter is passed with the rest blanked out. */
export function parseYaml(text: string, family: Family): YamlResult {
  const lines = createLineIndex(text);
  const fail = (
    number: ShapeNumber,
    start: number,
    end: number,
    message: string,
    help: string | null = null,
  ) => failure(shapeCode(family, number), { message, span: lines.span(start, end), help });

  const composed = composeDocuments(text);
  if (composed.kind === 'too_deep') {
    return fail('004', composed.offset, composed.offset + 1, tooDeep());
  }
  const [first, second] = composed.documents;
  if (first === undefined) return { source: null, diagnostics: [], empty: true };
  const problem = firstProblem(first);
  if (problem !== null) {
    const [start, end] = problem.pos;
    const offset = Math.min(unclosedQuote(problem, composed.tokens) ?? start, text.length);
    const message = lowerFirst(problem.message).replace(/(["'])quote$/, '$1');
    return fail('002', offset, offset < start ? offset + 1 : Math.max(offset, end), message);
  }
  if (first.directives?.yaml.explicit && first.directives.yaml.version !== '1.2') {
    const at = Math.max(0, text.indexOf('%YAML'));
    return fail(
      '002',
      at,
      at + 5,
      `the document asks for YAML ${first.directives.yaml.version}, but only 1.2 is read`,
    );
  }
  if (second !== undefined) {
    const at = second.range[0];
    return fail('003', at, at + 3, 'a second document starts here', 'put it into a file of its own');
  }
  const root = first.contents;
  if (root === null || (isScalar(root) && root.value === null && !root.source)) {
    return { source: null, diagnostics: [], empty: true };
  }
  const tree = buildTree(root);
  const diagnostics = tree.problems.map((found) =>
    createDiagnostic(shapeCode(family, found.number), {
      message: found.message,
      span: lines.span(...found.range),
      related: found.related
        ? [{ message: found.related.message, span: lines.span(...found.related.range) }]
        : [],
      help: found.help,
    }),
  );
  const fatal = tree.problems.some((found) => found.number === '004' || found.number === '002');
  if (fatal) return { source: null, diagnostics, empty: false };
  return { source: createYamlSource(text, lines, tree, diagnostics), diagnostics, empty: false };
}

function createYamlSource(
  text: string,
  lines: LineIndex,
  tree: YamlTree,
  diagnostics: readonly Diagnostic[],
): YamlSource {
  const nodeSpan = (node: Node | null): Span =>
    node === null ? lines.span(0, 0) : lines.span(...trim(text, node));

  const locate = (path: Path, part: 'key' | 'value'): Span => {
    for (let length = path.length; length >= 0; length -= 1) {
      const found = tree.find(path.slice(0, length));
      if (found === null) continue;
      const wanted = part === 'key' && found.key !== null ? found.key : found.value;
      const [start, end] = wanted === null ? [0, 0] : rangeOf(wanted);
      // A value that was left empty has no text of its own, so its key stands for it.
      return nodeSpan(start === end && found.key !== null ? found.key : wanted);
    }
    return lines.span(0, 0);
  };

  return {
    data: tree.data,
    diagnostics,
    locate,
    locateFirstKey: (path) => {
      const value = tree.find(path)?.value ?? null;
      const first = isMap(value) ? value.items[0]?.key : null;
      return first ? nodeSpan(first as Node) : locate(path, 'value');
    },
    locateText: (path, piece) => {
      const node = tree.find(path)?.value ?? null;
      if (node === null) return locate(path, 'value');
      const [start, end] = rangeOf(node);
      const at = text.slice(start, end).indexOf(piece);
      return at < 0 ? nodeSpan(node) : lines.span(start + at, start + at + piece.length);
    },
    sourceText: (path) => {
      const node = tree.find(path)?.value ?? null;
      return isScalar(node) ? text.slice(...rangeOf(node)) : null;
    },
  };
}

/** Block values run on to the next key; what people see as the value ends with its last character. */
function trim(text: string, node: Node): readonly [number, number] {
  const [start, end] = rangeOf(node);
  let last = end;
  while (last > start + 1 && /\s/.test(text[last - 1] ?? '')) last -= 1;
  return [start, last];
}

type Composed =
  | {
      readonly kind: 'documents';
      readonly documents: readonly Document.Parsed[];
      readonly tokens: readonly TokenLike[];
    }
  | { readonly kind: 'too_deep'; readonly offset: number };

/** The parser keeps a stack of its own, the composer recurses: depth is looked at between the two. */
function composeDocuments(text: string): Composed {
  const tokens: CST.Token[] = [];
  for (const token of new Parser().parse(text)) {
    const offset = firstTooDeep(token, 0);
    if (offset !== null) return { kind: 'too_deep', offset };
    tokens.push(token);
  }
  const composer = new Composer({
    version: '1.2',
    schema: 'core',
    merge: false,
    resolveKnownTags: false,
    uniqueKeys: false,
    strict: true,
    keepSourceTokens: false,
  });
  // A stream without any document still yields one, with the errors that were found on the way.
  const documents = [...composer.compose(tokens, true, text.length)] as Document.Parsed[];
  return { kind: 'documents', documents, tokens };
}

interface TokenLike {
  readonly type?: string;
  readonly offset?: number;
  readonly source?: string;
  readonly value?: unknown;
  readonly items?: readonly { readonly key?: unknown; readonly value?: unknown }[];
}

function childTokens(token: TokenLike): TokenLike[] {
  const children = (token.items ?? []).flatMap((item) => [item.key, item.value]);
  return [token.value, ...children].filter(isToken);
}

/**
 * One level more than is allowed for data, as a document is a token too. The recursion ends where the depth
 * that is allowed does.
 */
function firstTooDeep(token: unknown, depth: number): number | null {
  if (!isToken(token)) return null;
  const { items } = token;
  if (items === undefined) return firstTooDeep(token.value, depth + 1);
  if (depth > MAX_DEPTH) return token.offset ?? 0;
  for (const { key, value } of items) {
    const deep = firstTooDeep(key, depth + 1) ?? firstTooDeep(value, depth + 1);
    if (deep !== null) return deep;
  }
  return null;
}

/** The parser notices a missing quote where the text ends; a person looks for where it was opened. */
function unclosedQuote(problem: YAMLError, tokens: readonly TokenLike[]): number | null {
  if (!/^Missing closing ["']/.test(problem.message)) return null;
  for (let level = [...tokens]; level.length > 0; level = level.flatMap(childTokens)) {
    for (const { type, offset = 0, source = '' } of level) {
      const ends = offset + source.length === problem.pos[0];
      if (ends && (type === 'double-quoted-scalar' || type === 'single-quoted-scalar')) return offset;
    }
  }
  return null;
}

function isToken(value: unknown): value is TokenLike {
  return value !== null && typeof value === 'object';
}

/** One syntax error drags others behind it, so only the first is worth reading. */
function firstProblem(document: Document.Parsed): YAMLError | null {
  const problems: YAMLError[] = [...document.errors, ...document.warnings];
  problems.sort((a, b) => a.pos[0] - b.pos[0]);
  return problems[0] ?? null;
}

function failure(code: Code, parts: { message: string; span: Span; help: string | null }): YamlResult {
  return { source: null, diagnostics: [createDiagnostic(code, parts)], empty: false };
}

function tooDeep(): string {
  return `the document is nested more than ${MAX_DEPTH} levels deep`;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
