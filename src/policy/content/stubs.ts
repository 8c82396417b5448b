import type { CodeLanguage, CodeText } from './code-text.ts';
import type { ContentNote } from './content-note.ts';
import { type FunctionBody, findFunctions } from './function-bodies.ts';

/**
 * Functions that do nothing, or only say that they do nothing. The marks of unfinished work are written with brackets here, because no
 * file of this project may have one.
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

/** Names of functions that are meant to be empty. */
const MEANT_EMPTY = /^(?:constructor|__init__|__construct|noop|no_op|nop|~\w+|init|main)$/i;

/** Stubs, and lines of comments and texts elsewhere that say that something is still to be done. */
export function findUnfinished(text: string, code: CodeText, language: CodeLanguage): ContentNote[] {
  const stubs = findFunctions(code, language).flatMap((found) => {
    const what = stubKind(found);
    return what === null ? [] : [{ ...found, what }];
  });
  const marks = linesThatSaySo(text, code.lineOf).filter(
    ({ at }) => !stubs.some(({ start, end }) => at >= start && at <= end),
  );
  return [
    ...stubs.map(({ name, line, what }) => ({ kind: 'stub' as const, line, text: `${name}() ${what}` })),
    ...marks.map(({ at, line }) => ({ kind: 'unfinished' as const, line, text: excerptAt(text, at) })),
  ];
}

function stubKind({ name, body, isAbstract }: FunctionBody): string | null {
  if (isAbstract) return null;
  if (ONLY_THROWS.some((form) => form.test(body))) return 'only throws';
  if (ONLY_PRINTS.test(body)) return 'only says that it is not done';
  if (!DOES_NOTHING.test(body) || MEANT_EMPTY.test(name)) return null;
  return body === '' || /^(?:pass|\.\.\.|:|;)/.test(body)
    ? 'has an empty body'
    : `only does \`${body.replace(/;$/, '')}\``;
}

const UNFINISHED =
  /\b(?:T[O]DO|FIX[M]E)\b|\bnot[ _-](?:yet[ _-])?implemented\b|\bNotImplemented(?:Error|Exception)?\b/gi;
const MAX_EXCERPT = 80;

/** The first such mark of each line. */
function linesThatSaySo(
  text: string,
  lineOf: CodeText['lineOf'],
): { readonly at: number; readonly line: number }[] {
  const byLine = new Map<number, number>();
  for (const { index, 0: found } of text.matchAll(UNFINISHED)) {
    // In small letters the mark is a word like any other.
    const isMark = found === found.toUpperCase() || /implemented/i.test(found);
    if (isMark && !byLine.has(lineOf(index))) byLine.set(lineOf(index), index);
  }
  return [...byLine].map(([line, at]) => ({ at, line }));
}

/** The line around a place, cut where it is long. */
export function excerptAt(text: string, index: number): string {
  const start = text.lastIndexOf('\n', index - 1) + 1;
  const end = text.indexOf('\n', index);
  const line = text.slice(start, end < 0 ? text.length : end).trim();
  return line.length > MAX_EXCERPT ? `${line.slice(0, MAX_EXCERPT)}…` : line;
}
