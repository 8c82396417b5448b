import { hasContent, type LabelPattern, normalizeText, readLabelled } from './labelled-text.ts';
import type { ContractProblem } from './problem-codes.ts';

type Label = 'step' | 'why' | 'tried';

const LABELS: readonly LabelPattern<Label>[] = [
  {
    label: 'step',
    pattern:
      '(?:failed |failing |validation )*(?:step|validator|check|command)|which (?:validation )?step(?: failed)?|failed validation',
    inline: true,
  },
  {
    label: 'why',
    pattern:
      "why(?: (?:it|this)(?: is|'s))?(?: (?:out of|outside)(?: of)?(?: my| the| its)? scope)?|(?:out of|outside)(?: of)?(?: my| the| its)? scope|reason",
    inline: true,
  },
  { label: 'tried', pattern: 'tried|attempts?|attempted|what (?:i|was) tried', inline: true },
];

const FAILS =
  "(?:fail(?:s|ed|ing|ures?)?|broken?|breaks|red|errors?|exit(?:s|ed)?|timed out|times out|crash(?:es|ed)?|reports?|can(?:no|')t (?:run|pass|compile)|(?:could|did|does) not (?:run|pass|compile))";
/** The rest of a sentence: a dot in `./...` or `a.ts` does not end it. */
const MORE = '(?:[^.!?\\n]|\\.{2,}|[.!?](?!\\s|$)){0,160}?';
/** `the security-scan step` names one; `the validation step` and `this check` don't. */
const NO_NAMES =
  'an?|the|this|that|these|those|one|some|each|every|its|my|any|all|last|final|first|second|next|same|other|another|whole|failed|failing|required|which|validation|pre-?submit';
/** Names of validations. `validation`, `check` and `step` alone don't name one. */
const STEPS = `(?:${[
  '`[^`\\n]+`',
  '"[^"\\n]+"',
  '“[^”\\n]+”',
  `(?!(?:${NO_NAMES})\\b)[\\w-]{1,60} (?:step|validator|check|job|hook|scan|suite)`,
  '(?:unit|integration|e2e|end-to-end|smoke|regression|acceptance)?[ -]?tests?',
  'lint(?:er|ing)?|type[ -]?check(?:s|er|ing)?|build|compil(?:e|er|ation)|format(?:ter|ting)?|coverage|harness',
  'tsc|biome|eslint|oxlint|prettier|vitest|jest|mocha|playwright|cypress',
  'pytest|mypy|ruff|tox|rspec|gradle|maven|ctest|clippy',
  '(?:npm|pnpm|yarn|npx|bun|deno|make|cargo|go|dotnet|bundle|uv) [\\w:.-]+',
  '[\\w./-]{1,200}\\.(?:test|spec)\\.\\w+',
].join('|')})`;
const NAMED = new RegExp(
  `(?<![\\w-])${STEPS}(?![\\w-])${MORE}\\b${FAILS}\\b|\\b${FAILS}\\b${MORE}(?<![\\w-])${STEPS}(?![\\w-])`,
  'i',
);

const OUTSIDE = [
  /\b(?:outside|out[- ]of|beyond|not (?:listed )?(?:in|within|part of))\b[^.!?\n]{0,40}\b(?:scope|control|change|task|item|reach)\b/i,
  /\b(?:unrelated|not related)\b|\bpre-?exist(?:s|ing|ed)\b|\bnot caused by\b|\bnothing to do with\b|\bindependent of\b/i,
  /\b(?:already|also)\b[^.!?\n]{0,30}\b(?:fail|broken|red)/i,
  /\b(?:before|without)\b[^.!?\n]{0,20}\b(?:my|this|these|the|any) (?:change|patch|work|edit)/i,
  /\b(?:fails?|failed|red|broken)\b[^.!?\n]{0,30}\bon (?:the )?(?:base|main|master|default|trunk)\b/i,
  /\bout-of-scope\b|\bupstream\b|\bthird[- ]party\b|\bnot allowed to\b|\b(?:must|may) not be (?:touched|changed|modified)\b/i,
  /\b(?:because|since|due to|caused by|owing to)\b\s+\S/i,
  /\b(?:does|do|did) not touch\b|\b(?:exists?|present) on (?:the )?(?:base|main|master|default|trunk)\b/i,
  /\b(?:i|we) (?:can(?:no|')t|can’t|could not|may not|must not|am not able to) (?:change|touch|edit|modify|fix|install|reach)\b/i,
  /\bno\b[^.!?\n]{1,40}\bavailable\b|\bwhich (?:i|we) can(?:no|')t\b/i,
  /\b(?:owned by|belongs to|another (?:task|item|team|module|package))\b/i,
  /\bdebugging[- ]limits?\b|\blimits? (?:was|were|is) reached\b|\b(?:network|environment|infrastructure|registry|credentials?|service)\b[^.!?\n]{0,60}\b(?:unavailable|unreachable|missing|down|not available|offline|blocked)\b/i,
];

/** Checks that the summary names the failed step and says why the agent can't fix it. What was tried is not checked. */
export function checkValidationSummary(summary: string): readonly ContractProblem[] {
  const text = normalizeText(summary);
  const parts = readLabelled(text, LABELS);
  const has = (label: Label) => parts.some((part) => part.label === label && hasContent(part.text));
  const named = has('step') || NAMED.test(text);
  const outside = has('why') || OUTSIDE.some((pattern) => pattern.test(text));
  return [
    ...(named ? [] : [problem('WR214', 'the summary does not name the validation step that failed')]),
    ...(outside
      ? []
      : [problem('WR215', 'the summary does not say why the failure is outside of the scope')]),
  ];
}

function problem(code: ContractProblem['code'], message: string): ContractProblem {
  return { path: 'summary', code, message };
}
