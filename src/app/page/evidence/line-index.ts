/** The index has an entry for each of these many bytes, so that the index of 1 GB has 16,000 entries. */
const BYTES_PER_ENTRY = 64 * 1024;

const LINE_FEED = 10;

/** Where lines start in a file that is read from its beginning, piece by piece. Lines are counted from 0. */
export interface LineIndex {
  /** Takes the bytes after those that were counted before. */
  readonly count: (piece: Uint8Array) => void;
  readonly countedBytes: () => number;
  /** Complete lines so far. */
  readonly countedLines: () => number;
  /** Whether bytes follow the last line feed. */
  readonly hasOpenLine: () => boolean;
  /** A line start at or before a line, near to it. */
  readonly find: (line: number) => LineStart;
}

export interface LineStart {
  readonly line: number;
  readonly position: number;
}

export function createLineIndex(): LineIndex {
  const lines: number[] = [0];
  const positions: number[] = [0];
  let bytes = 0;
  let complete = 0;
  let lineStart = 0;
  let kept = 0;
  return {
    count: (piece) => {
      for (let at = piece.indexOf(LINE_FEED); at !== -1; at = piece.indexOf(LINE_FEED, at + 1)) {
        complete += 1;
        lineStart = bytes + at + 1;
        if (lineStart - kept < BYTES_PER_ENTRY) continue;
        kept = lineStart;
        lines.push(complete);
        positions.push(lineStart);
      }
      bytes += piece.length;
    },
    countedBytes: () => bytes,
    countedLines: () => complete,
    hasOpenLine: () => bytes > lineStart,
    find: (line) => {
      let [low, high] = [0, lines.length - 1];
      while (low < high) {
        const middle = Math.ceil((low + high) / 2);
        if ((lines[middle] ?? 0) <= line) low = middle;
        else high = middle - 1;
      }
      return { line: lines[low] ?? 0, position: positions[low] ?? 0 };
    },
  };
}
