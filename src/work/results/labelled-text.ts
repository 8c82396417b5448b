/** A part of a text under a label, such as `Options:`. The text before the first label has none. */
export interface LabelledPart<Label extends string> {
  readonly label: Label | null;
  readonly text: string;
}

export interface LabelPattern<Label extends string> {
  readonly label: Label;
  /** Source of a regular expression for the label. */
  readonly pattern: string;
  /** Whether the label may also be in the middle of a line, as in `Type: spec-gap. Options: …`. */
  readonly inline: boolean;
}

/** Longer than any real summary. It bounds the time of a check, since an agent may write anything. */
const READ_LENGTH = 20_000;

/** Normalises a text before it is split into parts: line endings, tables, long white space and length. */
export function normalizeText(text: string): string {
  const plain = text
    .slice(0, READ_LENGTH)
    .replace(/\r\n?/g, '\n')
    .replace(/[^\S\n]{20,}/g, ' '.repeat(20))
    .replace(/\n{3,}/g, '\n\n');
  return flattenTables(plain);
}

const BULLET = '(?:>[ \\t]*)?(?:#{1,6}[ \\t]+)?(?:[-*+•][ \\t]+)?(?:\\(?\\d{1,2}[.)][ \\t]+)?';
const MARKS = '[*_`]{0,3}';
const ASIDE = '(?:[ \\t]*\\([^()\\n]{0,80}\\))?';

/**
 * Splits a text at its labels, in the formats that agents use: at the start of a line or after a sentence,
 * bold or plain, in any case, with a colon or a dash; as a heading; alone on a line in bold; in brackets.
 */
export function readLabelled<Label extends string>(
  text: string,
  labels: readonly LabelPattern<Label>[],
): readonly LabelledPart<Label>[] {
  const found = labels
    .flatMap((label) => findLabel(text, label))
    .sort((a, b) => a.start - b.start || b.end - a.end);
  const parts: LabelledPart<Label>[] = [];
  let label: Label | null = null;
  let from = 0;
  for (const one of found) {
    if (one.start < from) continue;
    parts.push({ label, text: partText(text.slice(from, one.start)) });
    label = one.label;
    from = one.end;
  }
  parts.push({ label, text: partText(text.slice(from)) });
  return parts.filter((part) => part.label !== null || part.text !== '');
}

/**
 * Removes blank lines around the text. The first line keeps its indentation, which distinguishes list entries
 * from nested ones.
 */
function partText(text: string): string {
  const below = /^[ \t]*\n\s*?(?=[ \t]*\S)/.exec(text)?.[0];
  return (below === undefined ? text.trimStart() : text.slice(below.length)).trimEnd();
}

interface Found<Label> {
  readonly label: Label;
  readonly start: number;
  readonly end: number;
}

function findLabel<Label extends string>(text: string, { label, pattern, inline }: LabelPattern<Label>) {
  const name = `${MARKS}(?:${pattern})${ASIDE}${MARKS}`;
  const patterns = [
    new RegExp(`^[ \\t]*${BULLET}${name}[ \\t]*(?::${MARKS}|[ \\t][—–-](?=\\s)|[—–])`, 'gim'),
    new RegExp(
      `^[ \\t]*(?:#{1,6}[ \\t]+(?:\\d{1,2}[.)][ \\t]+)?${name}|${BULLET}\\*\\*(?:${pattern})${ASIDE}\\*\\*)[ \\t]*$`,
      'gim',
    ),
    new RegExp(`^[ \\t]*${BULLET}${MARKS}\\[(?:${pattern})\\]${MARKS}[ \\t]*:?${MARKS}`, 'gim'),
  ];
  const found = patterns.flatMap((pattern) => matches(text, pattern, label));
  if (!inline) return found;
  const middle = new RegExp(`(?<=[.;,!?|)"”—–][ \\t]*|\\*\\*)${name}[ \\t]*:${MARKS}`, 'gi');
  // After a space only, a lower case word usually belongs to the sentence: `the content type: json`.
  const capital = new RegExp(`(?<=[ \\t])${name}[ \\t]*:${MARKS}`, 'gi');
  return [
    ...found,
    ...matches(text, middle, label),
    ...matches(text, capital, label).filter(({ start }) => /^[*_`]*[A-Z]/.test(text.slice(start, start + 5))),
  ];
}

function matches<Label>(text: string, pattern: RegExp, label: Label): readonly Found<Label>[] {
  return [...text.matchAll(pattern)].map((match) => ({
    label,
    start: match.index,
    end: match.index + match[0].length,
  }));
}

/** Placeholders without content. */
const VAGUE =
  /^(?:none|nothing|n\/?a|not applicable|unknown|unclear|tbd|to be (?:done|decided)|see above|see below|yes|no)$/i;

/** From the first letter or digit to the last. */
const CONTENT = /[\p{L}\p{N}](?:.*[\p{L}\p{N}])?/su;

/** Whether the text has any content. */
export function hasContent(text: string): boolean {
  const bare = CONTENT.exec(text)?.[0];
  return bare !== undefined && !VAGUE.test(bare);
}

export function countWords(text: string): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

const ROW = /^[ \t]*\|(.*)$/;
const RULE = /^[ \t]*\|?(?:[ \t]*:?-+:?[ \t]*\|)*[ \t]*:?-+:?[ \t]*\|?[ \t]*$/;

/**
 * Rewrites the tables of a text as labelled lines, like the rest of it: a row of two cells as `- one: other`,
 * a longer row with the labels of the header. The header does not become a list item, because it is not an
 * entry of the table.
 */
function flattenTables(text: string): string {
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
  const [header = [], ...rows] = lines.filter((line) => !RULE.test(line)).map(splitCells);
  if (header.length > 2) return rows.flatMap((row) => labelledRow(header, row));
  return [header.join(': '), ...rows.map((row) => `- ${row.join(': ')}`)];
}

function labelledRow(header: readonly string[], row: readonly string[]): readonly string[] {
  return row.map((cell, index) => `${index === 0 ? '- ' : '  '}${header[index] ?? ''}: ${cell}`);
}

function splitCells(line: string): readonly string[] {
  return (ROW.exec(line)?.[1] ?? '')
    .replace(/\|[ \t]*$/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
}
