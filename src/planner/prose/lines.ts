/** Reads the lines of a message in Markdown, or in what a terminal makes of it. */
export interface MessageLine {
  readonly form: 'blank' | 'foreign' | 'rule' | 'title' | 'item' | 'row' | 'prose';
  /** Without Markdown marks, and without what is quoted. */
  readonly words: string;
  /** Ticked in a list: done, even under a heading such as "Acceptance criteria". */
  readonly ticked: boolean;
  readonly indent: number;
  /** 1 to 6 for `#`, 7 for bold and for titles without marks; 0 for everything else. */
  readonly level: number;
}

/** A longer line is pasted output, not a report. */
const LONGEST_LINE = 2_000;

/** No one wraps lines more narrowly than this. */
const WRAPPED_AT = 50;

export function messageLines(text: string): MessageLine[] {
  const lines = unwrap(withoutFences(text).split(/\r\n|\r|\n/));
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
/** Ticks and filled boxes in front of an item or a sentence. */
const TICK = /^(?:(?:\[[xX]\]|✅|✓|✔|☑|🟢)\uFE0F?\s*)+/u;
const CROSS = /^(?:❌|✗|✘|⚠|🔴|🟡|⏳|☐|🚧)/u;

function readLine(line: string, next: () => string): MessageLine {
  const trimmed = line.trim();
  const indent = line.length - line.trimStart().length;
  const read = (form: MessageLine['form'], words = '', more: Partial<MessageLine> = {}): MessageLine => ({
    form,
    words: plainText(words),
    ticked: false,
    indent,
    level: 0,
    ...more,
  });
  if (trimmed === '') return read('blank');
  if (line.length > LONGEST_LINE || QUOTE.test(trimmed) || OPEN_BOX.test(trimmed)) return read('foreign');
  if (TABLE_RULE.test(trimmed)) return read('foreign');
  if (RULE.test(trimmed)) return read('rule');
  if (TABLE_ROW.test(trimmed)) return read('row', cellsOf(trimmed));
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

/** `Summary` on a line of its own above a list or a table is a heading without its marks. */
function isTitleOfList(line: string, next: () => string): boolean {
  if (!/^\p{L}[\p{L}\d'/& -]{0,40}(?: \([^()]{1,80}\))?:?$/u.test(line)) return false;
  if (line.replace(/\(.*/, '').trim().split(/\s+/).length > 5) return false;
  return line.endsWith(':') || [ITEM, TICK, TABLE_ROW].some((form) => form.test(next()));
}

/** Puts hard-wrapped lines back together: a full line without a stop that goes on in lower case. */
function unwrap(lines: readonly string[]): readonly string[] {
  const joined: string[] = [];
  for (const line of lines) {
    const last = joined.at(-1) ?? '';
    const isOpen = last.length >= WRAPPED_AT && !/(?:[.!?:;|│]|^\s*[|>#│].*)\s*$/.test(last);
    const goesOn =
      /^\s*[a-z(]/.test(line) ||
      (/\b(?:at|in|to|the|an?|of|for|with|from)\s*$/.test(last) && /^\s*\S/.test(line));
    if (isOpen && goesOn && !ITEM.test(line.trim())) joined[joined.length - 1] = `${last} ${line.trim()}`;
    else joined.push(line);
  }
  return joined;
}

/** `| Tests | 46 passed |` reads as `Tests: 46 passed`. */
function cellsOf(row: string): string {
  return row
    .split(/(?<!\\)[|│]/)
    .map((cell) => cell.trim())
    .filter((cell) => cell !== '')
    .join(': ');
}

/** Code is not the agent's report; a fence that was never closed lasts to the end. */
function withoutFences(text: string): string {
  return text.replace(/(```+|~~~+)[\s\S]*?(?:\1|$)/g, '\n');
}

/** Without emphasis and without what is quoted, and with the text of links alone. */
function plainText(text: string): string {
  return text
    .replaceAll('’', "'")
    .replace(/^(?:(?![✅✓✔☑❌✗✘⚠])\p{Extended_Pictographic}\uFE0F?\s*)+/u, '')
    .replace(/\*\*|__(?=\S)|(?<=\S)__/g, '')
    .replace(/(?<=^|\s)\*(?=\S)([^*]+)\*/g, '$1')
    .replace(/\[([^\]]+)\]\([^)\s]*\)/g, '$1')
    .replace(/["“][^"“”`]*\s[^"“”`]*["”]/g, '"…"')
    .trim();
}
