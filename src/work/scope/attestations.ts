import type { ScopeEntry } from '../bodies/scope-entry.ts';
import { entryPath, unquoted } from './coverage.ts';

/** A line of a summary that justifies the change of a file. */
export interface Attestation {
  readonly kind: 'incidental';
  readonly path: string;
  readonly why: string;
}

export interface Correction {
  readonly kind: 'correction';
  /** The path as listed under In Scope. */
  readonly listed: string;
  readonly actual: string;
  readonly why: string;
}

const LINE =
  /^[\s>]*(?:(?:[-*+•]|\d+[.)])\s+)*(?:\[[ xX]\]\s+)?[*_]{0,3}(incidental(?:\s+changes?)?|scope\s+corrections?)[*_]{0,3}\s*:[*_]{0,3}\s*(.+)$/i;
const ARROW = /->|→|=>/g;

/**
 * The lines of a summary that justify changes. Paths may contain any character, so the paths of the patch are
 * searched for.
 */
export function readAttestations(
  summary: string,
  paths: readonly string[],
  inScope: readonly ScopeEntry[],
): readonly (Attestation | Correction)[] {
  const known = [...paths].sort((a, b) => b.length - a.length);
  return summary.split(/\r\n|\r|\n/).flatMap((line): (Attestation | Correction)[] => {
    const [, keyword, rest] = LINE.exec(line.slice(0, 10_000)) ?? [];
    if (keyword === undefined || rest === undefined) return [];
    if (/^scope/i.test(keyword)) return readCorrection(rest, known, inScope);
    return [{ kind: 'incidental', ...readPathAndWhy(rest, known) }];
  });
}

interface PathAndWhy {
  readonly path: string;
  readonly why: string;
}

function readPathAndWhy(text: string, known: readonly string[]): PathAndWhy {
  return readKnownPath(text, known) ?? guessPath(text);
}

/** If the path is known, a dash is accepted instead of the colon. */
const REASON = /^\s*(?:`+|"|')?\s*(?:(?::|(?<=\s)-{1,2}\s|[—–])(.*))?$/s;

/** The longest path of the patch that the text starts with. */
function readKnownPath(text: string, known: readonly string[]): PathAndWhy | null {
  const quote = /^\s*(`+|"|')?\s*(?:\.\/)*/.exec(text);
  const rest = text.slice(quote?.[0].length ?? 0);
  for (const path of known) {
    if (!rest.startsWith(path)) continue;
    const behind = REASON.exec(rest.slice(path.length));
    if (behind !== null) return { path, why: (behind[1] ?? '').trim() };
  }
  return null;
}

function guessPath(text: string): PathAndWhy {
  const quoted = /^\s*(`+|"|')(.+?)\1\s*(?::(.*))?$/s.exec(text);
  if (quoted !== null) return { path: entryPath(quoted[2] ?? ''), why: (quoted[3] ?? '').trim() };
  const [, path = text, why = ''] = /^(.+?)(?::\s(.*)|:?)$/s.exec(text.trim()) ?? [];
  return { path: entryPath(path), why: why.trim() };
}

/** A path may contain an arrow itself; the reading in which both paths are known wins. */
function readCorrection(
  text: string,
  known: readonly string[],
  inScope: readonly ScopeEntry[],
): Correction[] {
  const readings = [...text.matchAll(ARROW)].map(({ index, 0: arrow }) => {
    const listed = unquoted(text.slice(0, index));
    const behind = text.slice(index + arrow.length);
    const found = readKnownPath(behind, known);
    const { path: actual, why } = found ?? guessPath(behind);
    const rank = (found === null ? 0 : 1) + (isListed(listed, inScope) ? 2 : 0);
    return { rank, correction: { kind: 'correction', listed, actual, why } satisfies Correction };
  });
  const best = [...readings].sort((a, b) => b.rank - a.rank)[0];
  if (best !== undefined) return [best.correction];
  // A line without an arrow corrects nothing; it is reported as such.
  return [{ kind: 'correction', listed: unquoted(text), actual: '', why: '' }];
}

export function isListed(name: string, inScope: readonly ScopeEntry[]): boolean {
  const wanted = entryPath(name);
  return wanted !== '' && inScope.some(({ path }) => entryPath(path) === wanted);
}
