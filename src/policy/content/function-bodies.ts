import type { CodeLanguage, CodeText } from './code-text.ts';

/** Longer bodies are skipped, because they can't be stubs. */
const MAX_BODY = 2_000;
const MAX_BODY_LINES = 40;

/** A short named function and its body without comments. */
export interface FunctionBody {
  readonly name: string;
  /** From 1. */
  readonly line: number;
  /** The offsets of the body in the text. */
  readonly start: number;
  readonly end: number;
  /** Without comments, surrounding white space and, in Python, the docstring. */
  readonly body: string;
  /** It is a declaration that others have to implement. */
  readonly isAbstract: boolean;
}

export function findFunctions(text: CodeText, language: CodeLanguage): FunctionBody[] {
  switch (language.name) {
    case 'python':
      return pythonFunctions(text);
    case 'ruby':
      return rubyFunctions(text);
    default:
      return braceFunctions(text);
  }
}

/** Keywords before a parenthesis that don't start a function. */
const CONTROL = new Set(
  'if for while switch catch with match else do try when guard until unless foreach using lock synchronized return new await typeof sizeof select elif fi then function'.split(
    ' ',
  ),
);

interface BracketPairs {
  readonly openOf: ReadonlyMap<number, number>;
  readonly closeOf: ReadonlyMap<number, number>;
}

function matchBrackets(bare: string): BracketPairs {
  const openOf = new Map<number, number>();
  const closeOf = new Map<number, number>();
  const open: number[] = [];
  const CLOSES: Readonly<Record<string, string>> = { ')': '(', '}': '{' };
  for (let at = 0; at < bare.length; at += 1) {
    const char = bare[at] ?? '';
    if (char === '(' || char === '{') open.push(at);
    const expected = CLOSES[char];
    if (expected === undefined) continue;
    // Drop brackets that don't match: unbalanced text is read as far as possible.
    while (open.length > 0 && bare[open.at(-1) ?? 0] !== expected) open.pop();
    const start = open.pop();
    if (start === undefined) continue;
    openOf.set(at, start);
    closeOf.set(start, at);
  }
  return { openOf, closeOf };
}

/** Maximum number of characters between the parameters and the body: types, `throws X`, `=>`, `const`. */
const MAX_BETWEEN = 200;

function braceFunctions({ code, bare, lineOf }: CodeText): FunctionBody[] {
  const pairs = matchBrackets(bare);
  const found: FunctionBody[] = [];
  for (const [open, close] of pairs.closeOf) {
    if (bare[open] !== '{' || close - open > MAX_BODY) continue;
    const name = nameBefore(bare, open, pairs);
    if (name === null) continue;
    const body = code.slice(open + 1, close).trim();
    found.push({ name, line: lineOf(open), start: open, end: close, body, isAbstract: false });
  }
  return found.sort((a, b) => a.start - b.start);
}

/**
 * The name of the function whose body opens here; null if the block isn't a function body or the function is
 * anonymous.
 */
