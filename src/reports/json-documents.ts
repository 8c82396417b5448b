import { findObjectEnd } from './json-bounds.ts';

/** A JSON object in a text that contains more than JSON. */
export type FoundJson =
  | { readonly kind: 'value'; readonly value: unknown }
  /** The text ends inside the object. */
  | { readonly kind: 'cut off' }
  | { readonly kind: 'refused'; readonly why: string };

/**
 * Limits the search for the ends of objects to this many passes over the text, because each unclosed brace is
 * searched for separately.
 */
const MAX_PASSES = 8;

/**
 * Finds the outermost JSON objects in the output of a command such as `npm test > out.json`, with a banner and
 * other output around the report. Nested objects are never returned: a fragment of a truncated report is not a
 * report.
 */
export function* findJsonObjects(
  text: string,
  refuse: (object: string) => string | null,
): Generator<FoundJson> {
  const start = /\{(?=\s*")/g;
  let column = Number.POSITIVE_INFINITY;
  let searched = 0;
  for (let match = start.exec(text); match !== null; match = start.exec(text)) {
    if (searched > MAX_PASSES * text.length) return;
    const line = text.lastIndexOf('\n', match.index) + 1;
    const isLineStart = text.slice(line, match.index).trim() === '';
    searched += match.index - line;
    // Text indented below an unclosed object is most likely part of it.
    if (match.index - line > column || (column < Number.POSITIVE_INFINITY && !isLineStart)) continue;
    const end = findObjectEnd(text, match.index);
    searched += (end ?? text.length) - match.index;
    if (end === null) {
      if (!isLineStart) continue;
      column = match.index - line;
      yield { kind: 'cut off' };
      continue;
    }
    start.lastIndex = end;
    const object = text.slice(match.index, end);
    const why = refuse(object);
    if (why === null) yield* parse(object);
    else yield { kind: 'refused', why };
  }
}

function* parse(object: string): Generator<FoundJson> {
  try {
    yield { kind: 'value', value: JSON.parse(object) };
  } catch {
    // It only looks like JSON, such as an object printed by `console.log`.
  }
}
