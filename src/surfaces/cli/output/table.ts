import { shorten } from '../../../text/shorten.ts';
import { visibleLength } from '../../../text/visible-length.ts';
import { wrapLine } from '../../../text/wrap-line.ts';

/** How to fit a table to the width of a terminal. */
export interface TableFit {
  /** The width of the terminal; infinite for a pipe. */
  readonly width: number;
  /** Indexes of the columns to drop if the table is too wide, the least important first. */
  readonly drop?: readonly number[];
  /** Index of the column that is shortened, at word boundaries, before others are dropped. */
  readonly shorten?: number;
  /** Whether the last column can't be wrapped, such as a path: it moves below its row before others are dropped. */
  readonly lastBelow?: boolean;
  /** The width that the last column needs at least: it is wrapped to this before others are dropped. */
  readonly minLast?: number;
}

const GAP = 2;
/** The minimum width of the shortened column. */
const MIN_SHORTENED_WIDTH = 24;
/** The minimum width of the last column; with less room, its cell moves below the row. */
const MIN_LAST_WIDTH = 20;

/** Pads each column to its widest cell and wraps the last one at the width of the terminal. Colours have no width. */
export function renderTable(
  rows: readonly (readonly string[])[],
  indent = '',
  fit: TableFit = { width: Number.POSITIVE_INFINITY },
): string {
  const fitting = fitRows(rows, indent.length, fit);
  const widths = widthsOf(fitting);
  return fitting.map((row) => renderRow(row, widths, indent, fit)).join('');
}

/** Drops the columns that don't fit, and shortens the cells of one column. */
function fitRows(
  rows: readonly (readonly string[])[],
  indent: number,
  { width, drop = [], shorten: shortened, lastBelow = false, minLast }: TableFit,
): readonly (readonly string[])[] {
  const widths = widthsOf(rows);
  let columns = [...widths.keys()];
  const excess = () => {
    const counted = lastBelow ? columns.slice(0, -1) : columns;
    const widthOf = (column: number) =>
      column === widths.length - 1
        ? Math.min(widths[column] ?? 0, minLast ?? Number.POSITIVE_INFINITY)
        : (widths[column] ?? 0);
    return indent + counted.reduce((sum, column) => sum + widthOf(column) + GAP, -GAP) - width;
  };
  const slack = shortened === undefined ? 0 : Math.max(0, (widths[shortened] ?? 0) - MIN_SHORTENED_WIDTH);
  for (const next of drop) {
    if (excess() <= slack) break;
    columns = columns.filter((column) => column !== next);
  }
  const room =
    shortened === undefined ? 0 : (widths[shortened] ?? 0) - Math.min(slack, Math.max(0, excess()));
  return rows.map((row) =>
    columns
      .filter((column) => column < row.length)
      .map((column) => (column === shortened ? shortenCell(row[column] ?? '', room) : (row[column] ?? ''))),
  );
}

/** A cell that fits may be coloured. A character may take two columns. */
function shortenCell(cell: string, room: number): string {
  let shown = cell;
  for (let max = room; max > 0 && visibleLength(shown) > room; max -= 1) shown = shorten(cell, max);
  return shown;
}

function widthsOf(rows: readonly (readonly string[])[]): number[] {
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, visibleLength(cell));
    });
  return widths;
}

function renderRow(
  row: readonly string[],
  widths: readonly number[],
  indent: string,
  { width, lastBelow = false }: TableFit,
): string {
  const cells = row.slice(0, -1).map((cell, column) => pad(cell, (widths[column] ?? 0) + GAP));
  const head = `${indent}${cells.join('')}`;
  const last = row.at(-1) ?? '';
  const room = width - visibleLength(head);
  if (visibleLength(last) <= room) return `${head}${last}\n`;
  if (lastBelow || room < MIN_LAST_WIDTH)
    return `${head.trimEnd()}\n${wrapLine(`${indent}    ${last}`, width).join('\n')}\n`;
  return `${head}${wrapLine(last, room).join(`\n${' '.repeat(visibleLength(head))}`)}\n`;
}

function pad(cell: string, width: number): string {
  return cell + ' '.repeat(Math.max(0, width - visibleLength(cell)));
}
