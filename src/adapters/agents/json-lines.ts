/** No useful event is longer than this: even a picture that a tool looked at is shorter. */
const LINE_LIMIT_BYTES = 8 * 1024 * 1024;

const LINE_FEED = 0x0a;

export interface JsonLines {
  readonly push: (chunk: Buffer) => void;
  /** Reads the text after the last line feed as a line: a killed process may have left half of one. */
  readonly end: () => void;
}

/** The content of a line: a JSON value, text that is not JSON, or more bytes than are read. */
export interface JsonLineReader {
  readonly onValue: (value: unknown) => void;
  readonly onNoise: (text: string) => void;
  readonly onTooLong: (bytes: number) => void;
}

/** Splits a stream into JSON values, with no more than one line in memory. */
export function createJsonLines(reader: JsonLineReader, limitBytes = LINE_LIMIT_BYTES): JsonLines {
  let held: Buffer[] = [];
  let heldBytes = 0;

  const hold = (piece: Buffer): void => {
    heldBytes += piece.length;
    if (heldBytes > limitBytes) held = [];
    // The piece is part of a buffer that may be reused after this call.
    else if (piece.length > 0) held.push(Buffer.from(piece));
  };
  const take = (): void => {
    const [line, bytes] = [Buffer.concat(held).toString('utf8').trim(), heldBytes];
    held = [];
    heldBytes = 0;
    if (bytes > limitBytes) reader.onTooLong(bytes);
    else if (line !== '') dispatchLine(reader, line);
  };

  return {
    push: (chunk) => {
      let start = 0;
      for (let feed = chunk.indexOf(LINE_FEED); feed >= 0; feed = chunk.indexOf(LINE_FEED, start)) {
        hold(chunk.subarray(start, feed));
        take();
        start = feed + 1;
      }
      hold(chunk.subarray(start));
    },
    end: take,
  };
}

function dispatchLine({ onValue, onNoise }: JsonLineReader, line: string): void {
  const parsed = parse(line);
  if (parsed === null) onNoise(line.replaceAll('\0', '\uFFFD'));
  else onValue(parsed.value);
}

function parse(line: string): { readonly value: unknown } | null {
  try {
    return { value: JSON.parse(line) };
  } catch {
    return null;
  }
}
