/** The languages of a source file besides code are comments and literals. These stay as long as they were,
 * but empty, so that every offset in the result is an offset in the file. */
export interface BlankedSource {
  /** Without comments and without the content of literals; quotes and newlines are kept. */
  readonly bare: string;
  /** The comments and nothing else. */
  readonly comments: string;
}

interface Piece {
  readonly kind: 'code' | 'comment' | 'literal';
  readonly end: number;
}

export function blankSource(text: string): BlankedSource {
  const bare: string[] = [];
  const comments: string[] = [];
  /** Depth of braces at each `${` that is still open. */
  const templates: number[] = [];
  let depth = 0;
  let word = '';
  let at = 0;
  while (at < text.length) {
    const character = text.charAt(at);
    const resumes = character === '}' && templates.at(-1) === depth;
    const { kind, end } = resumes ? readTemplate(text, at) : readPiece(text, at, word);
    const piece = text.slice(at, end);
    const opens = kind === 'literal' && piece.endsWith('${');
    if (resumes) templates.pop();
    if (opens) templates.push(depth);
    if (kind === 'code' && character === '{') depth += 1;
    if (kind === 'code' && character === '}') depth -= 1;
    bare.push(kind === 'code' ? piece : kind === 'comment' ? blank(piece) : hollow(piece));
    comments.push(kind === 'comment' ? piece : blank(piece));
    if (kind === 'literal') word = opens ? '(' : ')';
    else if (kind === 'code' && piece.trim() !== '') word = piece;
    at = end;
  }
  return { bare: bare.join(''), comments: comments.join('') };
}

function readPiece(text: string, at: number, before: string): Piece {
  const character = text.charAt(at);
  if (text.startsWith('//', at) || (at === 0 && text.startsWith('#!'))) {
    const end = text.indexOf('\n', at);
    return { kind: 'comment', end: end === -1 ? text.length : end };
  }
  if (text.startsWith('/*', at)) {
    const end = text.indexOf('*/', at + 2);
    return { kind: 'comment', end: end === -1 ? text.length : end + 2 };
  }
  if (character === '`') return readTemplate(text, at);
  if (character === "'" || character === '"') return readMatch(text, at, STRINGS[character]);
  if (character === '/' && startsExpression(before)) return readMatch(text, at, REGEXP, 'literal');
  return readMatch(text, at, WORD, 'code');
}

const STRINGS = { "'": /'(?:\\[\s\S]|[^'\\\n])*'?/y, '"': /"(?:\\[\s\S]|[^"\\\n])*"?/y } as const;
const REGEXP = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y;
const WORD = /[\w$]+|[\s\S]/y;

function readMatch(text: string, at: number, pattern: RegExp, kind: Piece['kind'] = 'literal'): Piece {
  pattern.lastIndex = at;
  // A slash that begins no regular expression after all is code.
  return pattern.test(text) ? { kind, end: pattern.lastIndex } : { kind: 'code', end: at + 1 };
}

/** From a backtick, or from the brace that ends a substitution, to the next `${` or the closing backtick. */
function readTemplate(text: string, at: number): Piece {
  for (let end = at + 1; end < text.length; end += 1) {
    if (text.charAt(end) === '\\') end += 1;
    else if (text.charAt(end) === '`') return { kind: 'literal', end: end + 1 };
    else if (text.startsWith('${', end)) return { kind: 'literal', end: end + 2 };
  }
  return { kind: 'literal', end: text.length };
}

const KEYWORDS =
  /^(?:return|typeof|case|in|of|delete|void|throw|new|else|do|await|yield|default|instanceof|extends)$/;

/** Whether a slash after this begins a regular expression: after a value it divides. */
function startsExpression(before: string): boolean {
  return before === '' || KEYWORDS.test(before) || !/[\w$)\]]/.test(before.charAt(before.length - 1));
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}

function hollow(text: string): string {
  if (text.length < 2) return text;
  const tail = text.endsWith('${') ? 2 : 1;
  return text.charAt(0) + blank(text.slice(1, -tail)) + text.slice(-tail);
}
