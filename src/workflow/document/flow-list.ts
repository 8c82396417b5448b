/** Words that need no quotes in a list, as those of most commands. */
const LIST_WORDS = /^\s*[\w./=-]+(?:\s+[\w./=-]+)*\s*$/;

/** `npm test` as the YAML list `[npm, test]`; null if a word would need quotes or a shell. */
export function flowList(text: string): string | null {
  return LIST_WORDS.test(text) ? `[${text.trim().split(/\s+/).join(', ')}]` : null;
}
