/**
 * Source code with comments and string literals blanked out, so that patterns match code only. Reads each character
 * once.
 */

/** How a language writes blocks, comments and string literals. */
export interface CodeLanguage {
  readonly name:
    | 'js'
    | 'go'
    | 'rust'
    | 'java'
    | 'c'
    | 'csharp'
    | 'php'
    | 'swift'
    | 'python'
    | 'ruby'
    | 'shell';
  readonly lineComments: readonly string[];
  readonly blockComments: readonly (readonly [string, string])[];
  readonly quotes: readonly Quote[];
  /** `/…/` may be a regular expression. */
  readonly hasRegExps: boolean;
}

interface Quote {
  readonly open: string;
  readonly close: string;
  readonly escapes: boolean;
  readonly multiline: boolean;
}

const SLASHES = { lineComments: ['//'], blockComments: [['/*', '*/']] } as const;
const HASH = { lineComments: ['#'], blockComments: [] } as const;
const PLAIN = { hasRegExps: false } as const;

const quote = (mark: string, options: Partial<Quote> = {}): Quote => ({
  open: mark,
  close: mark,
  escapes: true,
  multiline: mark.length > 1,
  ...options,
});
const BOTH = [quote('"'), quote("'")];
const TRIPLE = [quote('"""'), quote("'''")];

const JS: CodeLanguage = {
  name: 'js',
  ...SLASHES,
  quotes: [quote('`', { multiline: true }), ...BOTH],
  hasRegExps: true,
};
const GO: CodeLanguage = {
  name: 'go',
  ...SLASHES,
  quotes: [quote('`', { multiline: true, escapes: false }), ...BOTH],
  ...PLAIN,
};
export const RUST: CodeLanguage = {
  name: 'rust',
  ...SLASHES,
  quotes: [quote('"', { multiline: true })],
  ...PLAIN,
};
const JAVA: CodeLanguage = { name: 'java', ...SLASHES, quotes: [quote('"""'), ...BOTH], ...PLAIN };
/** Also fits Zig. */
export const C: CodeLanguage = { name: 'c', ...SLASHES, quotes: BOTH, ...PLAIN };
const C_SHARP: CodeLanguage = {
  name: 'csharp',
  ...SLASHES,
  quotes: [{ open: '@"', close: '"', escapes: false, multiline: true }, quote('"""'), ...BOTH],
  ...PLAIN,
};
const PHP: CodeLanguage = {
  name: 'php',
  lineComments: ['//', '#'],
  blockComments: SLASHES.blockComments,
  quotes: [quote('"', { multiline: true }), quote("'", { multiline: true })],
  ...PLAIN,
};
const SWIFT: CodeLanguage = { name: 'swift', ...SLASHES, quotes: [quote('"""'), quote('"')], ...PLAIN };
const PYTHON: CodeLanguage = { name: 'python', ...HASH, quotes: [...TRIPLE, ...BOTH], ...PLAIN };
const RUBY: CodeLanguage = {
  name: 'ruby',
  lineComments: ['#'],
  blockComments: [['\n=begin', '\n=end']],
  quotes: [quote('"', { multiline: true }), quote("'", { multiline: true })],
  ...PLAIN,
};
const SHELL: CodeLanguage = {
  name: 'shell',
  ...HASH,
  quotes: [quote('"', { multiline: true }), quote("'", { escapes: false, multiline: true })],
  ...PLAIN,
};

const BY_ENDING: Readonly<Record<string, CodeLanguage>> = {
  ...mapEndings(['js', 'jsx', 'ts', 'tsx', 'mjs', 'cjs', 'mts', 'cts', 'vue', 'svelte'], JS),
  ...mapEndings(['go'], GO),
  ...mapEndings(['rs'], RUST),
  ...mapEndings(['java', 'kt', 'kts', 'scala', 'groovy', 'dart'], JAVA),
  ...mapEndings(['c', 'h', 'cc', 'cpp', 'cxx', 'hh', 'hpp', 'hxx', 'm', 'mm', 'zig'], C),
  ...mapEndings(['cs'], C_SHARP),
  ...mapEndings(['php'], PHP),
  ...mapEndings(['swift'], SWIFT),
  ...mapEndings(['py', 'pyi', 'pyw'], PYTHON),
  ...mapEndings(['rb', 'rake', 'gemspec'], RUBY),
  ...mapEndings(['sh', 'bash', 'zsh', 'ksh', 'bats'], SHELL),
};

function mapEndings(endings: readonly string[], language: CodeLanguage): Record<string, CodeLanguage> {
  return Object.fromEntries(endings.map((ending) => [ending, language]));
}

/** Determines the language by file extension, else by the first line; null for other files. */
export function languageOf(path: string, text: string): CodeLanguage | null {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const ending = name.includes('.') ? name.slice(name.lastIndexOf('.') + 1).toLowerCase() : '';
  if (Object.hasOwn(BY_ENDING, ending)) return BY_ENDING[ending] ?? null;
  const [, program] =
    /^#!.*?\b(bash|sh|zsh|ksh|dash|node|python[0-9.]*|ruby)\b/.exec(text.slice(0, 200)) ?? [];
  if (program === undefined) return null;
  if (program === 'node') return JS;
  if (program === 'ruby') return RUBY;
  return program.startsWith('python') ? PYTHON : SHELL;
}

/**
 * Two versions of the same text, with unchanged offsets: without comments, and without comments and string
 * literals.
 */
export interface CodeText {
  readonly code: string;
  readonly bare: string;
  /** The line number of an offset, from 1. */
  readonly lineOf: (index: number) => number;
}

