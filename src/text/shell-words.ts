const PLAIN_WORD = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** Quotes a word for a shell if it needs quotes. */
export function quoteWord(word: string): string {
  return PLAIN_WORD.test(word) ? word : singleQuote(word);
}

/** Always quotes; uses double quotes if the shell would expand nothing inside them. */
export function quoteText(text: string): string {
  return /["$`\\!]/.test(text) ? singleQuote(text) : `"${text}"`;
}

/** A command line that can be pasted into a shell. */
export function formatCommand(
  words: readonly string[],
  place: {
    readonly cwd?: string | undefined;
    readonly env?: Readonly<Record<string, string>> | undefined;
  } = {},
): string {
  const settings = Object.entries(place.env ?? {}).map(([name, value]) => `${name}=${quoteWord(value)}`);
  const line = [...settings, ...words.map(quoteWord)].join(' ');
  return place.cwd === undefined ? line : `cd ${quoteWord(place.cwd)} && ${line}`;
}

/** Always uses single quotes. */
export function singleQuote(text: string): string {
  return `'${text.replace(/'/g, `'\\''`)}'`;
}

/** A regular expression that matches the text; a line break or tab in it matches any white space. */
export function escapePattern(text: string): string {
  return text
    .trim()
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replace(/\s*[\n\r\t]\s*/g, '\\s+');
}
