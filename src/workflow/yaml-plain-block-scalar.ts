import type { PlainScalar } from './yaml-plain-node.ts';
import { CHAR, lineEndFrom, skipSpaces } from './yaml-plain-text.ts';

/** The headers whose meaning does not depend on what follows. */
const HEADERS: ReadonlySet<string> = new Set(['|', '|-', '>', '>-']);

/**
 * A literal or folded scalar that starts on the line below its header and ends with its last line of text.
 * Null: it has an indentation of its own, keeps its last line feeds, is indented in an odd way, or has spaces at the end
 * of a line.
 */
export function readBlockScalar(text: string, start: number, parentColumn: number): PlainScalar | null {
  const headerEnd = lineEndFrom(text, start);
  const header = text.slice(start, Math.min(headerEnd, start + 3));
  if (start + header.length !== headerEnd || !HEADERS.has(header)) return null;
  const first = headerEnd + 1;
  const indent = skipSpaces(text, first) - first;
  if (first >= text.length || indent <= parentColumn) return null;

  const lines: string[] = [];
  let kept = 0;
  let end = first;
  for (let at = first; at < text.length; ) {
    const lineEnd = lineEndFrom(text, at);
    const content = skipSpaces(text, at);
    if (content === lineEnd) {
      // White space on a line of its own can be content or not, depending on how deep it is.
      if (content > at || lines.length === 0) return null;
      lines.push('');
    } else {
      if (content - at < indent) break;
      // It may stand for a carriage return, which is no content.
      if (text.charCodeAt(lineEnd - 1) === CHAR.space) return null;
      lines.push(text.slice(at + indent, lineEnd));
      kept = lines.length;
      end = Math.min(lineEnd + 1, text.length);
    }
    at = lineEnd + 1;
  }
  lines.length = kept;
  const body = header.startsWith('|') ? lines.join('\n') : foldLines(lines);
  if (body === null) return null;
  return { kind: 'scalar', data: header.endsWith('-') ? body : `${body}\n`, start, end };
}

/** Lines that stand deeper are not folded by the same rule; a text with such lines is left alone. */
function foldLines(lines: readonly string[]): string | null {
  let folded = '';
  let separator = '';
  for (const line of lines) {
    if (line.charCodeAt(0) === CHAR.space) return null;
    if (line === '') {
      if (separator === '\n') folded += '\n';
      else separator = '\n';
    } else {
      folded += separator + line;
      separator = ' ';
    }
  }
  return folded;
}
