/** The escape sequences that colour a text in a terminal. */
export const COLOUR = new RegExp(`${String.fromCharCode(27)}\\[[0-9;:]*m`, 'g');

/** How many characters a terminal shows of a text: colours take no room. */
export function visibleLength(text: string): number {
  return text.replace(COLOUR, '').length;
}
