import { hasContent } from './labelled-text.ts';
import type { ContractProblem, ProblemCode } from './problem-codes.ts';
import type { SummaryLabel, SummaryPart } from './summary-labels.ts';

/** A file with its folder, or the bare name of a document. */
const PATH =
  /(?:^|[\s`"'“(<[:])(?:(?:[\w.@~-]+\/)+[\w.@~-]*\w\.[A-Za-z]\w{0,7}|[\w.-]*\w\.(?:mdx?|markdown|txt|rst|adoc))(?![\w/])/m;

const NO_NAME =
  '(?!(?:is|are|was|were|does|do|of|that|which|about|has|have|and|or|in|for|on|to|it|there)\\b)';
const SECTIONS: readonly RegExp[] = [
  new RegExp(`\\b(?:sections?(?:\\(s\\))?|heading|chapter)[\\s:#"“'\`*_(]+${NO_NAME}[\\p{L}\\p{N}]`, 'iu'),
  /["”`*']\s+section\b/i,
  /§+\s*["“'`*]?[\p{L}\p{N}]/u,
  /\.(?:mdx?|markdown)#[\w-]/i,
  /\.(?:mdx?|markdown)[`"]*\s*\(\s*["“]?[\p{L}\p{N}]/iu,
  // `retry.md, Limits: "…"`: the text between the file and the quote.
  /\.(?:mdx?|markdown)[`"]*\s*[:,—–-]\s*(?!(?:which|where|it|that|says?|states?|the spec|lines?)\b)\p{L}[^"“\n]{0,60}[:,—–-]\s*["“]/iu,
  /\.(?:mdx?|markdown)[`)"]*\s*(?:>|›|→|»)\s*\S/i,
];
/** Section names are often quoted too, but they aren't quotes of the spec. */
const NAMED_SECTION =
  /\b(?:sections?(?:\(s\))?|heading|chapter|§+)[\s:]*(?:["“`*'][^"”`*'\n]*["”`*'](?:\s*(?:,|and)\s*)?)+|["“`][^"“”`\n]*["”`]\s+section\b/gi;
const QUOTES: readonly RegExp[] = [
  /["“„«][^"“”„«»\p{L}]{0,40}\p{L}[^"“”„«»]{0,2000}["”“»]/u,
  /(?:^|[\s(:])[‘'][^’'\n]+\s[^’'\n]+[’'](?=$|[\s.,;)])/m,
  /`[^`\n]+\s[^`\n]+\s[^`\n]+`/,
  /^\s*>\s*\S/m,
];

/** Checks that a spec blocker names the file and the section of the spec, and quotes it. */
export function checkSpecReference(type: string, parts: readonly SummaryPart[]): readonly ContractProblem[] {
  const text = referenceIn(parts);
  const named = (label: SummaryLabel) => parts.some((part) => part.label === label && hasContent(part.text));
  const missing = (code: ProblemCode, what: string): ContractProblem => ({
    path: 'summary',
    code,
    message: `\`Spec reference\` of a ${type} ${what}`,
  });
  const sections = named('section') || SECTIONS.some((pattern) => pattern.test(text));
  const bare = text.replace(NAMED_SECTION, ' ');
  const quotes = named('quote') || QUOTES.some((pattern) => pattern.test(bare));
  return [
    ...(PATH.test(text) ? [] : [missing('WR211', 'has no file path: name the file of the spec')]),
    ...(sections ? [] : [missing('WR212', 'has no section: name the section of the spec')]),
    ...(quotes ? [] : [missing('WR213', 'has no quote: quote the sentence of the spec that blocks you')]),
  ];
}

const REFERENCE: readonly (SummaryLabel | null)[] = ['spec', 'section', 'quote'];
const PROSE: readonly (SummaryLabel | null)[] = [...REFERENCE, 'description', 'type', null];

/** The text under the labels of the reference; without them, the description of the blocker. */
function referenceIn(parts: readonly SummaryPart[]): string {
  const labelled = parts.some(({ label }) => label === 'spec');
  const places = labelled ? REFERENCE : PROSE;
  return parts
    .filter(({ label }) => places.includes(label))
    .map(({ text }) => text)
    .join('\n');
}
