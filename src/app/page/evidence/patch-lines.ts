import type { ChangedFileDocument, ChangedLine } from '../../../contracts/http/changes-page.ts';
import type { OpenFile } from '../../../ports/record-files.ts';
import { escapeUnsafe } from '../../../text/outside-text.ts';
import type { HunkPlace, PatchSection } from './patch-index.ts';

type Hunk = ChangedFileDocument['hunks'][number];

const CHUNK_BYTES = 256 * 1024;
/** Longer lines, as of minified files, are cut. */
const MAX_LINE_CHARACTERS = 4_096;
/** A page ends here, even if it has fewer lines than asked for. */
const MAX_PAGE_CHARACTERS = 1024 ** 2;

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/;
const KINDS = { '+': 'added', '-': 'removed', '\\': 'note' } as const;

/** Reads the lines of a file's hunks from a number on; all hunks are counted together. */
export async function readPatchLines(
  file: OpenFile,
  { places, end }: PatchSection,
  from: number,
  limit: number,
): Promise<readonly Hunk[]> {
  const start = places.findLast(({ line }) => line <= from);
  if (start === undefined) return [];
  const page = createHunkPage(start, from, limit);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const buffer = new Uint8Array(CHUNK_BYTES);
  let rest = '';
  let position = start.position;
  while (position < end && !page.isFull()) {
    const bytes = await file.read(buffer.subarray(0, Math.min(CHUNK_BYTES, end - position)), position);
    if (bytes === 0) break;
    position += bytes;
    const lines = (rest + decoder.decode(buffer.subarray(0, bytes), { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) page.add(line);
  }
  if (rest !== '' && !page.isFull()) page.add(rest);
  return page.hunks;
}

type MutableHunk = Omit<Hunk, 'lines'> & { lines: ChangedLine[] };

function createHunkPage(start: HunkPlace, from: number, limit: number) {
  const hunks: MutableHunk[] = [];
  let { line, oldLine, newLine, oldLeft, newLeft } = start;
  let current: MutableHunk | null = null;
  let [taken, characters] = [0, 0];
  const isFull = () => taken >= limit || characters >= MAX_PAGE_CHARACTERS;
  const openHunk = (heading: string, continued: boolean) => {
    current = { old_start: oldLine, new_start: newLine, continued, heading, lines: [] };
  };
  const take = (shown: ChangedLine) => {
    if (current === null) openHunk('', true);
    if (current !== null && current.lines.length === 0) {
      // The page may start later in the hunk than the hunk itself.
      const [, oldNumber, newNumber] = shown;
      current.old_start = oldNumber ?? oldLine;
      current.new_start = newNumber ?? newLine;
      hunks.push(current);
    }
    current?.lines.push(shown);
    taken += 1;
    characters += shown[3].length;
  };
  return {
    hunks,
    isFull,
    add: (raw: string) => {
      if (isFull()) return;
      const isNote = raw.startsWith('\\');
      if (oldLeft <= 0 && newLeft <= 0 && !isNote) {
        const head = HUNK.exec(raw);
        if (head === null) return;
        [oldLine, oldLeft] = [Number(head[1]), Number(head[2] ?? 1)];
        [newLine, newLeft] = [Number(head[3]), Number(head[4] ?? 1)];
        openHunk(shownText(head[5] ?? ''), false);
        return;
      }
      const sign = raw[0];
      const kind = sign === '+' || sign === '-' || sign === '\\' ? KINDS[sign] : 'context';
      const shown: ChangedLine = [
        kind,
        kind === 'context' || kind === 'removed' ? oldLine : null,
        kind === 'context' || kind === 'added' ? newLine : null,
        shownText(kind === 'note' ? raw.slice(1).trimStart() : raw.slice(1)),
      ];
      if (kind === 'context' || kind === 'removed') [oldLine, oldLeft] = [oldLine + 1, oldLeft - 1];
      if (kind === 'context' || kind === 'added') [newLine, newLeft] = [newLine + 1, newLeft - 1];
      if (line >= from) take(shown);
      else if (current !== null) current = { ...current, continued: true };
      line += 1;
    },
  };
}

function shownText(text: string): string {
  const cut = text.length > MAX_LINE_CHARACTERS;
  const kept = cut ? text.slice(0, MAX_LINE_CHARACTERS) : text;
  return `${escapeUnsafe(kept)}${cut ? `… (${text.length - MAX_LINE_CHARACTERS} more characters)` : ''}`;
}
