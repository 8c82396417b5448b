import { Composer, type CST, type Document, isScalar, Lexer, Parser, type YAMLError } from 'yaml';
import { type DocumentCode, type Family, type ShapeNumber, shapeCode } from '../../diagnostics/codes.ts';
import { createDiagnostic, type Diagnostic, type Span } from '../../diagnostics/diagnostic.ts';
import type { LineIndex } from './line-index.ts';
import { buildTree, MAX_DEPTH, type TreeProblem, type YamlTree } from './yaml-tree.ts';

export type PackageResult =
  | { readonly kind: 'empty' }
  | { readonly kind: 'refused'; readonly diagnostics: readonly Diagnostic[] }
  /** Its problems, if any, do not prevent further checks. */
  | { readonly kind: 'tree'; readonly tree: YamlTree; readonly diagnostics: readonly Diagnostic[] };

/**
 * Limits on the text that bound the parser's time and memory: a megabyte of commas would take seconds and a gigabyte.
 * A workflow of 4,500 steps stays below both.
 */
const MAX_INDICATORS = 50_000;
const INDICATOR = /[[\]{},"'&*!]/g;
const MAX_LINES_AND_KEYS = 100_000;
const LINE_OR_KEY = /\r?\n|\r|(?<!-)[-?:](?=\s)/g;

/** The offset of the first match past the limit, or null. */
function matchPast(text: string, pattern: RegExp, limit: number): number | null {
  let count = 0;
  for (const { index } of text.matchAll(pattern)) {
    count += 1;
    if (count > limit) return index;
  }
  return null;
}

/** Parses YAML with the `yaml` package and reports syntax errors. */
export function readWithPackage(text: string, lines: LineIndex, family: Family): PackageResult {
  const fail = (
    number: ShapeNumber,
    start: number,
    end: number,
    message: string,
    help: string | null = null,
  ) => failure(shapeCode(family, number), { message, span: lines.span(start, end), help });

  const lineExcess = matchPast(text, LINE_OR_KEY, MAX_LINES_AND_KEYS);
  if (lineExcess !== null) {
    const message = `the document has more than ${MAX_LINES_AND_KEYS} lines, keys and list items`;
    return fail('004', lineExcess, lineExcess + 1, message, 'split the document');
  }
  const indicatorExcess = matchPast(text, INDICATOR, MAX_INDICATORS);
  if (indicatorExcess !== null) {
    const message = `the document has more than ${MAX_INDICATORS} brackets, commas, quotes, anchors, aliases and tags`;
    return fail(
      '004',
      indicatorExcess,
      indicatorExcess + 1,
      message,
      'split the document, or write it without anchors and tags',
    );
  }
  const composed = composeDocuments(text);
  if (composed.kind === 'too_deep') {
    return fail('004', composed.offset, composed.offset + 1, tooDeep());
  }
  const [first, second] = composed.documents;
  if (first === undefined) return { kind: 'empty' };
  const problem = firstProblem(first);
  if (problem !== null) {
    const [start, end] = problem.pos;
    const opened = unclosedQuote(problem, composed.tokens) ?? unclosedBracket(problem, composed.tokens);
    const offset = Math.min(opened ?? start, text.length);
    const message = lowerFirst(problem.message).replace(/(["'])quote$/, '$1');
    return fail(
      '002',
      offset,
      offset < start ? offset + 1 : Math.max(offset, end),
      message,
      syntaxHelp(message),
    );
  }
  if (first.directives?.yaml.explicit && first.directives.yaml.version !== '1.2') {
    const at = Math.max(0, text.indexOf('%YAML'));
    return fail(
      '002',
      at,
      at + 5,
      `the document asks for YAML ${first.directives.yaml.version}, but only 1.2 is supported`,
    );
  }
  if (second !== undefined) {
    const at = second.range[0];
    return fail('003', at, at + 3, 'a second document starts here', 'put it into its own file');
  }
  const root = first.contents;
  if (root === null || (isScalar(root) && root.value === null && !root.source)) {
    return { kind: 'empty' };
  }
  const tree = buildTree(root);
  const diagnostics = tree.problems.map((found) => describeProblem(found, lines, family));
  const fatal = tree.problems.some((found) => found.number === '004' || found.number === '002');
  return fatal ? { kind: 'refused', diagnostics } : { kind: 'tree', tree, diagnostics };
}

function describeProblem(found: TreeProblem, lines: LineIndex, family: Family): Diagnostic {
  return createDiagnostic(shapeCode(family, found.number), {
    message: found.message,
    span: lines.span(...found.range),
    related: found.related
      ? [{ message: found.related.message, span: lines.span(...found.related.range) }]
      : [],
    help: found.help,
  });
}

type Composed =
  | {
      readonly kind: 'documents';
      readonly documents: readonly Document.Parsed[];
      readonly tokens: readonly TokenLike[];
    }
  | { readonly kind: 'too_deep'; readonly offset: number };

/**
 * Parses and composes the documents, and checks the depth twice: during parsing, because the parser's stack would take
 * gigabytes for a megabyte of brackets, and before composing, because the composer recurses.
 */
function composeDocuments(text: string): Composed {
  const tokens: CST.Token[] = [];
  const parser = new Parser();
  let read = 0;
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) {
      tokens.push(token);
      if (token.type === 'document') read += 1;
    }
    const open = parser.stack[MAX_DEPTH + 1];
    if (open !== undefined && 'items' in open) return { kind: 'too_deep', offset: open.offset };
    // A second document is an error, whatever it contains.
    if (read > 1) break;
  }
  tokens.push(...parser.end());
  for (const token of tokens) {
    const offset = firstTooDeep(token, 0);
    if (offset !== null) return { kind: 'too_deep', offset };
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
  // `true`: a stream without a document still yields one, which holds the errors.
  const documents = [...composer.compose(tokens, true, text.length)] as Document.Parsed[];
  return { kind: 'documents', documents, tokens };
}

interface TokenLike {
  readonly type?: string;
  readonly offset?: number;
  readonly source?: string;
  readonly value?: unknown;
  /** The tokens that close a flow collection. */
  readonly end?: readonly { readonly type?: string }[];
  readonly items?: readonly { readonly key?: unknown; readonly value?: unknown }[];
}

function childTokens(token: TokenLike): TokenLike[] {
  const children = (token.items ?? []).flatMap((item) => [item.key, item.value]);
  return [token.value, ...children].filter(isToken);
}

/**
 * The offset of the first token that is nested too deep. Allows one level more than for data, because a document is a
 * token too. The recursion stops at the limit.
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

/** Help for the most common syntax errors, by parser message. */
const SYNTAX_HELP: readonly (readonly [RegExp, string])[] = [
  [/^nested mappings are not allowed/, 'put a text with `: ` in it in quotes'],
  [/^plain value cannot start with/, 'put the text in quotes'],
  [/^tabs are not allowed/, 'indent with spaces'],
  [/^missing closing "/, 'close it with `"`'],
  [/^missing closing '/, "close it with `'`"],
  [/flow map .*end with a \}|^expected flow map to end/, 'close it with `}`'],
  [/flow sequence .*end with a \]|^expected flow sequence to end/, 'close it with `]`'],
  [/^unresolved tag/, 'remove the tag, or put a text that starts with `!` in quotes'],
  [/^sequence item without - indicator/, 'align the line with those above it'],
  [/same indentation level|bad indentation/i, 'align the line with those above it'],
];

function syntaxHelp(message: string): string | null {
  return SYNTAX_HELP.find(([pattern]) => pattern.test(message))?.[1] ?? null;
}

/** The parser reports a missing quote at the end of the text; this finds the opening quote to point at. */
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

/** Likewise for a bracket, which the parser reports at the first line that doesn't fit. Finds the innermost one. */
function unclosedBracket(problem: YAMLError, tokens: readonly TokenLike[]): number | null {
  if (
    !/^Flow (?:map|sequence) in block collection|^Expected flow (?:map|sequence) to end/.test(problem.message)
  )
    return null;
  let innermost: number | null = null;
  for (let level = [...tokens]; level.length > 0; level = level.flatMap(childTokens)) {
    for (const { type, offset = 0, end = [] } of level) {
      const open =
        type === 'flow-collection' && !end.some((token) => /^flow-(?:map|seq)-end$/.test(token.type ?? ''));
      if (open && offset <= problem.pos[0]) innermost = Math.max(innermost ?? 0, offset);
    }
  }
  return innermost;
}

function isToken(value: unknown): value is TokenLike {
  return value !== null && typeof value === 'object';
}

/** The first problem by position. A syntax error usually causes the ones after it, so only the first is reported. */
function firstProblem(document: Document.Parsed): YAMLError | null {
  const problems: YAMLError[] = [...document.errors, ...document.warnings];
  problems.sort((a, b) => a.pos[0] - b.pos[0]);
  return problems[0] ?? null;
}

function failure(
  code: DocumentCode,
  parts: { message: string; span: Span; help: string | null },
): PackageResult {
  return { kind: 'refused', diagnostics: [createDiagnostic(code, parts)] };
}

function tooDeep(): string {
  return `the document is nested more than ${MAX_DEPTH} levels deep`;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
