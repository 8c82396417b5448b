import type { LabelledPart, LabelPattern } from './labelled-text.ts';

export type SummaryLabel =
  | 'type'
  | 'description'
  | 'spec'
  | 'section'
  | 'quote'
  | 'options'
  | 'recommendation'
  | 'impact';

export type SummaryPart = LabelledPart<SummaryLabel>;

export const UNRESOLVED = '(?:if|when|while|until)(?: (?:it is|this is|the blocker is))? (?:not |un)resolved';

const OTHER_DESCRIPTIONS =
  'blocker|blocking issue|summary|context|background|blocked(?: by| on)?|problem|issue|details|cause|what(?: is blocking(?: progress)?| blocks(?: progress)?)?';

const BEFORE_OPTIONS =
  '(?:there are|we have|i see|i considered|possible|available|viable|the|these|following|two|three|several|[2-9])';

/** The parts of a blocked summary, and the labels that users and models write for them. */
export const SUMMARY_LABELS: readonly LabelPattern<SummaryLabel>[] = [
  { label: 'type', pattern: '(?:blocker )?type|type of (?:the )?blocker', inline: true },
  { label: 'description', pattern: 'description', inline: true },
  { label: 'description', pattern: OTHER_DESCRIPTIONS, inline: false },
  { label: 'spec', pattern: 'spec(?:ification)?[ -]ref(?:erence)?s?|spec(?:ification)?', inline: true },
  { label: 'spec', pattern: '(?:spec )?(?:file path|file|path)|references?', inline: false },
  { label: 'section', pattern: 'section(?:s|\\(s\\))?(?: name)?', inline: true },
  { label: 'quote', pattern: '(?:relevant )?quot(?:e|ation)', inline: true },
  {
    label: 'options',
    pattern: `(?:${BEFORE_OPTIONS} ){0,4}(?:options|alternatives)(?: (?:considered|available|are|(?:with|and) trade-?offs))?`,
    inline: true,
  },
  {
    label: 'recommendation',
    pattern: '(?:my )?recommend(?:ation|s)?|recommended(?: option| approach)?',
    inline: true,
  },
  {
    label: 'impact',
    pattern: `impact(?: ${UNRESOLVED}| (?:if|of|on|when)(?: [\\w'’-]+){1,6})?|consequences?|${UNRESOLVED}`,
    inline: true,
  },
];
