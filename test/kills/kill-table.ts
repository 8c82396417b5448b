import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { KILL_KINDS, type KillKind, type KillPlan } from './kill-plan.ts';
import type { Hit } from './life.ts';

export interface KillRecord {
  readonly plan: KillPlan;
  readonly hits: readonly Hit[];
  recovered: boolean;
  same: boolean;
}

const START = '<!-- kills -->';
const END = '<!-- /kills -->';

/** Writes the tables between the markers of a page, or creates the page. */
export function writeTables(path: string, seed: number, records: readonly KillRecord[]): void {
  const text = renderTables(seed, records);
  const page = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const [start, end] = [page.indexOf(START), page.indexOf(END)];
  const kept = start >= 0 && end > start;
  writeFileSync(
    path,
    kept ? `${page.slice(0, start + START.length)}\n\n${text}\n\n${page.slice(end)}` : `${text}\n`,
  );
}

/** The results of all kills as tables. */
function renderTables(seed: number, records: readonly KillRecord[]): string {
  const hits = records.flatMap((record) => record.hits);
  return [
    `Seed ${seed}: ${count(hits.length, 'kill')} of ${count(records.length, 'run')}.`,
    table(
      ['how it was killed', 'runs', 'kills', 'recovered', 'same end'],
      [...KILL_KINDS.map((kind) => rowOf(kind, records)), ['all', ...totalsOf(records)]],
    ),
    table(['last event on disk', 'kills'], countsOf(hits.map(({ lastEvent }) => `\`${lastEvent}\``))),
    table(
      ['git command', 'kills'],
      countsOf(hits.flatMap(({ kill }) => (kill.how === 'git' ? [kill.variant] : []))),
    ),
  ].join('\n\n');
}

function rowOf(kind: KillKind, records: readonly KillRecord[]): string[] {
  return [kind, ...totalsOf(records.filter(({ plan }) => plan.kind === kind))];
}

function totalsOf(records: readonly KillRecord[]): string[] {
  const kills = (some: readonly KillRecord[]) => some.reduce((sum, { hits }) => sum + hits.length, 0);
  return [
    records.length,
    kills(records),
    kills(records.filter(({ recovered }) => recovered)),
    kills(records.filter(({ same }) => same)),
  ].map(String);
}

function countsOf(args: readonly string[]): string[][] {
  const counts = new Map<string, number>();
  for (const word of args) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts]
    .sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]))
    .map(([word, n]) => [word, String(n)]);
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}

/** Columns are as wide as their widest cell. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(3, title.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
