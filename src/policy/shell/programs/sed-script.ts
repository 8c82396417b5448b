import type { ScriptReach } from './awk-script.ts';

interface Reader {
  readonly text: string;
  /** Whether a delimiter inside a bracket expression is an ordinary character; sed implementations differ. */
  readonly sets: boolean;
  at: number;
  readonly files: string[];
  readonly lines: string[];
  hides: ScriptReach['hides'];
  isReadable: boolean;
}

export interface SedReach extends ScriptReach {
  readonly isReadable: boolean;
}

/**
 * Reads a script command by command: `e`, `w` and `W`, and the `s` flags of the same names, run programs or write
 * files.
 */
export function readSedScript(text: string): SedReach {
  const read = readScript(text, true);
  if (!read.isReadable || reaches(read)) return read;
  const other = readScript(text, false);
  return other.isReadable && reaches(other) ? other : read;
}

function reaches({ files, lines, hides }: ScriptReach): boolean {
  return files.length + lines.length > 0 || hides !== null;
}

function readScript(text: string, sets: boolean): SedReach {
  const reader: Reader = { text, sets, at: 0, files: [], lines: [], hides: null, isReadable: true };
  while (reader.at < text.length && reader.isReadable) {
    skip(reader, /[\s;}]/);
    if (reader.at >= text.length) break;
    if (!skipAddresses(reader)) reader.isReadable = false;
    skip(reader, /[\s!]/);
    if (reader.isReadable) readCommand(reader);
  }
  const { files, lines, hides, isReadable } = reader;
  return { files, lines, hides, isReadable };
}

function charAt({ text, at }: Reader): string {
  return text[at] ?? '';
}

function skip(reader: Reader, kind: RegExp): void {
  while (reader.at < reader.text.length && kind.test(charAt(reader))) reader.at += 1;
}

/** Takes the rest of the line, which belongs to the command. */
function takeLine(reader: Reader): string {
  const start = reader.at;
  skip(reader, /[^\n]/);
  return reader.text.slice(start, reader.at).trim();
}

function skipAddresses(reader: Reader): boolean {
  if (!skipAddress(reader)) return false;
  skip(reader, /[ \t]/);
  if (charAt(reader) !== ',') return true;
  reader.at += 1;
  skip(reader, /[ \t+~]/);
  return skipAddress(reader);
}

/** False if a regular expression is not terminated. An empty address is valid. */
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

/** Skips to the next delimiter and over it. */
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

function readCommand(reader: Reader): void {
  const command = charAt(reader);
  reader.at += 1;
  switch (command) {
    case 'e': {
      const line = takeLine(reader);
      // Without an argument, `e` runs its input.
      if (line === '') reader.hides = 'program';
      else reader.lines.push(line);
      return;
    }
    case 'w':
    case 'W':
      reader.files.push(takeLine(reader));
      return;
    case 's':
      if (skipTwoParts(reader, reader.sets)) readFlags(reader);
      else reader.isReadable = false;
      return;
    case 'y':
      reader.isReadable = skipTwoParts(reader, false);
      return;
    case 'a':
    case 'i':
    case 'c':
      skipText(reader);
      return;
    case 'r':
    case 'R':
    case '#':
      skip(reader, /[^\n]/);
      return;
    case ':':
    case 'b':
    case 't':
    case 'T':
    case 'v':
      skip(reader, /[^\n;}]/);
      return;
    case 'q':
    case 'Q':
    case 'l':
    case 'L':
      skip(reader, /[ \t\d]/);
      return;
    default:
      if (command !== '' && !'{=dDgGhHnNpPxzF'.includes(command)) reader.isReadable = false;
  }
}

function skipTwoParts(reader: Reader, sets: boolean): boolean {
  const delimiter = charAt(reader);
  reader.at += 1;
  if (/^[\\\n]?$/.test(delimiter)) return false;
  return skipPart(reader, delimiter, sets) && skipPart(reader, delimiter, false);
}

function readFlags(reader: Reader): void {
  skip(reader, /[gpiImM\d]/);
  if (charAt(reader) === 'e') {
    reader.hides = 'program';
    reader.at += 1;
    skip(reader, /[gpiImM\d]/);
  }
  if (charAt(reader) === 'w') {
    reader.at += 1;
    reader.files.push(takeLine(reader));
  } else if (!/^[\s;}#]?$/.test(charAt(reader))) reader.isReadable = false;
}

/** A backslash at the end of a line continues the text on the next line. */
function skipText(reader: Reader): void {
  for (; reader.at < reader.text.length && charAt(reader) !== '\n'; reader.at += 1)
    if (charAt(reader) === '\\') reader.at += 1;
}
