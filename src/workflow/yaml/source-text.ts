import { type Family, shapeCode } from '../../diagnostics/codes.ts';
import { createDiagnostic, type Diagnostic } from '../../diagnostics/diagnostic.ts';
import { createLineIndex } from './line-index.ts';

/** The bytes of a file and the name that messages use for it. */
export interface Source {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export const MAX_SOURCE_BYTES = 16 * 1024 * 1024;

export interface SourceText {
  /** Set even if the text is rejected, for excerpts; empty if the file is too large. */
  readonly text: string;
  readonly problem: Diagnostic | null;
}

export function decodeSource(source: Source, family: Family): SourceText {
  const code = shapeCode(family, '001');
  if (source.bytes.length > MAX_SOURCE_BYTES) {
    const message = `the file has ${source.bytes.length} bytes, but at most ${MAX_SOURCE_BYTES} are read`;
    return { text: '', problem: createDiagnostic(code, { message, span: createLineIndex('').span(0, 0) }) };
  }
  const sound = decodeUtf8(source.bytes);
  const text = withLineFeeds(sound ?? new TextDecoder('utf-8').decode(source.bytes));
  const refuse = (offset: number, message: string, help: string): SourceText => ({
    text,
    problem: createDiagnostic(code, { message, span: createLineIndex(text).span(offset, offset + 1), help }),
  });
  if (sound === null) {
    const offset = firstBrokenOffset(source.bytes);
    return refuse(offset, 'the file is not valid UTF-8 here', 'save the file as UTF-8');
  }
  const nul = text.indexOf('\0');
  if (nul >= 0) return refuse(nul, 'the file contains a NUL character', 'remove the character');
  return { text, problem: null };
}

/** YAML treats a lone carriage return as a line break, but the parser doesn't. Replacing it keeps all offsets. */
function withLineFeeds(text: string): string {
  return text.includes('\r') ? text.replace(/\r(?!\n)/g, '\n') : text;
}

/** The decoder doesn't report where the input is invalid, so this searches for the longest valid prefix. */
function firstBrokenOffset(bytes: Uint8Array): number {
  let [sound, broken] = [0, bytes.length + 1];
  while (broken - sound > 1) {
    const middle = (sound + broken) >> 1;
    if (decodeStart(bytes, middle) === null) broken = middle;
    else sound = middle;
  }
  return decodeStart(bytes, sound)?.length ?? 0;
}

/** Decodes a prefix. An incomplete character at its end is dropped, not an error. */
function decodeStart(bytes: Uint8Array, length: number): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, length), { stream: true });
  } catch {
    return null;
  }
}

function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
