import { didYouMean } from '../../diagnostics/did-you-mean.ts';
import { countOptions } from './blocker-options.ts';
import { countWords, hasContent, normalizeText, readLabelled } from './labelled-text.ts';
import type { ContractProblem, ProblemCode } from './problem-codes.ts';
import { checkSpecReference } from './spec-quotation.ts';
import { SUMMARY_LABELS, type SummaryLabel, type SummaryPart, UNRESOLVED } from './summary-labels.ts';

export const BLOCKER_TYPES = [
  'spec-ambiguity',
  'spec-contradiction',
  'spec-gap',
  'external-dependency',
  'technical-constraint',
  'debugging-limit',
] as const;
export type BlockerType = (typeof BLOCKER_TYPES)[number];

/** The type and the description of a blocker, on one line for users. */
export function describeBlocker(summary: string): string {
  const text = normalizeText(summary);
  const parts = readLabelled(text, SUMMARY_LABELS);
  const described = parts.find(({ label, text: words }) => label === 'description' && hasContent(words));
  const [line = ''] = (described?.text ?? text).trim().split('\n', 1);
  const type = findBlockerType(parts, text);
  return type === null || described === undefined ? line : `${type}: ${line}`;
}

/** Checks the parts that the contract requires in a blocked summary; messages use the contract's names for them. */
export function checkBlockedSummary(summary: string): readonly ContractProblem[] {
  const text = normalizeText(summary);
  const parts = readLabelled(text, SUMMARY_LABELS);
  const type = findBlockerType(parts, text);
  const has = (label: SummaryLabel) => parts.some((part) => part.label === label && hasContent(part.text));
  const options = countOptions(parts);
  return [
    ...(type === null ? [missing('WR206', describeMissingType(parts))] : []),
    ...(hasDescription(parts)
      ? []
      : [missing('WR207', '`Description` is missing: say what is blocking progress')]),
    ...(options >= 2 ? [] : [missing('WR208', describeMissingOptions(options))]),
    ...(has('recommendation') || RECOMMENDS.test(text)
      ? []
      : [missing('WR209', '`Recommendation` is missing: name the option you recommend and why')]),
    ...(has('impact') || IMPACT.test(text)
      ? []
      : [missing('WR210', '`Impact` is missing: say what happens if the blocker is not resolved')]),
    ...(type?.startsWith('spec-') === true ? checkSpecReference(type, parts) : []),
  ];
}

const RECOMMENDS =
  /\b(?:i|we)(?:'d|’d| would| strongly)? (?:recommend|suggest|propose)\s+\S|\brecommendation (?:is|would be)\s+\S|^recommend(?:ing)?\s+\S/im;

const ANSWERED = '(?:resolved|answered|decided|clarified|fixed|addressed)';
const IMPACT = new RegExp(
  [
    `\\b${UNRESOLVED}\\b,?\\s+\\S`,
    `\\bif\\b[^.\\n]{0,60}\\b(?:not|never) ${ANSWERED}\\b`,
    `\\b(?:unless|until)\\b[^.\\n]{1,60}\\b${ANSWERED}\\b`,
  ].join('|'),
  'i',
);

/** After its label a type may be written with a space; elsewhere only the exact spelling counts. */
const LOOSE_TYPE = new RegExp(`\\b(?:${BLOCKER_TYPES.join('|').replaceAll('-', '[-_ ]')})\\b`, 'i');
const EXACT_TYPE = new RegExp(`\\b(?:${BLOCKER_TYPES.join('|')})\\b`, 'i');

function findBlockerType(parts: readonly SummaryPart[], text: string): BlockerType | null {
  const labelled = parts.filter(({ label }) => label === 'type').map((part) => LOOSE_TYPE.exec(part.text));
  const [word] = [...labelled, EXACT_TYPE.exec(text)].find((match) => match !== null) ?? [];
  const plain = word?.toLowerCase().replace(/[_ ]/g, '-');
  return BLOCKER_TYPES.find((type) => type === plain) ?? null;
}

function describeMissingType(parts: readonly SummaryPart[]): string {
  const given = parts.find(({ label }) => label === 'type')?.text.split(/[\s.;,]/)[0] ?? '';
  const known = `it is one of ${BLOCKER_TYPES.join(', ')}`;
  if (!hasContent(given)) return `\`Blocker type\` is missing: ${known}`;
  const near = didYouMean(given.replace(/[*_`"]/g, ''), BLOCKER_TYPES);
  const hint = near === null ? known : `did you mean ${near}?`;
  return `\`Blocker type\` is "${given}": ${hint}`;
}

/** A text without a label and with fewer words does not describe the blocker. */
const DESCRIBING_WORDS = 4;

function hasDescription(parts: readonly SummaryPart[]): boolean {
  return parts.some(({ label, text }) => {
    if (label === 'description') return hasContent(text.replace(LOOSE_TYPE, ''));
    if (label !== null && label !== 'type') return false;
    const prose = text.replace(/^#{1,6} .*$/gm, '').replace(LOOSE_TYPE, '');
    return countWords(prose) >= DESCRIBING_WORDS;
  });
}

function describeMissingOptions(count: number): string {
  return count === 0
    ? '`Options` is missing: give at least two options with their trade-offs'
    : '`Options` has only one option: give at least two with their trade-offs';
}

function missing(code: ProblemCode, message: string): ContractProblem {
  return { path: 'summary', code, message };
}
