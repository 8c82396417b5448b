import type { CodeLanguage, CodeText } from './code-text.ts';
import type { ContentNote } from './content-note.ts';
import { type FunctionBody, findFunctions } from './function-bodies.ts';

/**
 * Functions that do nothing, or only say that they do nothing. The markers of unfinished work are written with
 * brackets here, because no file of this project may contain one.
 */

const ONLY_THROWS: readonly RegExp[] = [
  /^throw\b[^;]*;?$/,
  /^(?:return\s+)?Promise\.reject\s*\([^;]*\);?$/,
  /^(?:todo|unimplemented|panic|unreachable)!\s*[([{][^;]*[)\]}];?$/,
  /^(?:panic|fatalError|preconditionFailure|T[O]DO|error)\s*\([^;]*\);?$/,
  /^\?\?\?$/,
  /^raise\b[^\n]*$/,
  /^(?:abort|assert)\s*\(\s*(?:false|0)?[^;]*\);?$/,
];

const DOES_NOTHING = /^(?:pass|\.\.\.|:|true|return(?:\s+(?:0|None|nil|null|undefined|self|this))?|;)?;?$/;
/** A stub that only prints that it is one. */
const ONLY_PRINTS =
  /^(?:echo|print|puts|console\.\w+|System\.out\.println|fmt\.Print\w*|println!)\b[^;\n]*(?:T[O]DO|FIX[M]E|not (?:yet )?implemented)[^;\n]*;?$/i;

/** Names of functions that may be empty on purpose. */
const EMPTY_ON_PURPOSE = /^(?:constructor|__init__|__construct|noop|no_op|nop|~\w+|init|main)$/i;

/** Finds stubs, and other lines that say that something is unfinished. */
export function findUnfinished(text: string, code: CodeText, language: CodeLanguage): ContentNote[] {
  const stubs = findFunctions(code, language).flatMap((found) => {
    const what = stubKind(found);
    return what === null ? [] : [{ ...found, what }];
  });
  const markers = findMarkers(text, code.lineOf).filter(
    ({ at }) => !stubs.some(({ start, end }) => at >= start && at <= end),
  );
  return [
    ...stubs.map(({ name, line, what }) => ({ kind: 'stub' as const, line, text: `${name}() ${what}` })),
    ...markers.map(({ at, line }) => ({ kind: 'unfinished' as const, line, text: excerptAt(text, at) })),
  ];
}

function stubKind({ name, body, isAbstract }: FunctionBody): string | null {
  if (isAbstract) return null;
  if (ONLY_THROWS.some((form) => form.test(body))) return 'only throws';
  if (ONLY_PRINTS.test(body)) return 'only says that it is not done';
  if (!DOES_NOTHING.test(body) || EMPTY_ON_PURPOSE.test(name)) return null;
  return body === '' || /^(?:pass|\.\.\.|:|;)/.test(body)
    ? 'has an empty body'
    : `only does \`${body.replace(/;$/, '')}\``;
}

const UNFINISHED =
  /\b(?:T[O]DO|FIX[M]E)\b|\bnot[ _-](?:yet[ _-])?implemented\b|\bNotImplemented(?:Error|Exception)?\b/gi;
const MAX_EXCERPT = 80;

/** The first marker on each line. */
function findMarkers(
  text: string,
  lineOf: CodeText['lineOf'],
): { readonly at: number; readonly line: number }[] {
  const byLine = new Map<number, number>();
  for (const { index, 0: found } of text.matchAll(UNFINISHED)) {
    // In lower case the marker is an ordinary word.
    const isMarker = found === found.toUpperCase() || /implemented/i.test(found);
    if (isMarker && !byLine.has(lineOf(index))) byLine.set(lineOf(index), index);
  }
  return [...byLine].map(([line, at]) => ({ at, line }));
}

/** The line around an offset, truncated if it is long. */
export function excerptAt(text: string, index: number): string {
  const start = text.lastIndexOf('\n', index - 1) + 1;
  const end = text.indexOf('\n', index);
  const line = text.slice(start, end < 0 ? text.length : end).trim();
  return line.length > MAX_EXCERPT ? `${line.slice(0, MAX_EXCERPT)}…` : line;
}
