/** One line of a message in Markdown, or in the form a terminal renders it. */
export interface MessageLine {
  readonly form: 'blank' | 'foreign' | 'rule' | 'title' | 'item' | 'row' | 'prose';
  /** Without Markdown markup and quotations. */
  readonly text: string;
  /** Ticked in a list: done, even under a heading such as "Acceptance criteria". */
  readonly ticked: boolean;
  readonly indent: number;
  /** 1 to 6 for `#`, 7 for bold titles and titles without markup; 0 for everything else. */
  readonly level: number;
}

/** A longer line is pasted output, not a report. */
const LONGEST_LINE = 2_000;

/** A shorter line is not assumed to be hard-wrapped. */
const WRAPPED_AT = 50;

export function readMessageLines(text: string): MessageLine[] {
  const lines = joinWrappedLines(removeCodeBlocks(text).split(/\r\n|\r|\n/));
  return lines.map((line, index) => readLine(line, () => nextLine(lines, index)));
}

const QUOTE = /^>/;
const OPEN_BOX = /^(?:[-*+•]|\d+[.)])?\s*\[ ?\]/;
const RULE = /^(?:-{3,}|\*{3,}|_{3,}|[─━═]{3,})$/;
const TABLE_RULE = /^(?:\|?(?:\s*:?-+:?\s*\|)+\s*:?-*:?\s*\|?|[├┌└][─┼┬┴┤┐┘├└┌]+)$/;
const TABLE_ROW = /^[|│]/;
const HEADING = /^#{1,6}\s+/;
const BOLD_TITLE = /^(?:\*\*|__)[^*_]+(?:\*\*|__)\s*:?$/;
const ITEM = /^(?:[-*+•–—●◦▪]|\(?\d+[.)]|[a-z]\))\s+/;
/** Ticks and filled boxes before an item or a sentence. */
const TICK = /^(?:(?:\[[xX]\]|✅|✓|✔|☑|🟢)\uFE0F?\s*)+/u;
const CROSS = /^(?:❌|✗|✘|⚠|🔴|🟡|⏳|☐|🚧)/u;

function readLine(line: string, next: () => string): MessageLine {
  const trimmed = line.trim();
  const indent = line.length - line.trimStart().length;
  const read = (form: MessageLine['form'], content = '', more: Partial<MessageLine> = {}): MessageLine => ({
    form,
    text: stripMarkup(content),
    ticked: false,
    indent,
    level: 0,
    ...more,
  });
  if (trimmed === '') return read('blank');
  if (line.length > LONGEST_LINE || QUOTE.test(trimmed) || OPEN_BOX.test(trimmed)) return read('foreign');
  if (TABLE_RULE.test(trimmed)) return read('foreign');
  if (RULE.test(trimmed)) return read('rule');
  if (TABLE_ROW.test(trimmed)) return read('row', joinCells(trimmed));
  const marks = HEADING.exec(trimmed)?.[0];
  if (marks !== undefined) return read('title', trimmed.slice(marks.length), { level: marks.trim().length });
  if (BOLD_TITLE.test(trimmed)) return read('title', trimmed, { level: 7 });
  const isItem = ITEM.test(trimmed) || TICK.test(trimmed) || CROSS.test(trimmed);
  if (!isItem && isTitleOfList(trimmed, next))
    return read('title', trimmed, { level: trimmed.endsWith(':') ? 0 : 7 });
  const item = trimmed.replace(ITEM, '').replace(/^\*\*(?=[✅✓✔☑])/u, '');
  return read(isItem ? 'item' : 'prose', item.replace(TICK, ''), { ticked: TICK.test(item) });
}

function nextLine(lines: readonly string[], index: number): string {
  for (const line of lines.slice(index + 1, index + 4)) if (line.trim() !== '') return line.trim();
  return '';
}

/** Treats `Summary` on a line of its own above a list or a table as a heading without markup. */
function isTitleOfList(line: string, next: () => string): boolean {
  if (!/^\p{L}[\p{L}\d'/& -]{0,40}(?: \([^()]{1,80}\))?:?$/u.test(line)) return false;
  if (line.replace(/\(.*/, '').trim().split(/\s+/).length > 5) return false;
  return line.endsWith(':') || [ITEM, TICK, TABLE_ROW].some((form) => form.test(next()));
}

/** Rejoins hard-wrapped lines: a full line without closing punctuation, followed by a lower-case one. */
function joinWrappedLines(lines: readonly string[]): readonly string[] {
  const unwrapped: string[] = [];
  for (const line of lines) {
    const last = unwrapped.at(-1) ?? '';
    const isOpen = last.length >= WRAPPED_AT && !/(?:[.!?:;|│]|^\s*[|>#│].*)\s*$/.test(last);
    const continues =
      /^\s*[a-z(]/.test(line) ||
      (/\b(?:at|in|to|the|an?|of|for|with|from)\s*$/.test(last) && /^\s*\S/.test(line));
    if (isOpen && continues && !ITEM.test(line.trim()))
      unwrapped[unwrapped.length - 1] = `${last} ${line.trim()}`;
    else unwrapped.push(line);
  }
  return unwrapped;
}

/** Turns `| Tests | 46 passed |` into `Tests: 46 passed`. */
function joinCells(row: string): string {
  return row
    .split(/(?<!\\)[|│]/)
    .map((cell) => cell.trim())
    .filter((cell) => cell !== '')
    .join(': ');
}

/** Removes code blocks, which are not part of the report; an unclosed fence extends to the end. */
function removeCodeBlocks(text: string): string {
  return text.replace(/(```+|~~~+)[\s\S]*?(?:\1|$)/g, '\n');
}

/** Removes emphasis and quotations, and reduces links to their text. */
function stripMarkup(text: string): string {
  return text
    .replaceAll('’', "'")
    .replace(/^(?:(?![✅✓✔☑❌✗✘⚠])\p{Extended_Pictographic}\uFE0F?\s*)+/u, '')
    .replace(/\*\*|__(?=\S)|(?<=\S)__/g, '')
    .replace(/(?<=^|\s)\*(?=\S)([^*]+)\*/g, '$1')
    .replace(/\[([^\]]+)\]\([^)\s]*\)/g, '$1')
    .replace(/["“][^"“”`]*\s[^"“”`]*["”]/g, '"…"')
    .trim();
}
