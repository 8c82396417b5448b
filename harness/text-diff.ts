import { formatPatch, OMIT_HEADERS, type StructuredPatchHunk, structuredPatch } from 'diff';

export interface TextDiff {
  /** In the format of `diff -u`; empty if nothing differs. */
  readonly text: string;
  readonly added: number;
  readonly removed: number;
}

/** With more differences than this, everything between the first and the last one is shown as one block. */
const MAX_EDITS = 2_000;
const CONTEXT_LINES = 3;

export function diffTexts(before: string | null, after: string, name: string): TextDiff {
  const options = { context: CONTEXT_LINES, maxEditLength: MAX_EDITS };
  const patch = structuredPatch('', '', before ?? '', after, '', '', options);
  const hunks = patch?.hunks ?? [createReplacingHunk(linesOf(before ?? ''), linesOf(after))];
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const added = lines.filter((line) => line.startsWith('+')).length;
  const removed = lines.filter((line) => line.startsWith('-')).length;
  if (hunks.length === 0) return { text: '', added, removed };
  const head = `${before === null ? '--- /dev/null' : `--- a/${name}`}\n+++ b/${name}\n`;
  return { text: head + formatPatch({ ...NO_NAMES, hunks }, OMIT_HEADERS), added, removed };
}

const NO_NAMES = { oldFileName: '', newFileName: '', oldHeader: '', newHeader: '' };

/** A last line without a line feed differs from one with it. */
function linesOf(text: string): string[] {
  const lines = text.split('\n');
  const last = lines.pop() ?? '';
  return last === '' ? lines : [...lines, `${last}\n\\ No newline at end of file`];
}

function createReplacingHunk(before: readonly string[], after: readonly string[]): StructuredPatchHunk {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const from = Math.max(0, start - CONTEXT_LINES);
  const hidden = Math.max(0, end - CONTEXT_LINES);
  return {
    oldStart: from + 1,
    oldLines: before.length - hidden - from,
    newStart: from + 1,
    newLines: after.length - hidden - from,
    lines: [
      ...before.slice(from, start).map((line) => ` ${line}`),
      ...before.slice(start, before.length - end).map((line) => `-${line}`),
      ...after.slice(start, after.length - end).map((line) => `+${line}`),
      ...before.slice(before.length - end, before.length - hidden).map((line) => ` ${line}`),
    ],
  };
}
