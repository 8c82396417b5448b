import type { LabelledPart, LabelWords } from './labelled-text.ts';

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
export const SUMMARY_LABELS: readonly LabelWords<SummaryLabel>[] = [
  { label: 'type', words: '(?:blocker )?type|type of (?:the )?blocker', inline: true },
  { label: 'description', words: 'description', inline: true },
  { label: 'description', words: OTHER_DESCRIPTIONS, inline: false },
  { label: 'spec', words: 'spec(?:ification)?[ -]ref(?:erence)?s?|spec(?:ification)?', inline: true },
  { label: 'spec', words: '(?:spec )?(?:file path|file|path)|references?', inline: false },
  { label: 'section', words: 'section(?:s|\\(s\\))?(?: name)?', inline: true },
  { label: 'quote', words: '(?:relevant )?quot(?:e|ation)', inline: true },
  {
    label: 'options',
    words: `(?:${BEFORE_OPTIONS} ){0,4}(?:options|alternatives)(?: (?:considered|available|are|(?:with|and) trade-?offs))?`,
    inline: true,
  },
  {
    label: 'recommendation',
    words: '(?:my )?recommend(?:ation|s)?|recommended(?: option| approach)?',
    inline: true,
  },
  {
    label: 'impact',
    words: `impact(?: ${UNRESOLVED}| (?:if|of|on|when)(?: [\\w'’-]+){1,6})?|consequences?|${UNRESOLVED}`,
    inline: true,
  },
];
