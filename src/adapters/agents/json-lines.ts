/** Longer than any useful event, even one that contains an image. */
const LINE_LIMIT_BYTES = 8 * 1024 * 1024;

const LINE_FEED = 0x0a;

export interface JsonLineSplitter {
  readonly push: (chunk: Buffer) => void;
  /** Reads the text after the last line feed as a line: a killed process may have left half of one. */
  readonly end: () => void;
}

/** The content of a line: a JSON value, text that is not JSON, or more bytes than are read. */
export interface JsonLineHandlers {
  readonly onValue: (value: unknown) => void;
  readonly onText: (text: string) => void;
  readonly onTooLong: (bytes: number) => void;
}

/** Splits a stream into JSON values, with no more than one line in memory. */
export function createJsonLineSplitter(
  handlers: JsonLineHandlers,
  limitBytes = LINE_LIMIT_BYTES,
): JsonLineSplitter {
  let pending: Buffer[] = [];
  let pendingBytes = 0;

  const append = (piece: Buffer): void => {
    pendingBytes += piece.length;
    if (pendingBytes > limitBytes) pending = [];
    // The piece is part of a buffer that may be reused after this call.
    else if (piece.length > 0) pending.push(Buffer.from(piece));
  };
  const flush = (): void => {
    const [line, bytes] = [Buffer.concat(pending).toString('utf8').trim(), pendingBytes];
    pending = [];
    pendingBytes = 0;
    if (bytes > limitBytes) handlers.onTooLong(bytes);
    else if (line !== '') dispatchLine(handlers, line);
  };

  return {
    push: (chunk) => {
      let start = 0;
      for (let feed = chunk.indexOf(LINE_FEED); feed >= 0; feed = chunk.indexOf(LINE_FEED, start)) {
        append(chunk.subarray(start, feed));
        flush();
        start = feed + 1;
      }
      append(chunk.subarray(start));
    },
    end: flush,
  };
}

function dispatchLine({ onValue, onText }: JsonLineHandlers, line: string): void {
  const parsed = parse(line);
  // With a NUL in it, the transcript would be a binary file to most tools.
  if (parsed === null) onText(line.replaceAll('\0', '\uFFFD'));
  else onValue(parsed.value);
}

function parse(line: string): { readonly value: unknown } | null {
  try {
    return { value: JSON.parse(line) };
  } catch {
    return null;
  }
}
