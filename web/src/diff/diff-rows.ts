import type { ChangedLine } from '../../../src/contracts/http/changes-page.ts';
import type { Token } from './tokens.ts';

/** A line of a diff with its colours, once they are known. */
export interface DiffLine {
  readonly kind: ChangedLine[0];
  readonly oldNumber: number | null;
  readonly newNumber: number | null;
  readonly text: string;
  readonly tokens: readonly Token[] | null;
}

/** A part of a file's diff that has been fetched, or is still to be. Parts are in order and cover all lines. */
export type FilePart =
  | {
      readonly kind: 'hunk';
      readonly heading: string;
      readonly lines: readonly DiffLine[];
      readonly from: number;
    }
  | { readonly kind: 'gap'; readonly from: number; readonly lines: number };

/** A file as the viewer needs it. */
export interface DiffFile {
  readonly path: string;
  readonly fold: string | null;
  readonly parts: readonly FilePart[];
}

export type DiffRow =
  | { readonly kind: 'file'; readonly file: number }
  | { readonly kind: 'folded'; readonly file: number; readonly why: string }
  | { readonly kind: 'hunk'; readonly file: number; readonly heading: string; readonly from: number }
  | { readonly kind: 'line'; readonly file: number; readonly line: DiffLine; readonly at: number }
  | {
      readonly kind: 'pair';
      readonly file: number;
      readonly left: DiffLine | null;
      readonly right: DiffLine | null;
      readonly at: number;
    }
  | { readonly kind: 'gap'; readonly file: number; readonly from: number; readonly lines: number };

export type DiffLayout = 'unified' | 'split';

/** All rows of a diff, from top to bottom. */
export function layOutRows(files: readonly DiffFile[], layout: DiffLayout): DiffRow[] {
  const rows: DiffRow[] = [];
  for (const [file, { fold, parts }] of files.entries()) {
    rows.push({ kind: 'file', file });
    if (fold !== null) rows.push({ kind: 'folded', file, why: fold });
    else for (const part of parts) addPart(rows, file, part, layout);
  }
  return rows;
}

function addPart(rows: DiffRow[], file: number, part: FilePart, layout: DiffLayout): void {
  if (part.kind === 'gap') {
    rows.push({ kind: 'gap', file, from: part.from, lines: part.lines });
    return;
  }
  if (part.heading !== '') rows.push({ kind: 'hunk', file, heading: part.heading, from: part.from });
  if (layout === 'split') {
    for (const { left, right, at } of pairLines(part.lines, part.from))
      rows.push({ kind: 'pair', file, left, right, at });
    return;
  }
  for (const [index, line] of part.lines.entries())
    rows.push({ kind: 'line', file, line, at: part.from + index });
}

interface LinePair {
  readonly left: DiffLine | null;
  readonly right: DiffLine | null;
  /** The number of the first line of the pair within the file's diff. */
  readonly at: number;
}

/** Puts removed lines beside the added lines that follow them; context lines are on both sides. */
function pairLines(lines: readonly DiffLine[], from: number): LinePair[] {
  const pairs: LinePair[] = [];
  let removed: { line: DiffLine; at: number }[] = [];
  let added: { line: DiffLine; at: number }[] = [];
  const flush = (): void => {
    for (let index = 0; index < Math.max(removed.length, added.length); index += 1) {
      const left = removed[index];
      const right = added[index];
      pairs.push({
        left: left?.line ?? null,
        right: right?.line ?? null,
        at: left?.at ?? right?.at ?? from,
      });
    }
    removed = [];
    added = [];
  };
  for (const [index, line] of lines.entries()) {
    const at = from + index;
    if (line.kind === 'removed') {
      if (added.length > 0) flush();
      removed.push({ line, at });
    } else if (line.kind === 'added') added.push({ line, at });
    else {
      flush();
      pairs.push({ left: line, right: line, at });
    }
  }
  flush();
  return pairs;
}

/** The key by which a row keeps its measured height when rows above it change. */
export function keyOfRow(row: DiffRow, layout: DiffLayout): string {
  switch (row.kind) {
    case 'file':
      return `${row.file}`;
    case 'folded':
      return `${row.file}-folded`;
    case 'hunk':
      return `${row.file}-hunk-${row.from}`;
    case 'gap':
      return `${row.file}-gap-${row.from}`;
    case 'line':
    case 'pair':
      return `${row.file}-${layout}-${row.at}`;
  }
}

/** Whether a row shows a line with this number; old numbers count only for removed lines. */
export function showsLine(row: DiffRow, number: number): boolean {
  if (row.kind === 'line') return isLine(row.line, number);
  if (row.kind !== 'pair') return false;
  return (row.right !== null && isLine(row.right, number)) || (row.left !== null && isLine(row.left, number));
}

function isLine({ kind, oldNumber, newNumber }: DiffLine, number: number): boolean {
  return kind === 'removed' ? oldNumber === number : newNumber === number;
}
