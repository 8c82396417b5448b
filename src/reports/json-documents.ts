import { findObjectEnd } from './json-bounds.ts';

/** A JSON object in a text that holds more than JSON. */
export type FoundJson =
  | { readonly kind: 'value'; readonly value: unknown }
  /** The text ends inside of it. */
  | { readonly kind: 'cut off' }
  | { readonly kind: 'refused'; readonly why: string };

/** How many times the length of the text is searched for ends of objects; braces without an end are searched each. */
const MAX_PASSES = 8;

/**
 * The outermost JSON objects of a text such as `npm test > out.json`, where a banner stands before the report and other
 * output around it. Objects inside of another one are never given: part of a report that was cut off is no report.
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
    // What is indented below an object without an end is most likely part of it.
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
    // It only looks like JSON, as what `console.log` prints of an object.
  }
}
