import type { OpenFile } from '../../../ports/record-files.ts';
import { createLineIndex, type LineIndex } from './line-index.ts';

const CHUNK_BYTES = 256 * 1024;
/** What a request may count of a file beyond what it needs, so that the number of lines gets known soon. */
const COUNT_AHEAD_BYTES = 32 * 1024 ** 2;
/** With more left to count, the end of a file is shown before its lines are counted. */
const COUNT_FOR_END_BYTES = 64 * 1024 ** 2;
/** A longer line is cut. */
const MAX_LINE_BYTES = 16 * 1024;
/** What a page keeps, and what it reads to find the lines of it. */
const MAX_PAGE_BYTES = 1024 ** 2;
const MAX_READ_BYTES = 8 * 1024 ** 2;

const LINE_FEED = 10;

export interface RawLine {
  readonly bytes: Uint8Array;
  /** How many bytes of the line are missing at its end; of the last line of a page, what was read of them. */
  readonly cutBytes: number;
}

export interface LineRange {
  /** The number of the first line, from 0; negative if the lines before it are not counted: -1 is the last one. */
  readonly first: number;
  readonly lines: readonly RawLine[];
  readonly more: boolean;
  /** Null while not all lines are counted. */
  readonly total: number | null;
  readonly counted: number;
}

/** Reads ranges of lines, and remembers where lines start in the files that were read last. */
export interface LineReader {
  readonly read: (file: OpenFile, from: number | 'end', limit: number) => Promise<LineRange>;
}

/** The index of a file of 1 GB takes about 250 kB. */
const MAX_INDEXES = 64;

interface Indexed {
  readonly index: LineIndex;
  /** Settles when the latest count is done: counts of the same file must not overlap. */
  last: Promise<void>;
}

export function createLineReader(): LineReader {
  const known = new Map<string, Indexed>();
  const indexOf = ({ identity, bytes }: OpenFile): Indexed => {
    const found = known.get(identity);
    // A file that is shorter than before is another one.
    const indexed =
      found === undefined || found.index.countedBytes() > bytes
        ? { index: createLineIndex(), last: Promise.resolve() }
        : found;
    known.delete(identity);
    known.set(identity, indexed);
    const [oldest] = known.keys();
    if (known.size > MAX_INDEXES && oldest !== undefined) known.delete(oldest);
    return indexed;
  };
  return {
    read: async (file, from, limit) => {
      const indexed = indexOf(file);
      const { index } = indexed;
      const left = file.bytes - index.countedBytes();
      if (from === 'end' && left > COUNT_FOR_END_BYTES) {
        const tail = await readTail(file, limit);
        await countLines(file, indexed, index.countedBytes() + COUNT_AHEAD_BYTES, null);
        return { first: -tail.length, lines: tail, more: false, total: null, counted: index.countedLines() };
      }
      await countLines(file, indexed, file.bytes, from === 'end' ? null : from);
      const start = from === 'end' ? Math.max(0, totalLines(index) - limit) : from;
      const found = await readPage(file, index, start, limit);
      await countLines(file, indexed, index.countedBytes() + COUNT_AHEAD_BYTES, null);
      const total = index.countedBytes() >= file.bytes ? totalLines(index) : null;
      return { first: start, ...found, total, counted: index.countedLines() };
    },
  };
}

function totalLines(index: LineIndex): number {
  return index.countedLines() + (index.hasOpenLine() ? 1 : 0);
}

/** Counts up to a place in the file, or until a line is known. */
async function countLines(
  file: OpenFile,
  indexed: Indexed,
  upTo: number,
  line: number | null,
): Promise<void> {
  const { index } = indexed;
  const count = async () => {
    const buffer = new Uint8Array(CHUNK_BYTES);
    const end = Math.min(upTo, file.bytes);
    while (index.countedBytes() < end && (line === null || index.countedLines() <= line)) {
      const room = Math.min(CHUNK_BYTES, end - index.countedBytes());
      const bytes = await file.read(buffer.subarray(0, room), index.countedBytes());
      if (bytes === 0) break;
      index.count(buffer.subarray(0, bytes));
    }
  };
  indexed.last = indexed.last.then(count, count);
  await indexed.last;
}

