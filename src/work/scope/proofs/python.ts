import { type Piece, type Tokens, toTokens } from './tokens.ts';

interface Reader {
  readonly text: string;
  at: number;
  /** Number of open brackets: inside them line ends and indentation don't count. */
  open: number;
  readonly indents: number[];
  readonly pieces: Piece[];
}

const PREFIX = /(?:[rRbBuUfFtT]{1,2})?(?:"""|'''|"|')/y;
const WORD = /[\p{L}\p{M}\p{N}_]+/uy;
const NUMBER = /\.?\d(?:[eE][+-](?=\d)|[\w.])*/y;
const DIRECTIVE = /^#(?:!|\s*type:|\s*cython:|\s*distutils:|.*coding[:=])/;

/** The tokens of a Python program with its lines and indentation; null if it can't be read reliably. */
export function readPythonTokens(source: string): Tokens {
  // Python treats all line endings alike.
  const text = source.replaceAll('\r\n', '\n');
  // A script may declare its dependencies in a comment block that starts with `# ///`.
  if (/[\r\f]|^# \/\/\//m.test(text) || (/^ +/m.test(text) && /^ *\t/m.test(text))) return null;
  const reader: Reader = { text, at: 0, open: 0, indents: [0], pieces: [] };
  let startsLine = true;
  while (reader.at < text.length) {
    if (startsLine && reader.open === 0 && !readIndent(reader)) return null;
    if (reader.at >= text.length) break;
    const ended = readLine(reader);
    if (ended === null) return null;
    startsLine = ended;
  }
  if (reader.open !== 0) return null;
  for (let left = reader.indents.length; left > 1; left -= 1) push(reader, 'line', 'dedent');
  return toTokens(reader.pieces, {
    keepsBlanks: false,
    keepsNewlines: false,
    commentIsBlank: true,
    isDirective: (comment) => DIRECTIVE.test(comment),
  });
}

/** Skips lines without code; then records how the indentation of the next one changes. */
function readIndent(reader: Reader): boolean {
  const { text, indents } = reader;
  const blank = /[ \t]*(?:(#[^\n]*)?\n|(#[^\n]*)$)/y;
  for (blank.lastIndex = reader.at; ; blank.lastIndex = reader.at) {
    const found = blank.exec(text);
    if (found === null) break;
    const comment = found[1] ?? found[2];
    if (comment !== undefined) push(reader, 'comment', comment);
    reader.at += found[0].length;
    if (reader.at >= text.length) return true;
  }
  const width = /[ \t]*/y;
  width.lastIndex = reader.at;
  const depth = width.exec(text)?.[0].length ?? 0;
  reader.at += depth;
  if (reader.at >= text.length) return true;
  if (depth > (indents.at(-1) ?? 0)) {
    indents.push(depth);
    push(reader, 'line', 'indent');
  }
  while (depth < (indents.at(-1) ?? 0)) {
    indents.pop();
    push(reader, 'line', 'dedent');
  }
  return depth === indents.at(-1);
}

/** Reads to the end of a line; false if the text ends first, null if it can't be read. */
function readLine(reader: Reader): boolean | null {
  const { text } = reader;
  while (reader.at < text.length) {
    const next = text[reader.at] ?? '';
    if (next === '\n') {
      reader.at += 1;
      if (reader.open > 0) push(reader, 'space', '\n');
      else push(reader, 'line', 'end');
      return true;
    }
    if (next === '\\') {
      if (text[reader.at + 1] !== '\n') return null;
      push(reader, 'space', ' ');
      reader.at += 2;
    } else if (!readPiece(reader, next)) return null;
  }
  // A last line without a line feed counts as a line.
  push(reader, 'line', 'end');
  return false;
}

function readPiece(reader: Reader, next: string): boolean {
  if (next === ' ' || next === '\t') return take(reader, 'space', /[ \t]+/y);
  if (next === '#') return take(reader, 'comment', /#[^\n]*/y);
  PREFIX.lastIndex = reader.at;
  const opening = PREFIX.exec(reader.text)?.[0];
  if (opening !== undefined) return readString(reader, opening);
  if (take(reader, 'number', NUMBER) || take(reader, 'word', WORD)) return true;
  if ('([{'.includes(next)) reader.open += 1;
  if (')]}'.includes(next)) reader.open -= 1;
  return reader.open >= 0 && take(reader, 'mark', /[!%&(-/:->@[\]^`{|}~]/y);
}

function readString(reader: Reader, opening: string): boolean {
  const { text, at } = reader;
  const quote = opening.replace(/^\w+/, '');
  const formatted = /^[rRbB]*[fFtT]/.test(opening);
  let depth = 0;
  for (let end = at + opening.length; end < text.length; end += 1) {
    // Even after a backslash a brace starts a replacement field.
    if (text[end] === '\\') end += formatted && /[{}]/.test(text[end + 1] ?? '') ? 0 : 1;
    else if (text.startsWith(quote, end)) {
      // Newer versions allow nested strings with the same quotes, so it is unclear which one ends here.
      if (depth > 0) return false;
      reader.at = end + quote.length;
      push(reader, 'string', text.slice(at, reader.at));
      return true;
    } else if (text[end] === '\n' && quote.length === 1) return false;
    else if (formatted && depth === 0 && text.startsWith('{{', end)) end += 1;
    else if (formatted && text[end] === '{') depth += 1;
    else if (formatted && text[end] === '}' && depth > 0) depth -= 1;
  }
  return false;
}

function take(reader: Reader, kind: Piece['kind'], form: RegExp): boolean {
  form.lastIndex = reader.at;
  const found = form.exec(reader.text)?.[0];
  if (found === undefined) return false;
  push(reader, kind, found);
  reader.at += found.length;
  return true;
}

function push(reader: Reader, kind: Piece['kind'], text: string): void {
  reader.pieces.push({ kind, text });
}
