const ROW = /^[ \t]*\|(.*)$/;
const RULE = /^[ \t]*\|?(?:[ \t]*:?-+:?[ \t]*\|)*[ \t]*:?-+:?[ \t]*\|?[ \t]*$/;

/**
 * Rewrites the tables of a text as labelled lines, like the rest of it: a row of two cells as `- one: other`,
 * a longer row with the labels of the header. The header does not become a list item, because it is not an
 * entry of the table.
 */
export function withoutTables(text: string): string {
  const lines = text.split('\n');
  const out: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const end = endOfTable(lines, at);
    if (end === at) out.push(lines[at] ?? '');
    else out.push(...linesOfTable(lines.slice(at, end)));
    at = Math.max(end, at + 1);
  }
  return out.join('\n');
}

function endOfTable(lines: readonly string[], start: number): number {
  let end = start;
  while (ROW.test(lines[end] ?? '')) end += 1;
  return end;
}

function linesOfTable(lines: readonly string[]): readonly string[] {
  const [header = [], ...rows] = lines.filter((line) => !RULE.test(line)).map(cellsOf);
  if (header.length > 2) return rows.flatMap((row) => labelledRow(header, row));
  return [header.join(': '), ...rows.map((row) => `- ${row.join(': ')}`)];
}

function labelledRow(header: readonly string[], row: readonly string[]): readonly string[] {
  return row.map((cell, index) => `${index === 0 ? '- ' : '  '}${header[index] ?? ''}: ${cell}`);
}

function cellsOf(line: string): readonly string[] {
  return (ROW.exec(line)?.[1] ?? '')
    .replace(/\|[ \t]*$/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
}
