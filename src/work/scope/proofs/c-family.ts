import { type Piece, type TokenRules, type Tokens, toTokens } from './tokens.ts';

/** A language with C-style comments whose text can be split into tokens without a full parser. */
interface Language {
  readonly rules: TokenRules;
  /** Token patterns, tried in this order at each position; `open` matches a token that is never closed. */
  readonly forms: readonly (readonly [Piece['kind'] | 'open', RegExp])[];
  readonly nestedComments: boolean;
  /** Whether the text contains something that makes the result unreliable. */
  readonly isUnreliable: (text: string) => boolean;
}

const BLANKS: Language['forms'] = [
  ['newline', /\r?\n/y],
  ['space', /[ \t\v\f]+/y],
];
const LINE_COMMENT: Language['forms'][number] = ['comment', /\/\/[^\n]*/y];
const TEXT: Language['forms'][number] = ['string', /"(?:[^"\\\n]|\\[\s\S])*"/y];
const CHARACTER: Language['forms'][number] = ['string', /'(?:[^'\\\n]|\\[\s\S])+'/y];
const WORDS: Language['forms'] = [
  ['number', /\.?\d(?:[eEpP][+-]|'(?=\w)|[\w.])*/y],
  ['word', /[\p{L}\p{M}\p{N}\p{Pc}$]+/uy],
  ['mark', /[!-/:-@[-^`{-~]/y],
];
/** A preprocessor line, with its continuation lines. */
const DIRECTIVE: Language['forms'][number] = ['line', /#(?:\\\r?\n|[^\n])*/y];

const usual: TokenRules = {
  keepsBlanks: false,
  keepsNewlines: false,
  commentIsBlank: true,
  isDirective: () => false,
};

const C: Language = {
  // A macro can see whether there is white space, but not how much.
  rules: { ...usual, keepsBlanks: true },
  forms: [
    DIRECTIVE,
    ...BLANKS,
    LINE_COMMENT,
    ['string', /(?:u8|[uUL])?R"([^()\\\s]{0,16})\([\s\S]*?\)\1"/y],
    ['open', /(?:u8|[uUL])?R"/y],
    TEXT,
    CHARACTER,
    ...WORDS,
  ],
  nestedComments: false,
  // Joined lines may extend a comment; line numbers may be printed; trigraphs are replaced first.
  isUnreliable: (text) =>
    /__LINE__|source_location|\?\?[=/'()!<>-]|%:/.test(text) || text.split('\n').some(isUnreliableLine),
};

/** A comment that continues in the next line, or starts in a preprocessor line. */
function isUnreliableLine(line: string): boolean {
  return (/\\\r?$/.test(line) && line.includes('//')) || (/^[ \t]*#/.test(line) && line.includes('/*'));
}

const JAVA: Language = {
  rules: { ...usual, isDirective: (comment) => comment.includes('@deprecated') },
  forms: [
    ...BLANKS,
    LINE_COMMENT,
    ['string', /"""[ \t\f]*\r?\n(?:[^\\]|\\[\s\S])*?"""/y],
    TEXT,
    CHARACTER,
    ...WORDS,
  ],
  nestedComments: false,
  // Unicode escapes are processed before comments.
  isUnreliable: (text) => /\\u+[0-9a-fA-F]{4}/.test(text),
};

const GO: Language = {
  rules: {
    ...usual,
    keepsNewlines: true,
    isDirective: (comment) => /^\/\/(?:go:|line |export |extern )/.test(comment),
  },
  forms: [...BLANKS, LINE_COMMENT, ['string', /`[^`]*`/y], TEXT, CHARACTER, ...WORDS],
  nestedComments: false,
  // The comment before `import "C"` is C code, and an old build line depends on its position.
  isUnreliable: (text) => /import\s+"C"|"C"\s*\n|^\/\/\s*\+build|\/\*line /m.test(text),
};

const RUST: Language = {
  // A documentation comment is an attribute.
  rules: {
    ...usual,
    isDirective: (comment) => /^(?:\/\/!|\/\/\/(?!\/)|\/\*!|\/\*\*(?![*/]))/.test(comment),
  },
  forms: [
    ...BLANKS,
    LINE_COMMENT,
    ['string', /(?:b|c)?r(#*)"[\s\S]*?"\1(?!#)/y],
    ['open', /(?:b|c)?r#*"/y],
    ['string', /(?:b|c)?"(?:[^"\\]|\\[\s\S])*"/y],
    ['string', /b?'(?:[^'\\\n]|\\(?:u\{[^}\n]*\}|x[0-9a-fA-F]{2}|[\s\S]))'/y],
    ['word', /'[\p{L}_][\p{L}\p{N}_]*/uy],
    ...WORDS,
  ],
  nestedComments: true,
  isUnreliable: (text) => /\b(?:line|column)!|\blocation!|stringify!/.test(text),
};

const C_SHARP: Language = {
  rules: usual,
  forms: [DIRECTIVE, ...BLANKS, LINE_COMMENT, ['string', /@"(?:[^"]|"")*"/y], TEXT, CHARACTER, ...WORDS],
  nestedComments: false,
  // Interpolated strings may contain strings, and code that a condition excludes need not be valid.
  isUnreliable: (text) => /\$@?"|@\$"|"""|CallerLineNumber|^[ \t]*#[ \t]*if\b/m.test(text),
};

const CSS: Language = {
  rules: { ...usual, keepsBlanks: true, commentIsBlank: false },
  forms: [
    ...BLANKS,
    ['string', /url\(\s*(?!["'\s])[^)"'\\\n]*\)/iy],
    ['open', /url\(\s*(?!["'\s])/iy],
    TEXT,
    ['string', /'(?:[^'\\\n]|\\[\s\S])*'/y],
    ['word', /(?:[\p{L}\p{M}\p{N}_-]|\\[^\n])+/uy],
    ['mark', /[!-/:-@[-^`{-~]/y],
  ],
  nestedComments: false,
  // A custom property keeps its value as written, and `@charset` counts only at the very start.
  isUnreliable: (text) => /(?:^|[{;\s/])--[\w-]+\s*:|@charset|sourceMappingURL|\bprogid\b/.test(text),
};

const LANGUAGES: Readonly<Record<string, Language>> = {
  c: C,
  h: C,
  cc: C,
  cpp: C,
  cxx: C,
  hh: C,
  hpp: C,
  hxx: C,
  java: JAVA,
  go: GO,
  rs: RUST,
  cs: C_SHARP,
  css: CSS,
};

/** Undefined for an unsupported extension. */
export function readCFamilyTokens(path: string, text: string): Tokens | undefined {
  const language = LANGUAGES[path.slice(path.lastIndexOf('.') + 1)];
  if (language === undefined) return undefined;
  if (language.isUnreliable(text)) return null;
  const pieces = splitIntoPieces(text, language);
  if (pieces === null) return null;
  // The comments of an example state its expected output.
  const rules = path.endsWith('_test.go') ? { ...language.rules, isDirective: () => true } : language.rules;
  return toTokens(pieces, rules);
}

function splitIntoPieces(text: string, language: Language): readonly Piece[] | null {
  const pieces: Piece[] = [];
  let at = 0;
  let startsLine = true;
  while (at < text.length) {
    const piece = text.startsWith('/*', at)
      ? readBlockComment(text, at, language.nestedComments)
      : readPieceAt(text, at, language.forms, startsLine);
    if (piece === null) return null;
    pieces.push(piece);
    at += piece.text.length;
    if (piece.kind === 'newline') startsLine = true;
    else if (piece.kind !== 'space' && piece.kind !== 'comment') startsLine = false;
  }
  return pieces;
}

function readPieceAt(text: string, at: number, forms: Language['forms'], startsLine: boolean): Piece | null {
  for (const [kind, form] of forms) {
    if (kind === 'line' && !startsLine) continue;
    form.lastIndex = at;
    const found = form.exec(text)?.[0];
    // A lone quote is a string that is never closed.
    if (found !== undefined && found !== '')
      return kind === 'open' || /^["'`]$/.test(found) ? null : { kind, text: found };
  }
  return null;
}

function readBlockComment(text: string, at: number, nested: boolean): Piece | null {
  const bounds = /\/\*|\*\//g;
  bounds.lastIndex = at + 2;
  for (let depth = 1, bound = bounds.exec(text); bound !== null; bound = bounds.exec(text)) {
    if (bound[0] === '*/') depth -= 1;
    else if (nested) depth += 1;
    if (depth === 0) return { kind: 'comment', text: text.slice(at, bounds.lastIndex) };
    // The slash of an ignored `/*` may be part of the next delimiter: `/*/` is open.
    if (bound[0] === '/*' && !nested) bounds.lastIndex = bound.index + 1;
  }
  return null;
}
