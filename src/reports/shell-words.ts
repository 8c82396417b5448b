const PLAIN_WORD = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** A word as a shell wants it; plain ones stay as they are. */
export function quoteWord(word: string): string {
  return PLAIN_WORD.test(word) ? word : singleQuoted(word);
}

/** Always in quotes; double ones where a shell would change nothing between them. */
export function quoteText(text: string): string {
  return /["$`\\!]/.test(text) ? singleQuoted(text) : `"${text}"`;
}

export function commandLine(words: readonly string[]): string {
  return words.map(quoteWord).join(' ');
}

function singleQuoted(text: string): string {
  return `'${text.replace(/'/g, `'\\''`)}'`;
}

/** A regular expression that finds the text; white space in it may be of any kind where it has line breaks. */
export function patternOf(text: string): string {
  return text
    .trim()
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replace(/\s*[\n\r\t]\s*/g, '\\s+');
}
