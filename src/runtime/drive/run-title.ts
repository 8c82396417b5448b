import { collapseSpace, replaceUnsafe } from '../../text/outside-text.ts';

/** Maximum length of a title that is taken from the task. */
export const TASK_TITLE_LENGTH = 72;
/** Maximum length of any other title. */
export const TITLE_LENGTH = 200;

export interface TitleSources {
  /** From `run --title`. */
  readonly title: string | null;
  /** The input `task`. */
  readonly task: string | null;
  /** The description of the workflow. */
  readonly description: string;
  readonly workflowId: string;
}

/** The title of a run: one line from the first source that has text. */
export function runTitle({ title, task, description, workflowId }: TitleSources): string {
  return (
    titleLine(title, TITLE_LENGTH) ??
    titleLine(task, TASK_TITLE_LENGTH) ??
    titleLine(description, TITLE_LENGTH) ??
    workflowId
  );
}

/** The first line that is not blank, safe to print and truncated to `length`; null if there is none. */
function titleLine(text: string | null, length: number): string | null {
  for (const line of (text ?? '').split(LINE_END)) {
    const plain = cleanLine(line);
    if (plain !== '') return cutTo(plain, length);
  }
  return null;
}

const LINE_END = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/u;

const ESC = '\\u001b';
/** Terminal escape sequences: CSI such as colours, OSC such as links and window titles. */
const TERMINAL_SEQUENCE = new RegExp(
  `${ESC}\\[[0-?]*[ -/]*[@-~]|${ESC}\\][^\\u0007\\u001b]*(?:\\u0007|${ESC}\\\\)?`,
  'gu',
);

/** Drops unsafe characters; a lone surrogate becomes a replacement character. */
function cleanLine(line: string): string {
  const plain = line.replace(TERMINAL_SEQUENCE, '');
  return collapseSpace(replaceUnsafe(plain, (character) => (/\p{Cs}/u.test(character) ? '\ufffd' : '')));
}

/** Truncates between graphemes; the ellipsis counts towards the length. */
function cutTo(text: string, length: number): string {
  if ([...text].length <= length) return text;
  let kept = '';
  let count = 0;
  for (const { segment } of new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)) {
    count += [...segment].length;
    if (count > length - 1) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}
