// Counts killed and surviving mutants per file, from the reports of the mutation tests.
import { readFileSync, writeFileSync } from 'node:fs';

const START = '<!-- figures -->';
const END = '<!-- end of figures -->';

/** A mutant that makes the tests hang is noticed as well as one that makes them fail. */
const KILLED = new Set(['Killed', 'Timeout']);
const LIVING = new Set(['Survived', 'NoCoverage']);

/** One line for each file, sorted by name. */
export function figuresOf(reports) {
  return reports
    .flatMap(({ files }) => Object.entries(files))
    .map(([path, { mutants }]) => figureOf(path, mutants))
    .filter(({ killed, living }) => killed + living > 0)
    .sort((a, b) => a.path.localeCompare(b.path));
}

function figureOf(path, mutants) {
  const count = (statuses) => mutants.filter(({ status }) => statuses.has(status)).length;
  return { path, killed: count(KILLED), living: count(LIVING), left: count(new Set(['Ignored'])) };
}

export function sumOf(figures, path) {
  const sum = { path, killed: 0, living: 0, left: 0 };
  for (const { killed, living, left } of figures) {
    sum.killed += killed;
    sum.living += living;
    sum.left += left;
  }
  return sum;
}

/** In per cent, cut off rather than rounded: what is just below a limit is below it. */
export function scoreOf({ killed, living }) {
  return Math.floor((1000 * killed) / Math.max(1, killed + living)) / 10;
}

/** A line for each folder and, under it, for each of its files. */
export function tableOf(folders) {
  return renderRows(
    folders.flatMap(({ folder, figures }) => [
      sumOf(figures, `**${folder}**`),
      ...figures.map((figure) => ({ ...figure, path: `\`${figure.path}\`` })),
    ]),
  );
}

export function renderRows(figures) {
  const rows = figures.map(cells);
  const header = ['file', 'mutants', 'killed', 'alive', 'score'];
  const widths = header.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at].length)));
  const line = (row) => `| ${row.map((cell, at) => cell.padEnd(widths[at])).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [line(header), rule, ...rows.map(line)].join('\n');
}

function cells(figure) {
  const { path, killed, living } = figure;
  return [path, String(killed + living), String(killed), String(living), `${scoreOf(figure).toFixed(1)} %`];
}

export function writeTable(page, table) {
  const text = readFileSync(page, 'utf8');
  const start = text.indexOf(START);
  const end = text.indexOf(END);
  if (start === -1 || end < start) throw new Error(`${page} has no place for the figures`);
  writeFileSync(page, `${text.slice(0, start + START.length)}\n\n${table}\n\n${text.slice(end)}`);
}
