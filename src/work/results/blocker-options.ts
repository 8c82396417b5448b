import { hasContent } from './labelled-text.ts';
import type { SummaryPart } from './summary-labels.ts';

/**
 * Counts the options of a blocked summary. The format of the first option determines that of the others, so
 * that its trade-offs, steps and notes are not counted as options.
 */

const NAME = '([a-h]|\\d{1,2}|one|two|three|four)';
/** `Option A: …` and `Option A is to …` are options; `Option A is better` refers to one. */
const NAMED = new RegExp(
  `\\boption[ \\t]+${NAME}\\b[*_]{0,3}(?:[ \\t]*\\([^()\\n]*\\))?[*_]{0,3}(?:[ \\t]*[:.)—–-]|[ \\t]+(?:is|would be|could be) to\\b)(?=([^\\n]*))`,
  'gi',
);
/** The same as a title of the text below it. */
const TITLED = new RegExp(
  `^[ \\t]*(?:#{1,6}[ \\t]+|[-*+•][ \\t]+)?[*_]{0,3}option[ \\t]+${NAME}[*_]{0,3}[ \\t]*()$`,
  'gim',
);
const STARTS_WITH_NAME = new RegExp(`^[*_]{0,3}option[ \\t]+${NAME}\\b`, 'i');

const HEADING = /^[ \t]*(#{3,6})[ \t]+(.*)$/;
const BOLD_LEAD = /^[ \t]*\*\*(?=\S)(.*)$/;
const ITEM = /^([ \t]*)([-*+•]|\(?(?:\d{1,2}|[a-h])[.)])[ \t]+(.*)$/i;
/** `A) …`, `(2) …`, `1. …`, `B: …` and `(ii) …`, also in the middle of a line. */
const MARKER = /(?<=^|[\s;,.:(*])(\(?)(i{1,3}|iv|[a-h]|\d{1,2})([).:]|\s+[—–-](?=\s))[*_]{0,3}(?=\s+\S)/gim;
/** `either this, or that`, and `first, …; second, …` in a sentence. */
const IN_WORDS = [
  /(?:^|[.:!?]\s+|\b(?:can|could|may|might|must|should|would|to)\s+)either\b[^\n]{1,500}?\bor\b/i,
  /(?:^|[.:!?]\s+)first(?:ly)?[,:][^\n]{1,500}?\bsecond(?:ly)?[,:]/i,
  /\bone (?:is|would|could|option|way|choice)\b[^\n]{1,500}?\b(?:the other|another) (?:is|would|could|option|way|choice)\b/i,
];
/** `we could (1) …, or (2) …` lists options without a label. */
const CHOICE =
  /\b(?:could|can|may|might|either|options?|alternatives?|choices?|ways)\b[^\n]{0,60}?\(?\b(?:1|a|i)\)\s[^\n]{1,600}?\b(?:2|b|ii)\)\s/i;

const TRADE_OFF = /^[*_]*(?:pros?|cons?|trade-?offs?|advantages?|disadvantages?|upsides?|downsides?)\b/i;
/** Labels of remarks about an option; without the colon the word may start an option. */
const REMARK =
  /^[*_]*(?:benefits?|drawbacks?|risks?|costs?|effort|impact|notes?|why|reasons?|steps?|when|how)[*_]*[ \t]*(?::|[—–-][ \t])/i;
/** Notes at the level of the list apply to the whole list. */
const NOTES = /^[*_]*notes?\b/i;
/** `2. No other option` is a placeholder for a second one. */
const NO_OPTION =
  /^[*_("“]*(?:none\b|(?:there (?:is|are) )?(?:no|not any|nothing)\b[^.\n]{0,30}\b(?:other|others|further|more|else|second|alternatives?|options?)\b|(?:same as|see) (?:above|option|the first|[a-h1-9]\b))/i;

export function countOptions(parts: readonly SummaryPart[]): number {
  const listed = parts.filter(({ label }) => label === 'options').map(({ text }) => text);
  const count = Math.max(0, ...listed.map(countListed));
  // `Impact:` below an option ends the part, so the next option is read as part of the impact.
  const late = parts.filter(({ label }) => label === 'impact').map(afterFirstLine);
  if (count > 0) return listed.some(areNamed) ? Math.max(count, countNames([...listed, ...late])) : count;
  const anywhere = parts
    .filter(({ label }) => label !== 'recommendation' && label !== 'impact')
    .map(({ text }) => text);
  // The recommendation may come before the options.
  const recommended = parts.filter(({ label }) => label === 'recommendation').map(afterFirstLine);
  const inWords = anywhere.some((text) => CHOICE.test(text)) ? 2 : 0;
  return Math.max(countNames([...anywhere, ...recommended, ...late]), inWords);
}

function afterFirstLine({ text }: SummaryPart): string {
  return text.split('\n').slice(1).join('\n');
}

/** The number of options in the text under `Options`. */
function countListed(text: string): number {
  const lead = leadOf(text);
  const named = areNamed(text) ? countNames([text]) : 0;
  if (named > 0) return named;
  const lines = text.split('\n');
  if (HEADING.test(lead)) return countHeadings(lines);
  if (ITEM.test(lead)) return countItems(lines.slice(lines.indexOf(lead)));
  if (BOLD_LEAD.test(lead)) return countLeads(lines) || countMarkers(text);
  return countMarkers(text) || readCount(text);
}

/** The line that shows the format of the options; empty in prose. */
function leadOf(text: string): string {
  return text.split('\n').find((line) => [HEADING, ITEM, BOLD_LEAD].some((form) => form.test(line))) ?? '';
}

function areNamed(text: string): boolean {
  const line = leadOf(text);
  if (line === '') return true;
  const [, , , item] = ITEM.exec(line) ?? [];
  const [, , heading] = HEADING.exec(line) ?? [];
  return STARTS_WITH_NAME.test((item ?? heading ?? line).trim());
}

function countNames(texts: readonly string[]): number {
  const names = [NAMED, TITLED].map(
    (pattern) =>
      new Set(
        texts
          .flatMap((text) => [...text.matchAll(pattern)])
          .filter(([, , rest = '']) => rest.trim() === '' || isOption(rest.trim()))
          .map(([, name = '']) => name.toLowerCase()),
      ).size,
  );
  return Math.max(...names);
}

/** Subsections of one level; deeper ones describe an option. */
function countHeadings(lines: readonly string[]): number {
  const headings = lines.flatMap((line) => {
    const [, level = '', title = ''] = HEADING.exec(line) ?? [];
    return level === '' ? [] : [{ level, title }];
  });
  return countDistinct(
    headings.filter(({ level }) => level === headings[0]?.level).map(({ title }) => title),
  );
}

function countLeads(lines: readonly string[]): number {
  return countDistinct(lines.flatMap((line) => BOLD_LEAD.exec(line)?.[1] ?? []));
}

/** Entries of the list that starts with the first one; a deeper list, or one of another kind, describes an entry. */
function countItems(lines: readonly string[]): number {
  const items = lines.slice(0, endOfList(lines)).flatMap((line) => {
    const [, indent = '', sign = '', text = ''] = ITEM.exec(line) ?? [];
    return sign === '' ? [] : [{ indent: indent.length, kind: kindOf(sign), text }];
  });
  const own = items.filter(({ indent, kind }) => indent === items[0]?.indent && kind === items[0]?.kind);
  const count = countDistinct(own.map(({ text }) => text));
  // `1) … 2) …` on one line is one list entry in Markdown.
  return own.length === 1 && items[0]?.kind !== 'bullet'
    ? Math.max(count, countMarkers(lines[0] ?? ''))
    : count;
}

function kindOf(sign: string): 'bullet' | 'number' | 'letter' {
  if (/\d/.test(sign)) return 'number';
  return /[a-h]/i.test(sign) ? 'letter' : 'bullet';
}

/** A heading, or a line such as `Tried so far:`, ends the list. */
function endOfList(lines: readonly string[]): number {
  const end = lines.findIndex((line) => {
    if (ITEM.test(line)) return false;
    if (HEADING.test(line)) return true;
    const opens = /^\S.*:[*_]*\s*$|^\*\*[^*]+(?::\*\*|\*\*:)/.test(line);
    return opens && (NOTES.test(line) || ![TRADE_OFF, REMARK].some((pattern) => pattern.test(line)));
  });
  return end < 0 ? lines.length : end;
}

const SEQUENCES: readonly (readonly string[])[] = [
  ['i', 'ii', 'iii', 'iv'],
  ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'],
  ['1', '2', '3', '4', '5', '6', '7', '8'],
];

/** Markers of one style count as long as the sequence has no gap: a lone `e.` or `2.` is not an option. */
function countMarkers(text: string): number {
  const markers = [...text.matchAll(MARKER)].map((match) => ({
    name: (match[2] ?? '').toLowerCase(),
    style: `${match[1] ?? ''}${(match[3] ?? '').trim()}`,
    start: match.index,
    end: match.index + match[0].length,
  }));
  const first = markers.find(({ name }) => SEQUENCES.some(([start]) => start === name));
  const sequence = SEQUENCES.find(([start]) => start === first?.name) ?? [];
  const found = sequence.map((name) =>
    markers.find((marker) => marker.name === name && marker.style === first?.style),
  );
  const gap = found.indexOf(undefined);
  const run = (gap < 0 ? found : found.slice(0, gap)).filter((marker) => marker !== undefined);
  return countDistinct(run.map(({ end }, index) => text.slice(end, run[index + 1]?.start)));
}

function readCount(text: string): number {
  return CHOICE.test(text) || IN_WORDS.some((pattern) => pattern.test(text)) ? 2 : 0;
}

function countDistinct(texts: readonly string[]): number {
  const options = texts.filter((text) => isOption(text.trim()));
  return new Set(
    options.map((text) =>
      text
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]+/gu, ' ')
        .trim(),
    ),
  ).size;
}

function isOption(text: string): boolean {
  return hasContent(text) && ![TRADE_OFF, REMARK, NO_OPTION].some((pattern) => pattern.test(text));
}
