/** What becomes of a sed script once it runs, as far as its text tells. */
export type SedVerdict = 'harmless' | 'acts' | 'unreadable';

interface Reader {
  readonly text: string;
  /** Whether a delimiter in a set of characters is one of them; not every sed thinks so. */
  readonly sets: boolean;
  at: number;
}

/** Reads a script command by command: `e`, `w` and `W`, and the flags of `s` by these names, reach further than its text. */
export function readSedScript(text: string): SedVerdict {
  const verdict = readScript({ text, sets: true, at: 0 });
  return verdict === 'harmless' && readScript({ text, sets: false, at: 0 }) === 'acts' ? 'acts' : verdict;
}

function readScript(reader: Reader): SedVerdict {
  const { text } = reader;
  while (reader.at < text.length) {
    skip(reader, /[\s;}]/);
    if (reader.at >= text.length) break;
    if (!skipAddresses(reader)) return 'unreadable';
    skip(reader, /[\s!]/);
    const verdict = readCommand(reader);
    if (verdict !== 'harmless') return verdict;
  }
  return 'harmless';
}

function charAt({ text, at }: Reader): string {
  return text[at] ?? '';
}

function skip(reader: Reader, kind: RegExp): void {
  while (reader.at < reader.text.length && kind.test(charAt(reader))) reader.at += 1;
}

function skipAddresses(reader: Reader): boolean {
  if (!skipAddress(reader)) return false;
  skip(reader, /[ \t]/);
  if (charAt(reader) !== ',') return true;
  reader.at += 1;
  skip(reader, /[ \t+~]/);
  return skipAddress(reader);
}

/** False where an expression does not end. No address is one too. */
function skipAddress(reader: Reader): boolean {
  const char = charAt(reader);
  if (/\d/.test(char)) skip(reader, /[\d~]/);
  else if (char === '$') reader.at += 1;
  else if (char === '/' || char === '\\') {
    reader.at += char === '\\' ? 1 : 0;
    const delimiter = charAt(reader);
    reader.at += 1;
    if (!skipPart(reader, delimiter, reader.sets)) return false;
    skip(reader, /[ \tIM]/);
  }
  return true;
}

const SET = /\[\^?\]?(?:\[[:.=][^\n]*?[:.=]\]|[^\]\n])*\]/y;

/** Up to and over the next delimiter. */
function skipPart(reader: Reader, delimiter: string, sets: boolean): boolean {
  for (; reader.at < reader.text.length; reader.at += 1) {
    const char = charAt(reader);
    SET.lastIndex = reader.at;
    if (char === '\\') reader.at += 1;
    else if (sets && char === '[' && SET.test(reader.text)) reader.at = SET.lastIndex - 1;
    else if (char === delimiter) {
      reader.at += 1;
      return true;
    }
  }
  return false;
}

function readCommand(reader: Reader): SedVerdict {
  const command = charAt(reader);
  reader.at += 1;
  switch (command) {
    case 'e':
    case 'w':
    case 'W':
      return 'acts';
    case 's':
      return skipTwoParts(reader, reader.sets) ? readFlags(reader) : 'unreadable';
    case 'y':
      return skipTwoParts(reader, false) ? 'harmless' : 'unreadable';
    case 'a':
    case 'i':
    case 'c':
      skipText(reader);
      return 'harmless';
    case 'r':
    case 'R':
    case '#':
      skip(reader, /[^\n]/);
      return 'harmless';
    case ':':
    case 'b':
    case 't':
    case 'T':
    case 'v':
      skip(reader, /[^\n;}]/);
      return 'harmless';
    case 'q':
    case 'Q':
    case 'l':
    case 'L':
      skip(reader, /[ \t\d]/);
      return 'harmless';
    default:
      return command === '' || '{=dDgGhHnNpPxzF'.includes(command) ? 'harmless' : 'unreadable';
  }
}

function skipTwoParts(reader: Reader, sets: boolean): boolean {
  const delimiter = charAt(reader);
  reader.at += 1;
  if (/^[\\\n]?$/.test(delimiter)) return false;
  return skipPart(reader, delimiter, sets) && skipPart(reader, delimiter, false);
}

function readFlags(reader: Reader): SedVerdict {
  skip(reader, /[gpiImM\d]/);
  if (/[ew]/.test(charAt(reader))) return 'acts';
  return /^[\s;}#]?$/.test(charAt(reader)) ? 'harmless' : 'unreadable';
}

/** A backslash at the end of a line takes the next one in. */
function skipText(reader: Reader): void {
  for (; reader.at < reader.text.length && charAt(reader) !== '\n'; reader.at += 1)
    if (charAt(reader) === '\\') reader.at += 1;
}
