import { COLOUR } from './visible-length.ts';

/**
 * Characters that must not reach a terminal or page unescaped in text from agents, programs and repositories: control
 * characters, invisible ones and those that reorder others. They become escapes such as `\u202e`.
 */
const UNSAFE =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/gu;
const HARMLESS = new Set(['\n', '\t']);
/** Emoji sequences: joiners and variation selectors inside them are allowed. */
const JOINED_EMOJI =
  /\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\ufe0f)?(?:\u200d\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\ufe0f)?)*/gu;

/** Escapes unsafe characters; line feeds and tabs stay. */
export function neutralise(text: string): string {
  return replaceUnsafe(text, escapeOf);
}

/** Replaces unsafe characters; line feeds, tabs and emoji stay. */
export function replaceUnsafe(text: string, replacementOf: (character: string) => string): string {
  if (!mayBeUnsafe(text)) return text;
  const replace = (part: string) =>
    part.replace(UNSAFE, (character) => (HARMLESS.has(character) ? character : replacementOf(character)));
  let result = '';
  let from = 0;
  for (const emoji of text.matchAll(JOINED_EMOJI)) {
    result += replace(text.slice(from, emoji.index)) + emoji[0];
    from = emoji.index + emoji[0].length;
  }
  return result + replace(text.slice(from));
}

/** Like `neutralise`, for program output: also removes colour codes and carriage returns before line feeds. */
export function plainText(text: string): string {
  return mayBeUnsafe(text) ? neutralise(text.replace(COLOUR, '').replace(/\r+/g, dropBeforeLineFeed)) : text;
}

/** Drops carriage returns before a line feed. A single `\r+\n` would take quadratic time on a run of `\r`. */
function dropBeforeLineFeed(run: string, at: number, text: string): string {
  return text[at + run.length] === '\n' ? '' : run;
}

/** A character that a reader can't see, or that changes the order of others. */
export interface HiddenCharacter {
  readonly index: number;
  /** Its escape, as `neutralise` prints it. */
  readonly shown: string;
}

/** Finds hidden characters in a source file. Allows all line endings and a byte order mark at the start. */
export function findHidden(text: string): HiddenCharacter[] {
  if (!mayBeUnsafe(text)) return [];
  const emoji = [...text.matchAll(JOINED_EMOJI)].map(({ index, 0: found }) => [index, index + found.length]);
  const found: HiddenCharacter[] = [];
  let next = 0;
  for (const { index, 0: character } of text.matchAll(UNSAFE)) {
    while ((emoji[next]?.[1] ?? Number.POSITIVE_INFINITY) <= index) next += 1;
    const isJoin = (emoji[next]?.[0] ?? Number.POSITIVE_INFINITY) <= index;
    const isFine = character === '\r' || character === '\f' || (index === 0 && character === '\ufeff');
    if (!isJoin && !isFine && !HARMLESS.has(character)) found.push({ index, shown: escapeOf(character) });
  }
  return found;
}

/** Puts the text on one line, with single spaces. */
export function collapseSpace(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Like `collapseSpace`, and escapes unsafe characters. */
export function oneLine(text: string): string {
  return plainText(collapseSpace(text));
}

/** Formats JSON with unsafe characters as JSON escapes; it parses to the same values. */
export function formatJson(value: unknown, indent = 2): string {
  return JSON.stringify(value, null, indent).replace(UNSAFE, (character) =>
    HARMLESS.has(character) ? character : inUtf16(character),
  );
}

/** Fast path: most text is plain ASCII. */
function mayBeUnsafe(text: string): boolean {
  return NOT_PLAIN.test(text);
}

const NOT_PLAIN = /[^\t\n -~]/;

function escapeOf(character: string): string {
  if (character === '\r') return '\\r';
  const code = character.codePointAt(0) ?? 0;
  const digits = code.toString(16);
  if (code < 0x100) return `\\x${digits.padStart(2, '0')}`;
  return code > 0xffff ? `\\u{${digits}}` : `\\u${digits.padStart(4, '0')}`;
}

function inUtf16(character: string): string {
  return Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');
}
