/** The effects of an awk program beyond its input, as far as its text shows. */
export interface ScriptReach {
  /** Files that it writes. */
  readonly files: readonly string[];
  /** Lines that it passes to a shell. */
  readonly lines: readonly string[];
  /** What it writes or runs without naming it in its text. */
  readonly hides: 'program' | 'file' | null;
}

interface Token {
  readonly kind: 'string' | 'regex' | 'word' | 'number' | 'sign';
  readonly text: string;
}

/** Keywords of awk after which a slash starts a regular expression, not a division. */
const KEYWORDS = new Set([
  'print',
  'printf',
  'return',
  'in',
  'case',
  'getline',
  'do',
  'else',
  'exit',
  'delete',
]);

const SIGN = /^(?:\|\||\|&|&&|>>|\+\+|--|[<>=!+\-*/%^]=|[\s\S])/;

/** Null if a slash could be either a division or a regular expression. */
function readTokens(text: string): Token[] | null {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; ) {
    const char = text[at] ?? '';
    if (char === '#') {
      const end = text.indexOf('\n', at);
      at = end < 0 ? text.length : end;
      continue;
    }
    if (/[ \t\r]/.test(char) || text.startsWith('\\\n', at)) {
      at += char === '\\' ? 2 : 1;
      continue;
    }
    const kind = kindAt(char, tokens.at(-1));
    if (kind === null) return null;
    const end = endOf(text, at, kind);
    const isQuoted = kind === 'string' || kind === 'regex';
    tokens.push({ kind, text: isQuoted ? text.slice(at + 1, end - 1) : text.slice(at, end) });
    at = end;
  }
  return tokens;
}

function kindAt(char: string, before: Token | undefined): Token['kind'] | null {
  if (char === '"') return 'string';
  if (/[A-Za-z_@]/.test(char)) return 'word';
  if (/[0-9.]/.test(char)) return 'number';
  if (char !== '/') return 'sign';
  if (before === undefined) return 'regex';
  // After a closing parenthesis a slash may divide, or start the statement of a condition.
  if (before.text === ')' && before.kind === 'sign') return null;
  const isValue =
    before.kind === 'number' ||
    before.kind === 'string' ||
    (before.kind === 'word' && !KEYWORDS.has(before.text)) ||
    (before.kind === 'sign' && /^(?:\]|\$|\+\+|--)$/.test(before.text));
  return isValue ? 'sign' : 'regex';
}

function endOf(text: string, at: number, kind: Token['kind']): number {
  switch (kind) {
    case 'string':
    case 'regex':
      return closingOf(text, at, kind === 'string' ? '"' : '/') + 1;
    case 'word':
      return at + (/^@?\w*/.exec(text.slice(at, at + 100))?.[0].length || 1);
    case 'number':
      return at + (/^[\d.]+(?:[eE][-+]?\d+)?/.exec(text.slice(at, at + 100))?.[0].length ?? 1);
    case 'sign':
      return at + (SIGN.exec(text.slice(at, at + 2))?.[0].length ?? 1);
  }
}

function closingOf(text: string, from: number, delimiter: string): number {
  let at = from + 1;
  while (at < text.length && text[at] !== delimiter) at += text[at] === '\\' ? 2 : 1;
  return Math.min(at, text.length);
}

/** Without one of these, the program runs and reads nothing else. */
const REACHING = /system|getline|\||@/;

export function readAwkScript(text: string): ScriptReach {
  const tokens = readTokens(text);
  if (tokens === null)
    return REACHING.test(text) ? hiding('program') : { files: [], lines: [], hides: findUnnamedOutput(text) };
  const files: string[] = [];
  const lines: string[] = [];
  let hides: ScriptReach['hides'] = null;
  let depth = 0;
  let prints = false;
  for (const [index, token] of tokens.entries()) {
    if (token.kind === 'word') {
      prints ||= token.text === 'print' || token.text === 'printf';
      if (token.text.startsWith('@')) hides = 'program';
      if (token.text === 'system') {
        const line = argumentAt(tokens, index);
        if (line === null) hides = 'program';
        else lines.push(line);
      }
      continue;
    }
    if (token.kind !== 'sign') continue;
    if (token.text === '(') depth += 1;
    if (token.text === ')') depth -= 1;
    if (/^[;}\n]$/.test(token.text)) {
      prints = false;
      depth = 0;
    }
    if (token.text === '|' || token.text === '|&') {
      const isRead = tokens[index + 1]?.text === 'getline';
      const line = isRead ? stringBefore(tokens, index) : stringAfter(tokens, index);
      if (line === null) hides = 'program';
      else lines.push(line);
    }
    if (prints && depth === 0 && (token.text === '>' || token.text === '>>')) {
      const file = stringAfter(tokens, index);
      if (file === null) hides ??= 'file';
      else files.push(file);
    }
  }
  return { files, lines, hides };
}

function hiding(what: 'program' | 'file'): ScriptReach {
  return { files: [], lines: [], hides: what };
}

function findUnnamedOutput(text: string): ScriptReach['hides'] {
  return /\bprintf?\b[^;}\n]*>/.test(text) ? 'file' : null;
}

/** A string that is the whole operand between an operator and the end of the statement. */
function stringAfter(tokens: readonly Token[], index: number): string | null {
  const token = tokens[index + 1];
  const next = tokens[index + 2];
  const isAlone = next === undefined || (next.kind === 'sign' && /^[;}\n)]$/.test(next.text));
  return token?.kind === 'string' && isAlone ? unescapeString(token.text) : null;
}

function stringBefore(tokens: readonly Token[], index: number): string | null {
  const token = tokens[index - 1];
  const before = tokens[index - 2];
  const isAlone =
    before === undefined || (before.kind === 'sign' && /^(?:[;{}\n(!,=]|&&|\|\|)$/.test(before.text));
  return token?.kind === 'string' && isAlone ? unescapeString(token.text) : null;
}

function argumentAt(tokens: readonly Token[], index: number): string | null {
  const [open, token, close] = tokens.slice(index + 1, index + 4);
  return open?.text === '(' && token?.kind === 'string' && close?.text === ')' && close.kind === 'sign'
    ? unescapeString(token.text)
    : null;
}

/** Null for a string with escapes that produce other characters. */
function unescapeString(text: string): string | null {
  return /\\(?!["\\/n])/.test(text) ? null : text.replaceAll(/\\(["\\/])/g, '$1').replaceAll('\\n', '\n');
}
