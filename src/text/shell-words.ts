const PLAIN_WORD = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** A word as a shell wants it; plain ones stay as they are. */
export function quoteWord(word: string): string {
  return PLAIN_WORD.test(word) ? word : singleQuoted(word);
}

/** Always in quotes; double ones where a shell would change nothing between them. */
export function quoteText(text: string): string {
  return /["$`\\!]/.test(text) ? singleQuoted(text) : `"${text}"`;
}

/** A command line that can be pasted into a shell. */
export function commandLine(
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

/** In single quotes, whatever it contains. */
export function singleQuoted(text: string): string {
  return `'${text.replace(/'/g, `'\\''`)}'`;
}

/** A regular expression that finds the text; white space in it may be of any kind where it has line breaks. */
export function patternOf(text: string): string {
  return text
    .trim()
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replace(/\s*[\n\r\t]\s*/g, '\\s+');
}
