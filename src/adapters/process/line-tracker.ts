/** A line past this length is cut for live views; the captured file keeps it whole. */
export const MAX_LINE_BYTES = 4096;

/** Only the newest lines of a chunk are reported, so that a flood of short lines does not cost a call each. */
const MAX_LINES_PER_CHUNK = 256;

const LINE_FEED = 0x0a;

export interface LineTracker {
  readonly push: (chunk: Buffer) => void;
  /** Reports an unfinished line as the last one. */
  readonly end: () => void;
  /** The newest line that is not blank. */
  readonly lastLine: () => string | null;
}

/** Splits bytes into lines in a buffer of fixed size, so that memory does not depend on the input. */
export function createLineTracker(onLine: ((line: string) => void) | null): LineTracker {
  const buffer = Buffer.alloc(MAX_LINE_BYTES);
  let bufferedBytes = 0;
  let isCut = false;
  let lastLine: string | null = null;

  const addBytes = (bytes: Buffer): void => {
    const room = MAX_LINE_BYTES - bufferedBytes;
    if (bytes.length > room) isCut = true;
    bufferedBytes += bytes.copy(buffer, bufferedBytes, 0, Math.min(room, bytes.length));
  };
  const reset = (): void => {
    bufferedBytes = 0;
    isCut = false;
  };
  const emit = (): void => {
    const line = decodeLine(buffer.subarray(0, bufferedBytes), isCut);
    reset();
    if (line.trim() !== '') lastLine = line;
    onLine?.(line);
  };

  return {
    push: (chunk) => {
      let start = findNewestLines(chunk);
      if (start > 0) reset();
      for (let feed = chunk.indexOf(LINE_FEED, start); feed >= 0; feed = chunk.indexOf(LINE_FEED, start)) {
        addBytes(chunk.subarray(start, feed));
        emit();
        start = feed + 1;
      }
      addBytes(chunk.subarray(start));
    },
    end: () => {
      if (bufferedBytes > 0) emit();
    },
    lastLine: () => lastLine,
  };
}

function findNewestLines(chunk: Buffer): number {
  let end = chunk.length;
  for (let lines = 0; lines <= MAX_LINES_PER_CHUNK; lines += 1) {
    if (end === 0) return 0;
    const feed = chunk.lastIndexOf(LINE_FEED, end - 1);
    if (feed < 0) return 0;
    end = feed;
  }
  return end + 1;
}

export function decodeLine(bytes: Buffer, isCut: boolean): string {
  const text = (isCut ? bytes.subarray(0, measureWholeCharacters(bytes)) : bytes).toString('utf8');
  const line = text.endsWith('\r') ? text.slice(0, -1) : text;
  // A NUL is legal in a string but breaks terminals, arguments and editors further on.
  return line.replaceAll('\0', '\uFFFD');
}

/** The length of the longest prefix that ends in a complete UTF-8 character. */
function measureWholeCharacters(bytes: Buffer): number {
  let end = bytes.length;
  while (end > bytes.length - 4 && end > 0 && ((bytes[end - 1] ?? 0) & 0xc0) === 0x80) end -= 1;
  const lead = bytes[end - 1] ?? 0;
  const expected = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return bytes.length - end + 1 < expected ? end - 1 : bytes.length;
}
