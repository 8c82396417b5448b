import { saysSomething } from './labelled-text.ts';
import type { SummaryPart } from './summary-labels.ts';

const NAME = '([a-h]|\\d{1,2}|one|two|three|four)';
/** `Option A: …` and `Option A is to …` are options; `Option A is better` speaks of one. */
const NAMED = new RegExp(
  `\\boption[ \\t]+${NAME}\\b[*_]{0,3}(?:[ \\t]*\\([^()\\n]*\\))?[*_]{0,3}(?:[ \\t]*[:.)—–-]|[ \\t]+(?:is|would be|could be) to\\b)`,
  'gi',
);
/** The same as a title of what stands below it. */
const TITLED = new RegExp(
  `^[ \\t]*(?:#{1,6}[ \\t]+|[-*+•][ \\t]+)?[*_]{0,3}option[ \\t]+${NAME}[*_]{0,3}[ \\t]*$`,
  'gim',
);
/** `A) …`, `(2) …`, `1. …` and `B: …`, also in the middle of a line. */
const LETTERED = /(?<=^|[\s;,.:(*])\(?([a-h]|\d{1,2})(?:[).:]|\s+[—–-](?=\s))[*_]{0,3}\s+\S/gim;
const ROMAN = /(?<=^|[\s;,.:(*])\(?(i{1,3}|iv)(?:\)|\.(?=\s))[*_]{0,3}\s+\S/gim;
/** A subsection, or a line that begins in bold. */
const LEAD = /^[ \t]*(?:#{3,6}[ \t]+|\*\*(?=\S))(.*)$/gim;
/** `either this, or that`, and `first, …; second, …` in a sentence. */
const IN_WORDS = [
  /\beither\b[^\n]{1,500}?\bor\b/i,
  /\bfirst(?:ly)?[,:][^\n]{1,500}?\bsecond(?:ly)?[,:]/i,
  /\bone\b[^\n]{1,500}?\b(?:the other|another)\b/i,
];
/** `we could (1) …, or (2) …` says what there is to choose from without a label. */
const CHOICE =
  /\b(?:could|can|may|might|either|options?|alternatives?|choices?|ways)\b[^\n]{0,60}?\(?\b(?:1|a|i)\)\s[^\n]{1,600}?\b(?:2|b|ii)\)\s/i;
const LIST_ITEM = /^([ \t]*)(?:[-*+•]|\(?(?:\d{1,2}|[a-h])[.)])[ \t]+(.*)$/gim;

/** How many options there are, by whichever way of writing them shows most. */
export function countOptions(parts: readonly SummaryPart[]): number {
  const listed = parts.filter(({ label }) => label === 'options').map(({ text }) => text);
  const anywhere = parts
    .filter(({ label }) => label !== 'recommendation' && label !== 'impact')
    .map(({ text }) => text);
  // What is recommended may be told before what there is to choose from.
  const late = parts
    .filter(({ label }) => label === 'recommendation' || label === 'impact')
    .map(afterFirstLine);
  return Math.max(
    namesIn([...anywhere, ...late], NAMED).size,
    namesIn([...anywhere, ...late], TITLED).size,
    ...listed.map((text) => itemsIn(text) || leadsIn(text)),
    ...listed.map((text) => inOrder(namesIn([text], LETTERED))),
    ...listed.map((text) => inOrder(namesIn([text], ROMAN))),
    anywhere.some((text) => CHOICE.test(text)) ? 2 : 0,
    ...listed.map((text) => (IN_WORDS.some((pattern) => pattern.test(text)) ? 2 : 0)),
  );
}

function afterFirstLine({ text }: SummaryPart): string {
  return text.split('\n').slice(1).join('\n');
}

function namesIn(texts: readonly string[], pattern: RegExp): ReadonlySet<string> {
  return new Set(
    texts.flatMap((text) => [...text.matchAll(pattern)].map((match) => (match[1] ?? '').toLowerCase())),
  );
}

/** Only the outermost list: below an option stand its trade-offs. */
function itemsIn(text: string): number {
  const items = [...text.matchAll(LIST_ITEM)].map(([, indent = '', rest = '']) => ({
    indent: indent.length,
    rest: rest.trim().toLowerCase(),
  }));
  const outermost = Math.min(...items.map(({ indent }) => indent));
  const own = items.filter(({ indent, rest }) => indent === outermost && saysSomething(rest));
  return new Set(own.filter(({ rest }) => !TRADE_OFF.test(rest)).map(({ rest }) => rest)).size;
}

/** Where no list is: below one, bold words begin what is no option. */
function leadsIn(text: string): number {
  const leads = [...text.matchAll(LEAD)].map(([, lead = '']) => lead.trim().toLowerCase());
  return new Set(leads.filter((lead) => saysSomething(lead) && !TRADE_OFF.test(lead))).size;
}

const TRADE_OFF = /^[*_]*(?:pros?|cons?|trade-?offs?|advantages?|disadvantages?|upsides?|downsides?)\b/i;

/** Names count as far as none is left out: a lone `e.` or `2.` is no option. */
function inOrder(names: ReadonlySet<string>): number {
  const run = (all: readonly string[]): number => {
    const gap = all.findIndex((name) => !names.has(name));
    return gap < 0 ? all.length : gap;
  };
  return Math.max(
    run(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']),
    run(['1', '2', '3', '4', '5', '6', '7', '8']),
    run(['i', 'ii', 'iii', 'iv']),
  );
}
