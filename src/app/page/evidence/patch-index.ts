import type { FileChange } from '../../../contracts/run/workspace-change.ts';
import { parsePatch } from '../../../policy/patches/patch.ts';

/** How much of a header and of the first lines of a change is kept to read it. */
const MAX_HEADER_BYTES = 64 * 1024;
const MAX_SAMPLE_BYTES = 1_024;
/** In a long change, the index has a place to start reading from for each of these many bytes. */
const BYTES_PER_ENTRY = 64 * 1024;

/** A place between two lines of the hunks of a file. */
export interface HunkPlace {
  /** Lines of all hunks of the file before it. */
  readonly line: number;
  readonly position: number;
  /** The numbers of the next line, before and after the change. */
  readonly oldLine: number;
  readonly newLine: number;
  /** How many lines of the hunk are left; 0 outside of a hunk. */
  readonly oldLeft: number;
  readonly newLeft: number;
}

/** The part of a patch that is about one file. */
export interface PatchSection {
  readonly change: FileChange;
  /** The first bytes of its first hunk. */
  readonly sample: string;
  /** The number of lines in its hunks. */
  readonly lines: number;
  /** At least the start of the first hunk; empty without hunks. */
  readonly places: readonly HunkPlace[];
  readonly end: number;
}

export interface PatchIndex {
  readonly sections: readonly PatchSection[];
  readonly insertions: number;
  readonly deletions: number;
  /** What could not be read of the patch; null if all of it could. */
  readonly problem: string | null;
}

/** Reads a patch of git piece by piece, without keeping its lines. */
export interface PatchScanner {
  readonly add: (piece: Uint8Array) => void;
  readonly end: () => PatchIndex;
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;
const BINARY = /^(?:Binary files |GIT binary patch)/;

const [LINE_FEED, PLUS, MINUS, BACKSLASH] = [10, 43, 45, 92];

interface Draft {
  header: string;
  hasHeader: boolean;
  sample: string;
  lines: number;
  insertions: number;
  deletions: number;
  places: HunkPlace[];
}

export function createPatchScanner(): PatchScanner {
  const decoder = new TextDecoder();
  const sections: PatchSection[] = [];
  let problem: string | null = null;
  let draft: Draft | null = null;
  let position = 0;
  let lineStart = 0;
  // The start of a line whose end is in the next piece.
  let open = new Uint8Array();
  let openFirst: number | null = null;
  let [oldLine, newLine, oldLeft, newLeft] = [0, 0, 0, 0];

  const finish = (end: number) => {
    if (draft === null) return;
    const { header, sample, lines, insertions, deletions, places } = draft;
    draft = null;
    const parsed = parsePatch(header);
    const [change] = parsed.ok ? parsed.changes : [];
    if (change === undefined) {
      problem ??= `the patch can't be read: ${parsed.ok ? 'a file has no name' : parsed.message}`;
      return;
    }
    const isBinary = change.insertions === null;
    const counted = isBinary ? change : { ...change, insertions, deletions };
    sections.push({ change: counted, sample, lines, places, end });
  };
  const place = (): HunkPlace => ({
    line: draft?.lines ?? 0,
    position: lineStart,
    oldLine,
    newLine,
    oldLeft,
    newLeft,
  });
  const readHunkLine = (current: Draft, first: number, text: () => string) => {
    const last = current.places.at(-1);
    if (last !== undefined && lineStart - last.position >= BYTES_PER_ENTRY) current.places.push(place());
    if (current.sample.length < MAX_SAMPLE_BYTES) current.sample += `${text().slice(0, MAX_SAMPLE_BYTES)}\n`;
    current.lines += 1;
    if (first === BACKSLASH) return;
    if (first === PLUS) current.insertions += 1;
    if (first === MINUS) current.deletions += 1;
    if (first !== PLUS) [oldLine, oldLeft] = [oldLine + 1, oldLeft - 1];
    if (first !== MINUS) [newLine, newLeft] = [newLine + 1, newLeft - 1];
  };
  const readLine = (first: number, text: () => string) => {
    const current = draft;
    const isInHunk = oldLeft > 0 || newLeft > 0;
    if (current !== null && (isInHunk || (first === BACKSLASH && current.places.length > 0))) {
      readHunkLine(current, first, text);
      return;
    }
    const line = text();
    if (line.startsWith('diff --git ')) {
      finish(lineStart);
      draft = {
        header: `${line}\n`,
        hasHeader: false,
        sample: '',
        lines: 0,
        insertions: 0,
        deletions: 0,
        places: [],
      };
      return;
    }
    if (current === null) return;
    const hunk = HUNK.exec(line);
    if (hunk !== null) {
      if (current.places.length === 0) current.places.push(place());
      current.hasHeader = true;
      [oldLine, oldLeft] = [Number(hunk[1]), Number(hunk[2] ?? 1)];
      [newLine, newLeft] = [Number(hunk[3]), Number(hunk[4] ?? 1)];
    } else if (!current.hasHeader && current.header.length < MAX_HEADER_BYTES) {
      current.header += `${line}\n`;
      current.hasHeader = BINARY.test(line);
    }
  };
  return {
    add: (piece) => {
      let at = 0;
      while (at < piece.length) {
        const feed = piece.indexOf(LINE_FEED, at);
        const end = feed === -1 ? piece.length : feed;
        const first = openFirst ?? piece[at] ?? LINE_FEED;
        if (feed === -1) {
          openFirst = first;
          open = joinHead(open, piece.subarray(at, end));
          position += end - at;
          return;
        }
        const [from, before] = [at, open];
        readLine(first, () => decoder.decode(joinHead(before, piece.subarray(from, end))));
        if (open.length > 0) open = new Uint8Array();
        openFirst = null;
        position += end + 1 - at;
        lineStart = position;
        at = end + 1;
      }
    },
    end: () => {
      if (openFirst !== null) readLine(openFirst, () => decoder.decode(open));
      if (oldLeft > 0 || newLeft > 0) problem ??= 'the patch ends in the middle of a change';
      finish(position);
      const total = (key: 'insertions' | 'deletions') =>
        sections.reduce((sum, { change }) => sum + (change[key] ?? 0), 0);
      return { sections, insertions: total('insertions'), deletions: total('deletions'), problem };
    },
  };
}

/** The first bytes of a line that is split over pieces: headers are short, and of other lines only the start counts. */
function joinHead(head: Uint8Array, more: Uint8Array): Uint8Array<ArrayBuffer> {
  const length = Math.min(MAX_HEADER_BYTES, head.length + more.length);
  const joined = new Uint8Array(length);
  joined.set(head.subarray(0, length));
  joined.set(more.subarray(0, length - Math.min(head.length, length)), Math.min(head.length, length));
  return joined;
}
