/** A command line that can be pasted into a shell. */
export function shellLine(
  command: readonly string[],
  place: {
    readonly cwd?: string | undefined;
    readonly env?: Readonly<Record<string, string>> | undefined;
  } = {},
): string {
  const settings = Object.entries(place.env ?? {}).map(([name, value]) => `${name}=${shellWord(value)}`);
  const line = [...settings, ...command.map(shellWord)].join(' ');
  return place.cwd === undefined ? line : `cd ${shellWord(place.cwd)} && ${line}`;
}

function shellWord(word: string): string {
  return /^[\w./@:+,=%-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
