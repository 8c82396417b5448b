/** The escape sequences that colour a text in a terminal. */
export const COLOUR = new RegExp(`${String.fromCharCode(27)}\\[[0-9;:]*m`, 'g');

const PLAIN = /^[ -~]*$/;
/** Characters of two columns: those of East Asian scripts and emoji. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u;
/** Accents and other marks share the column of the character before them. */
const MARK = /[\p{Mark}\u200d]/u;

/** How many columns of a terminal a text takes: colours take none, East Asian characters and emoji two. */
export function visibleLength(text: string): number {
  const shown = text.replace(COLOUR, '');
  if (PLAIN.test(shown)) return shown.length;
  let columns = 0;
  for (const character of shown) columns += MARK.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return columns;
}