function nameBefore(bare: string, open: number, { openOf }: BracketPairs): string | null {
  const from = Math.max(0, open - MAX_BETWEEN);
  const before = bare.slice(from, open);
  const arrow = /(?:([\w$]+)\s*(?::[^=;{}()]*)?=|([\w$]+)\s*:)\s*(?:async\s+)?[\w$]+\s*=>\s*$/.exec(before);
  if (arrow !== null) return arrow[1] ?? arrow[2] ?? null;
  let close = before.lastIndexOf(')');
  if (close < 0 || /[;{}(]/.test(before.slice(close + 1))) return null;
  close += from;
  // In Go, results in parentheses follow the parameters.
  for (;;) {
    const paren = openOf.get(close);
    if (paren === undefined) return null;
    const head = bare.slice(Math.max(0, paren - MAX_BETWEEN), paren).trimEnd();
    if (head.endsWith(')')) {
      close = bare.lastIndexOf(')', paren);
      continue;
    }
    return bare.slice(close + 1, open).includes('=>') ? assignedName(head) : calledName(head);
  }
}

function assignedName(head: string): string | null {
  return /([\w$]+)\s*(?::[^=;{}()]*)?[:=]\s*(?:async\s*)?(?:<[^<>]*>)?\s*$/.exec(head)?.[1] ?? null;
}

function calledName(head: string): string | null {
  const [, name] = /([\w$~]+[?!]?)\s*(?:<[^;{}()]{0,150}>)?$/.exec(head) ?? [];
  if (name === undefined) return null;
  if (name === 'function') return assignedName(head.replace(/function\*?\s*$/, ''));
  return CONTROL.has(name) || /^\d/.test(name) ? null : name;
}

interface IndentedLine {
  readonly text: string;
  readonly indent: number;
  readonly start: number;
}

function indentedLines(text: string): IndentedLine[] {
  let start = 0;
  return text.split('\n').map((line) => {
    const read = { text: line.trim(), indent: line.length - line.trimStart().length, start };
    start += line.length + 1;
    return read;
  });
}

function pythonFunctions({ code, bare }: CodeText): FunctionBody[] {
  const lines = indentedLines(bare);
  const found: FunctionBody[] = [];
  lines.forEach((line, index) => {
    const name = /^(?:async\s+)?def\s+(\w+)/.exec(line.text)?.[1];
    if (name === undefined) return;
    const head = endOfHead(bare, line.start + line.indent);
    const isLast = lines.length <= index + MAX_BODY_LINES;
    const end =
      endOfBlock(lines, index, (next) => next.start > head && next.indent <= line.indent) ??
      (isLast ? bare.length : null);
    if (end === null) return;
    const body = code
      .slice(head, end)
      .replace(/^\s*[rRuU]?("""[\s\S]*?"""|'''[\s\S]*?'''|"[^"\n]*"|'[^'\n]*')\s*(?:\n|$)/, '');
    found.push({
      name,
      line: index + 1,
      start: line.start,
      end,
      body: body.trim(),
      isAbstract: decoratorsAbove(lines, index).some((text) =>
        /abstract|overload|typing\.no_type/.test(text),
      ),
    });
  });
  return found;
}

/** The start of the first non-empty line after `index` that ends the block; null if there is none. */
function endOfBlock(
  lines: readonly IndentedLine[],
  index: number,
  ends: (line: IndentedLine) => boolean,
): number | null {
  for (let at = index + 1; at < Math.min(lines.length, index + MAX_BODY_LINES); at += 1) {
    const line = lines[at];
    if (line !== undefined && line.text !== '' && ends(line)) return line.start;
  }
  return null;
}

/** The offset after the colon that ends the head of a function. */
function endOfHead(bare: string, from: number): number {
  let depth = 0;
  for (let at = from; at < bare.length; at += 1) {
    const char = bare[at] ?? '';
    if ('([{'.includes(char)) depth += 1;
    else if (')]}'.includes(char)) depth -= 1;
    else if (char === ':' && depth === 0) return at + 1;
  }
  return bare.length;
}

function decoratorsAbove(lines: readonly IndentedLine[], index: number): string[] {
  const found: string[] = [];
  for (let at = index - 1; lines[at]?.text.startsWith('@') === true; at -= 1)
    found.push(lines[at]?.text ?? '');
  return found;
}

function rubyFunctions({ code, bare }: CodeText): FunctionBody[] {
  const lines = indentedLines(bare);
  return lines.flatMap((line, index): FunctionBody[] => {
    const [head, name] = /^def\s+((?:self\.)?\w+[?!=]?)\s*(?:\([^()]*\))?\s*;?/.exec(line.text) ?? [];
    if (head === undefined || name === undefined) return [];
    const start = line.start + line.indent + head.length;
    const end = /\bend$/.test(line.text)
      ? line.start + line.indent + line.text.length - 'end'.length
      : endOfBlock(lines, index, (next) => next.text === 'end' && next.indent === line.indent);
    if (end === null) return [];
    return [{ name, line: index + 1, start, end, body: code.slice(start, end).trim(), isAbstract: false }];
  });
}
