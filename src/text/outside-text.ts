/**
 * Text that agents, programs and repositories wrote. A terminal or a page must not obey it, and a reader must see all of it:
 * what is invisible or changes the order of the characters around it becomes an escape such as `\u202e`.
 */
const UNSAFE =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/gu;
const HARMLESS = new Set(['\n', '\t']);
/** Joins of emoji, and the selector that gives them their colours. */
const JOINED_EMOJI =
  /\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\ufe0f)?(?:\u200d\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\ufe0f)?)*/gu;
const ESC = '\\u001b';
const COLOUR = new RegExp(`${ESC}\\[[0-9;:]*m`, 'gu');

export function neutralise(text: string): string {
  if (!mayBeUnsafe(text)) return text;
  let result = '';
  let from = 0;
  for (const emoji of text.matchAll(JOINED_EMOJI)) {
    result += escapeUnsafe(text.slice(from, emoji.index)) + emoji[0];
    from = emoji.index + emoji[0].length;
  }
  return result + escapeUnsafe(text.slice(from));
}

/** As `neutralise`, for the output of programs: without the colours and line ends of their terminals. */
export function plainText(text: string): string {
  return mayBeUnsafe(text) ? neutralise(text.replace(COLOUR, '').replace(/\r+/g, withoutLineEnd)) : text;
}

/** Nothing in front of a line feed. An expression for both would look for it anew from each carriage return. */
function withoutLineEnd(run: string, at: number, text: string): string {
  return text[at + run.length] === '\n' ? '' : run;
}

/** A character that a reader can't see, or that changes the order of others. */
export interface HiddenCharacter {
  readonly index: number;
  /** As `neutralise` would show it. */
  readonly shown: string;
}

/** Characters of a source file that hide something. Line ends of any system and a byte order mark at the start are fine. */
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

/** On one line, with single spaces. */
export function collapseSpace(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** On one line, with single spaces and without unsafe characters. */
export function oneLine(text: string): string {
  return plainText(collapseSpace(text));
}

/** JSON for people and programs: the same values, with unsafe characters as escapes of JSON. */
export function formatJson(value: unknown, indent = 2): string {
  return JSON.stringify(value, null, indent).replace(UNSAFE, (character) =>
    HARMLESS.has(character) ? character : inUtf16(character),
  );
}

/** Most text is ASCII, and this is cheaper than looking for each kind of character. */
function mayBeUnsafe(text: string): boolean {
  return NOT_PLAIN.test(text);
}

const NOT_PLAIN = /[^\t\n -~]/;

function escapeUnsafe(text: string): string {
  return text.replace(UNSAFE, (character) => (HARMLESS.has(character) ? character : escapeOf(character)));
}

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
