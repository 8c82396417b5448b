/** One statement of a text, without its marks. */
export interface Statement {
  readonly sentence: string;
  /** The heading or introduction it stands under; empty where that says nothing about it. */
  readonly section: string;
}

/** What stands under such a heading is wished for, shown or asked, and not told. */
const NOT_TOLD =
  /\b(?:next|todo|to do|to-do|plan\w*|goals?|criteri\w+|requirements?|remaining|should|would|could|suggest\w*|recommend\w*|proposed|options?|expected|checklist|definition of done|not (?:yet )?(?:done|implemented|started)|message|example|output|before)\b/i;

/** Nobody reports in lines that are longer. */
const LONGEST_LINE = 2_000;

/** Code, quotations, tables and boxes without a tick are not the agent's own report. */
export function statementsOf(text: string): Statement[] {
  const statements: Statement[] = [];
  let section = '';
  for (const line of text.replace(/```[\s\S]*?(?:```|$)/g, '\n').split(/\r\n|\r|\n/)) {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.length > LONGEST_LINE || FOREIGN.test(trimmed)) continue;
    const item = trimmed.replace(MARKS, '');
    if (/^#|:\**$/.test(trimmed)) section = NOT_TOLD.test(trimmed) ? trimmed : '';
    else if (item === trimmed && !section.startsWith('#')) section = '';
    for (const sentence of plain(item).split(/(?<=[.!?;])\s+/))
      if (sentence !== '') statements.push({ sentence, section });
  }
  return statements;
}

const FOREIGN = /^(?:>|\||[-*+]\s+\[ \])/;

/** Without emphasis, and with the text of links alone. */
function plain(text: string): string {
  return text
    .replaceAll('’', "'")
    .replaceAll('**', '')
    .replace(/\[([^\]]+)\]\([^)\s]*\)/g, '$1')
    .trim();
}

/** In front of an item of a list, ticks and filled boxes included. */
const MARKS = /^(?:(?:[-*+•✓✔✅☑]|\d+[.)]|\[[xX]\])\uFE0F?\s+)+/u;
