import { shorten } from '../../text/shorten.ts';
import { visibleLength } from '../../text/visible-length.ts';
import { wrapLine } from '../../text/wrap-line.ts';

/** How a table fits a terminal. */
export interface TableFit {
  /** Columns of the terminal; a pipe has no width. */
  readonly width: number;
  /** Columns of the table to leave out if there is no room for them, the least important first. */
  readonly drop?: readonly number[];
  /** The column of the table that is shortened, at words, before others are left out. */
  readonly shorten?: number;
  /** The last column is one long word, such as a path: it goes below its row before others are left out. */
  readonly lastBelow?: boolean;
}

const GAP = 2;
/** Characters that a shortened column keeps. */
const LEAST_SHORTENED = 24;
/** Less room than this is no column: the last cell goes below its row. */
const LEAST_ROOM = 20;

/** Columns padded to their widest cell; the last one is wrapped where the terminal ends. Widths ignore colour. */
export function renderTable(
  rows: readonly (readonly string[])[],
  indent = '',
  fit: TableFit = { width: Number.POSITIVE_INFINITY },
): string {
  const fitting = fitRows(rows, indent.length, fit);
  const widths = widthsOf(fitting);
  return fitting.map((row) => renderRow(row, widths, indent, fit.width)).join('');
}

/** The rows without the columns that there is no room for, and with one of them shortened. */
function fitRows(
  rows: readonly (readonly string[])[],
  indent: number,
  { width, drop = [], shorten: shortened, lastBelow = false }: TableFit,
): readonly (readonly string[])[] {
  const widths = widthsOf(rows);
  let columns = [...widths.keys()];
  const excess = () => {
    const counted = lastBelow ? columns.slice(0, -1) : columns;
    return indent + counted.reduce((sum, column) => sum + (widths[column] ?? 0) + GAP, -GAP) - width;
  };
  const slack = shortened === undefined ? 0 : Math.max(0, (widths[shortened] ?? 0) - LEAST_SHORTENED);
  for (const next of drop) {
    if (excess() <= slack) break;
    columns = columns.filter((column) => column !== next);
  }
  const room =
    shortened === undefined ? 0 : (widths[shortened] ?? 0) - Math.min(slack, Math.max(0, excess()));
  return rows.map((row) =>
    columns
      .filter((column) => column < row.length)
      .map((column) => (column === shortened ? shorten(row[column] ?? '', room) : (row[column] ?? ''))),
  );
}

function widthsOf(rows: readonly (readonly string[])[]): number[] {
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, visibleLength(cell));
    });
  return widths;
}

function renderRow(row: readonly string[], widths: readonly number[], indent: string, width: number): string {
  const cells = row.slice(0, -1).map((cell, column) => pad(cell, (widths[column] ?? 0) + GAP));
  const head = `${indent}${cells.join('')}`;
  const last = row.at(-1) ?? '';
  const room = width - visibleLength(head);
  if (visibleLength(last) <= room) return `${head}${last}\n`;
  if (room < LEAST_ROOM) return `${head.trimEnd()}\n${wrapLine(`${indent}    ${last}`, width).join('\n')}\n`;
  return `${head}${wrapLine(last, room).join(`\n${' '.repeat(visibleLength(head))}`)}\n`;
}

function pad(cell: string, width: number): string {
  return cell + ' '.repeat(Math.max(0, width - visibleLength(cell)));
}
