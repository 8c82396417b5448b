import { type Family, shapeCode } from '../diagnostics/codes.ts';
import { createDiagnostic, type Diagnostic } from '../diagnostics/diagnostic.ts';
import { createLineIndex } from './line-index.ts';

/** A file as it was read, under the name that the user knows it by. */
export interface Source {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export const MAX_SOURCE_BYTES = 16 * 1024 * 1024;

export interface SourceText {
  /** For excerpts even where the text is refused; empty when it is too long. */
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
  const text = sound ?? new TextDecoder('utf-8').decode(source.bytes);
  const refuse = (offset: number, message: string, help: string): SourceText => ({
    text,
    problem: createDiagnostic(code, { message, span: createLineIndex(text).span(offset, offset + 1), help }),
  });
  if (sound === null) {
    const offset = firstBrokenOffset(source.bytes, text);
    return refuse(offset, 'the file is not valid UTF-8 here', 'save the file as UTF-8');
  }
  const nul = text.indexOf('\0');
  if (nul >= 0) return refuse(nul, 'the file contains a NUL character', 'remove the character');
  return { text, problem: null };
}

/** The decoder says only that something is wrong; a replacement that is not in the bytes shows where. */
function firstBrokenOffset(bytes: Uint8Array, lossy: string): number {
  const encoder = new TextEncoder();
  const byteOrderMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  let byteOffset = byteOrderMark;
  let from = 0;
  for (let at = lossy.indexOf('\ufffd'); at >= 0; at = lossy.indexOf('\ufffd', from)) {
    byteOffset += encoder.encode(lossy.slice(from, at)).length;
    const genuine =
      bytes[byteOffset] === 0xef && bytes[byteOffset + 1] === 0xbf && bytes[byteOffset + 2] === 0xbd;
    if (!genuine) return at;
    byteOffset += 3;
    from = at + 1;
  }
  return 0;
}

function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