async function readPage(
  file: OpenFile,
  index: LineIndex,
  from: number,
  limit: number,
): Promise<Pick<LineRange, 'lines' | 'more'>> {
  const start = index.find(from);
  const page = createPage(from - start.line, limit);
  const buffer = new Uint8Array(CHUNK_BYTES);
  let position = start.position;
  while (position < file.bytes && !page.isFull()) {
    const bytes = await file.read(buffer.subarray(0, Math.min(CHUNK_BYTES, file.bytes - position)), position);
    if (bytes === 0) break;
    page.add(buffer.subarray(0, bytes));
    position += bytes;
  }
  return page.end(position >= file.bytes);
}

/** Splits pieces into lines. Keeps no more than a page can show, whatever the lines are like. */
function createPage(skip: number, limit: number) {
  const lines: RawLine[] = [];
  let skipped = 0;
  let open: Uint8Array[] = [];
  let openBytes = 0;
  let lineBytes = 0;
  let pageBytes = 0;
  let readBytes = 0;
  let hasRest = false;
  const closeLine = () => {
    const bytes = new Uint8Array(openBytes);
    let at = 0;
    for (const part of open) {
      bytes.set(part, at);
      at += part.length;
    }
    lines.push({ bytes, cutBytes: lineBytes - openBytes });
    pageBytes += openBytes;
    [open, openBytes, lineBytes] = [[], 0, 0];
  };
  const isFull = () =>
    lines.length >= limit ||
    (lines.length > 0 && (pageBytes >= MAX_PAGE_BYTES || readBytes >= MAX_READ_BYTES));
  return {
    isFull: () => isFull() || (readBytes >= MAX_READ_BYTES && skipped >= skip && lineBytes > MAX_LINE_BYTES),
    add: (piece: Uint8Array) => {
      let at = 0;
      while (skipped < skip && at < piece.length) {
        const end = piece.indexOf(LINE_FEED, at);
        if (end === -1) return;
        skipped += 1;
        at = end + 1;
      }
      readBytes += piece.length - at;
      while (at < piece.length) {
        if (isFull()) {
          hasRest = true;
          return;
        }
        const feed = piece.indexOf(LINE_FEED, at);
        const end = feed === -1 ? piece.length : feed;
        const part = piece.slice(at, Math.min(end, at + MAX_LINE_BYTES - openBytes));
        if (part.length > 0) open.push(part);
        openBytes += part.length;
        lineBytes += end - at;
        if (feed !== -1) closeLine();
        at = end + 1;
      }
    },
    end: (isFileEnd: boolean): Pick<LineRange, 'lines' | 'more'> => {
      const isCut = lineBytes > 0 && !isFull();
      if (isCut) closeLine();
      return { lines, more: !isFileEnd || hasRest || lineBytes > 0 };
    },
  };
}

/** The last lines, read backwards. */
async function readTail(file: OpenFile, limit: number): Promise<readonly RawLine[]> {
  const wanted = Math.min(MAX_PAGE_BYTES, file.bytes);
  const buffer = new Uint8Array(wanted);
  let filled = 0;
  while (filled < wanted) {
    const bytes = await file.read(buffer.subarray(filled), file.bytes - wanted + filled);
    if (bytes === 0) break;
    filled += bytes;
  }
  const text = buffer.subarray(0, filled);
  const hasOpenLine = text.at(-1) !== LINE_FEED;
  const ends: number[] = hasOpenLine ? [text.length] : [];
  for (
    let at = text.lastIndexOf(LINE_FEED);
    at !== -1 && ends.length <= limit;
    at = at === 0 ? -1 : text.lastIndexOf(LINE_FEED, at - 1)
  )
    ends.push(at);
  const lines: RawLine[] = [];
  // The line before the first line feed in the buffer is not complete, so it is not one of the lines.
  for (let at = Math.min(ends.length - 1, limit) - 1; at >= 0; at -= 1) {
    const line = text.slice((ends[at + 1] ?? -1) + 1, ends[at]);
    const kept = line.slice(0, MAX_LINE_BYTES);
    lines.push({ bytes: kept, cutBytes: line.length - kept.length });
  }
  return lines;
}
