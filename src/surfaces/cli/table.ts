/** Columns padded to their widest cell; the last one is left as it is. Widths ignore colour. */
export function renderTable(rows: readonly (readonly string[])[], indent = ''): string {
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, visibleLength(cell));
    });
  return rows
    .map((row) => `${indent}${row.map((cell, column) => pad(cell, column, row, widths)).join('  ')}\n`)
    .join('');
}

function pad(cell: string, column: number, row: readonly string[], widths: readonly number[]): string {
  if (column === row.length - 1) return cell;
  return cell + ' '.repeat((widths[column] ?? 0) - visibleLength(cell));
}

const COLOUR = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');

export function visibleLength(text: string): number {
  return text.replace(COLOUR, '').length;
}
