export interface JsonBounds {
  readonly levels: number;
  readonly values: number;
}

const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = '\\'.charCodeAt(0);
const COMMA = ','.charCodeAt(0);
const OPENING = ['[', '{'].map((sign) => sign.charCodeAt(0));
const CLOSING = [']', '}'].map((sign) => sign.charCodeAt(0));

/**
 * Why a JSON text exceeds the limits of a report, or null. It is checked before parsing: a few megabytes of
 * brackets take a hundred times their size as parsed values, and the schema check recurses into them and records
 * every invalid value.
 */
export function boundsProblem(text: string, { levels, values }: JsonBounds): string | null {
  let depth = 0;
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charCodeAt(at);
    if (sign === QUOTE) at = endOfString(text, at);
    else if (CLOSING.includes(sign)) depth -= 1;
    else if (sign === COMMA || OPENING.includes(sign)) {
      count += 1;
      if (sign !== COMMA) depth += 1;
      if (depth > levels) return `is nested deeper than ${levels} levels`;
      if (count > values) return `contains more than ${values} values`;
    }
  }
  return null;
}

/** The end of the object that starts at `start`, or null if the text ends first. */
export function findObjectEnd(text: string, start: number): number | null {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const sign = text.charCodeAt(at);
    if (sign === QUOTE) at = endOfString(text, at);
    else if (OPENING.includes(sign)) depth += 1;
    else if (CLOSING.includes(sign)) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return null;
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const sign = text.charCodeAt(at);
    if (sign === QUOTE) return at;
    if (sign === BACKSLASH) at += 1;
  }
  return text.length;
}
