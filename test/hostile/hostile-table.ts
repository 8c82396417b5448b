import { readFileSync, writeFileSync } from 'node:fs';
import { type HostileAgent, MODES, type Mode, type Verdict } from './hostile-agent.ts';

export interface Cell {
  readonly agent: string;
  readonly mode: Mode;
  readonly verdict: Verdict;
}

const START = '<!-- hostile -->';
const END = '<!-- /hostile -->';

/** Writes the table between the markers of a page. */
export function writeTable(path: string, agents: readonly HostileAgent[], cells: readonly Cell[]): void {
  writeFileSync(path, pageWithTable(path, agents, cells));
}

/** The page with this table in it. */
export function pageWithTable(path: string, agents: readonly HostileAgent[], cells: readonly Cell[]): string {
  const page = readFileSync(path, 'utf8');
  const [start, end] = [page.indexOf(START), page.indexOf(END)];
  if (start < 0 || end < start) throw new Error(`${path} has no markers for the table`);
  return `${page.slice(0, start + START.length)}\n\n${render(agents, cells)}\n\n${page.slice(end)}`;
}

function render(agents: readonly HostileAgent[], cells: readonly Cell[]): string {
  const rows = agents.map((agent) => [
    agent.does,
    ...MODES.map(
      (mode) => cells.find((cell) => cell.agent === agent.name && cell.mode === mode)?.verdict ?? '–',
    ),
    typeof agent.sign === 'string' ? `\`${agent.sign}\`` : agent.sign.label,
  ]);
  const head = ['an agent that', 'no sandbox', 'bubblewrap', 'recorded as'];
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (parts: readonly string[]) =>
    `| ${parts.map((part, column) => part.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
