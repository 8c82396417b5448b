import { saysSomething } from './labelled-text.ts';
import type { SummaryPart } from './summary-labels.ts';

const NAME = '([a-h]|\\d{1,2}|one|two|three|four)';
/** `Option A: …` is an option; `Option A is better` speaks of one. */
const NAMED = new RegExp(
  `\\boption[ \\t]+${NAME}\\b[*_]{0,3}(?:[ \\t]*\\([^()\\n]*\\))?[*_]{0,3}[ \\t]*[:.)—–-]`,
  'gi',
);
/** `A) …`, `(2) …`, `1. …` and `B: …`, also in the middle of a line. */
const LETTERED = /(?<=^|[\s;,.:(*])\(?([a-h]|\d{1,2})(?:[).:]|\s+[—–-](?=\s))[*_]{0,3}\s+\S/gim;
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
    ...listed.map((text) => itemsIn(text)),
    ...listed.map((text) => inOrder(namesIn([text], LETTERED))),
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
  );
}
