import { type MessageLine, readMessageLines } from './lines.ts';

/**
 * Splits a final message into statements. Each records the section it belongs to, because the same line means
 * something different under "Next steps" than under "Changes".
 */
export interface Statement {
  /** One sentence, list item, table row or title, without Markdown markup. */
  readonly text: string;
  readonly section: SectionKind;
  readonly form: 'title' | 'item' | 'row' | 'prose';
  readonly ticked: boolean;
  /** The preceding sentence on the same line. */
  readonly before: string;
}

/** Whether the statement is a question; a question mark in code doesn't count. */
export function isQuestion({ text }: Statement): boolean {
  return /\?[\s"')\]]*$/.test(text.replace(/`[^`]*`/g, ''));
}

/** `planned`: planned, requested, asked or shown as an example, so nothing in the section is a report. */
export type SectionKind = 'plain' | 'planned' | 'created' | 'changed' | 'summary' | 'checks';

export function splitStatements(text: string): Statement[] {
  const statements: Statement[] = [];
  let section: Section = NO_SECTION;
  for (const line of readMessageLines(text)) {
    const { form, text } = line;
    if (form === 'blank' || form === 'foreign') continue;
    section = sectionAt(section, line);
    if (form === 'rule') continue;
    const kind = form === 'title' ? 'plain' : section.kind;
    let before = '';
    for (const sentence of splitSentences(text)) {
      if (!/[\p{L}\d✅✓✔]/u.test(sentence)) continue;
      const own = form === 'title' || form === 'row' ? null : readLabelledLine(sentence);
      statements.push({ ...(own ?? { text: sentence, section: kind, form }), ticked: line.ticked, before });
      before = sentence;
    }
    // `The following files were created:` introduces the list that follows.
    if ((form === 'prose' || form === 'item') && text.endsWith(':'))
      section = openSection(splitSentences(text).at(-1) ?? '', line, section);
  }
  return statements;
}

/** Treats `Files created: src/a.ts` as a section of one line. */
function readLabelledLine(sentence: string): Pick<Statement, 'text' | 'section' | 'form'> | null {
  const [whole = '', label = ''] = /^([a-z][a-z']*(?: [a-z']+){0,3}):\s+(?=\S)/i.exec(sentence) ?? [];
  const section = label === '' ? 'plain' : classifyTitle(label, false);
  if (section !== 'created' && section !== 'changed') return null;
  return { text: sentence.slice(whole.length), section, form: 'item' };
}

interface Section {
  readonly kind: SectionKind;
  /** A heading also covers paragraphs; an introduction (level 0) covers only the list below it. */
  readonly level: number;
  readonly hasItems: boolean;
  /** The section of an item covers the lines indented below it; after them the parent section continues. */
  readonly indent: number;
  readonly parent: Section | null;
}

const NO_SECTION: Section = { kind: 'plain', level: 0, hasItems: false, indent: -1, parent: null };

function openSection(title: string, line: MessageLine, parent: Section): Section {
  const kind = classifyTitle(title, line.form === 'title');
  const isItem = line.form === 'item';
  return {
    kind: isPlannedBelow(parent, line, kind) ? 'planned' : kind,
    level: line.level,
    hasItems: false,
    indent: isItem ? line.indent : -1,
    parent: isItem ? parent : null,
  };
}

/** Everything under a plan is planned too: its subheadings, its items, and bold titles that don't say otherwise. */
function isPlannedBelow(above: Section, line: MessageLine, kind: SectionKind): boolean {
  if (above.kind !== 'planned' || SETTLED.test(line.text)) return false;
  if (line.form !== 'title') return line.form === 'item';
  if (above.level === 0 || line.level <= above.level) return false;
  return line.level < 7 || kind === 'plain';
}

function sectionAt(section: Section, line: MessageLine): Section {
  if (line.form === 'rule') return NO_SECTION;
  if (line.form === 'title') return openSection(line.text, line, section);
  if (section.parent !== null && line.indent <= section.indent) return sectionAt(section.parent, line);
  if (line.form !== 'prose') return { ...section, hasItems: true };
  // A paragraph after the list of a section is about something else, even without a new heading.
  return section.level > 0 && !section.hasItems ? section : NO_SECTION;
}