export function blankText(text: string, language: CodeLanguage): CodeText {
  const code: string[] = [];
  const bare: string[] = [];
  let from = 0;
  let at = 0;
  const keep = (end: number) => {
    const part = text.slice(from, end);
    code.push(part);
    bare.push(part);
    from = end;
  };
  while (at < text.length) {
    const piece = findLiteral(text, at, language);
    if (piece === null) {
      at += 1;
      continue;
    }
    keep(at);
    const part = text.slice(at, piece.end);
    const marks = piece.kind === 'comment' ? 0 : piece.marks;
    code.push(piece.kind === 'comment' ? blank(part) : part);
    bare.push(
      part.slice(0, marks) +
        blank(part.slice(marks, part.length - marks)) +
        (marks === 0 ? '' : part.slice(-marks)),
    );
    at = piece.end;
    from = at;
  }
  keep(text.length);
  return { code: code.join(''), bare: bare.join(''), lineOf: indexLines(text) };
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}

type Literal =
  | { readonly kind: 'comment'; readonly end: number }
  /** `marks` is the length of the quotes on each side. */
  | { readonly kind: 'text'; readonly end: number; readonly marks: number };

/** The comment or string literal that starts at an offset. */
export function findLiteral(text: string, at: number, language: CodeLanguage): Literal | null {
  for (const mark of language.lineComments)
    if (text.startsWith(mark, at) && opensComment(text, at, language))
      return { kind: 'comment', end: lineEnd(text, at) };
  for (const [open, close] of language.blockComments)
    if (text.startsWith(open, at)) {
      const end = text.indexOf(close, at + open.length);
      return { kind: 'comment', end: end < 0 ? text.length : end + close.length };
    }
  if (language.name === 'rust') {
    if (text[at] === "'") return findRustCharacter(text, at);
    if (text[at] === 'r') return findRustRawString(text, at);
  }
  for (const form of language.quotes) {
    if (!text.startsWith(form.open, at)) continue;
    const end = endOfQuote(text, at + form.open.length, form);
    // A quote that isn't closed on its line is an apostrophe, or the text isn't a program.
    return end === null ? null : { kind: 'text', end, marks: form.close.length };
  }
  if (language.hasRegExps && text[at] === '/' && startsExpression(text, at)) {
    const end = endOfRegExp(text, at);
    return end === null ? null : { kind: 'text', end, marks: 1 };
  }
  return null;
}

/** `'a'` and `'\u{1f600}'` are characters, `'a` is a lifetime. */
function findRustCharacter(text: string, at: number): Literal | null {
  if (text[at + 1] !== '\\') return text[at + 2] === "'" ? { kind: 'text', end: at + 3, marks: 1 } : null;
  const length = text.slice(at + 3, at + 15).indexOf("'");
  return length < 0 ? null : { kind: 'text', end: at + 3 + length + 1, marks: 1 };
}

/** `r"…"`, `r#"…"#` and so on, also as byte strings; in other words an `r` is a letter. */
function findRustRawString(text: string, at: number): Literal | null {
  if (!/(?:^|\W)[bc]?$/.test(text.slice(Math.max(0, at - 2), at))) return null;
  const hashes = /^#*(?=")/.exec(text.slice(at + 1, at + 258))?.[0];
  if (hashes === undefined) return null;
  const close = `"${hashes}`;
  const end = text.indexOf(close, at + 1 + close.length);
  return { kind: 'text', end: end < 0 ? text.length : end + close.length, marks: close.length };
}

/** In a shell, `#` starts a comment only where a word could start. */
function opensComment(text: string, at: number, { name }: CodeLanguage): boolean {
  return name !== 'shell' || at === 0 || /[\s;&|()]/.test(text[at - 1] ?? '');
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

/** Null if a single-line literal isn't closed on its line; an unclosed multi-line literal extends to the end. */
function endOfQuote(text: string, from: number, { close, escapes, multiline }: Quote): number | null {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\n' && !multiline) return null;
    if (escapes && text[at] === '\\') at += 1;
    else if (close === '`' && escapes && text.startsWith('${', at)) at = endOfSubstitution(text, at + 2) - 1;
    else if (text.startsWith(close, at)) return at + close.length;
  }
  return multiline ? text.length : null;
}

/** The offset after the brace that closes `${`. */
function endOfSubstitution(text: string, from: number): number {
  let depth = 1;
  for (let at = from; at < text.length; at += 1) {
    const char = text[at];
    if (char === '\\') at += 1;
    else if (char === '{') depth += 1;
    else if (char === '}') depth -= 1;
    if (depth === 0) return at + 1;
  }
  return text.length;
}

/** Whether a value could start here: a slash after a value is a division. */
function startsExpression(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 40), at).trimEnd();
  if (before === '') return true;
  return (
    /[(,=:[!&|?{};+*%~^<>-]$/.test(before) ||
    /\b(?:return|typeof|case|in|of|do|else|void|delete|yield|await)$/.test(before)
  );
}

function endOfRegExp(text: string, at: number): number | null {
  let inClass = false;
  for (let end = at + 1; end < text.length; end += 1) {
    const char = text[end];
    if (char === '\n') return null;
    if (char === '\\') end += 1;
    else if (char === '[') inClass = true;
    else if (char === ']') inClass = false;
    else if (char === '/' && !inClass) return end + 1;
  }
  return null;
}

/** Finds the line of an offset by binary search. */
export function indexLines(text: string): (index: number) => number {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (index) => {
    let [low, high] = [0, starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= index) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}