/** Titles and introductions of sections that are not reports. */
const PLAN_TITLE =
  /\b(?:next|to-?do|to do|plan\w*|goals?|criteri\w+|requirements?|remaining|left|open|pending|should|would|could|will|i'd|i'll|suggest\w*|recommend\w*|propos\w+|possible|options?|alternatives?|expected|checklist|definition of done|not|no|message|examples?|before|how to|tasks?|ticket|issue|request|problem|root cause|question\w*|decision|follow-?ups?|future|limitations?|caveats|risks?|findings)\b/i;
const PLAN_INTRODUCTION =
  /\b(?:next|to-?do|to do|plan|goals?|criteri\w+|remaining|should|would|could|will|i'd|i'll|i'm|shall|suggest\w*|recommend\w*|propos\w+|options?|expected|not|message|examples?|if|how to|needs?|asked me|like this|can now)\b|^(?:your |the |my )?(?:you asked|task|ticket|request|requirements?)\b/i;
const SETTLED =
  /\b(?:done|completed?|met|passed|verified|finished|changes made|(?:i|we) did|(?:i|we)(?:'ve| have) (?!to|not)|in place|was|were|made|accomplished)\b|[✅✓✔]/iu;
const CREATED =
  /^(?:(?:the|following|all|new|these) )*(?:(?:new )?(?:test |source )?files? (?:(?:was|were|have been|i|i've) )?(?:created|added|generated|written)|(?:created|new|added)(?: (?:[\w-]+ )?(?:files?|modules?|components?|tests?|scripts?|pages?|documents?))?)$|\b(?:created|added|generated|wrote|written) (?:[\w-]+ ){0,4}files?$/i;
const CHANGED =
  /^(?:(?:the|key|main|major|code|core|other|all|my|summary of|list of|overview of|what) )*(?:changes?|changed|modifications?|modified|edits?|edited|improvements|updates|updated|refactor\w*|renamed|removed|deleted|fixes|bug ?fix(?:es)?|accomplish\w*|files? (?:changed|modified|updated|edited|touched)|features? (?:implemented|added)|i (?:changed|did|have (?:changed|done))|(?:was|has been|is) (?:changed|done|new|built|implemented|added|fixed)|'s (?:changed|new))\b|^(?:all )?(?:done|completed|finished)(?: (?:so far|tasks?|work|items|actions))?$|^what(?:'s| has| i| was)? (?:changed|new|done|did)\b|\b(?:made|done|applied) the following\b|\bfollowing (?:changes|edits|updates)\b|\bhere(?:'s| is) what (?:(?:i(?:'ve| have)?|we(?:'ve| have)?|was|has been|has) )?(?:did|done|changed|added|built|implemented|fixed|updated|shipped|accomplished|modified|created|ended up with)\b/i;
const SUMMARY = /^(?:(?:short|brief|pr|the) )*(?:summary|overview|description|highlights)$/i;
const CHECKS =
  /^(?:(?:the|unit|final|local|how i) )*(?:tests?|testing|tested|test results?|verification|verified|validation|validated|checks?|checked(?: it)?|quality checks?|results?|status|ci)\b/i;

function classifyTitle(title: string, isTitle: boolean): SectionKind {
  const words = title
    .replace(/\([^)]*\)/g, '')
    .replace(/^[^\p{L}\d`]+|[\s:.!*_]+$/gu, '')
    .replace(/^(?:step )?\d+[.)]\s*/i, '');
  const planned = isTitle ? PLAN_TITLE : PLAN_INTRODUCTION;
  if (planned.test(words) && !SETTLED.test(title)) return 'planned';
  if (CREATED.test(words)) return 'created';
  if (CHANGED.test(words)) return 'changed';
  if (SUMMARY.test(words)) return 'summary';
  return CHECKS.test(words) ? 'checks' : 'plain';
}

/** Splits after sentence punctuation, unless it is inside code. */
function splitSentences(text: string): string[] {
  const sentences: string[] = [];
  let start = 0;
  for (const match of text.matchAll(SENTENCE_END)) {
    const end = match.index + match[0].length;
    const sentence = text.slice(start, end);
    if ((sentence.split('`').length - 1) % 2 === 1) continue;
    sentences.push(sentence.trim());
    start = end;
  }
  const last = text.slice(start).trim();
  return last === '' ? sentences : [...sentences, last];
}

const SENTENCE_END = /[.!?;](?:\s*\p{Extended_Pictographic}\uFE0F?)?\s+/gu;
