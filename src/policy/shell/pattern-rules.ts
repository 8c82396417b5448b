import { stripDotSlash } from '../../text/paths.ts';
import { matchesGlob } from '../globs.ts';

/** Maximum number of wildcards in a word; a pattern with more is not analysed. */
const MAX_WILDCARDS = 8;
const MAX_LENGTH = 512;

/** Maximum number of words that braces are expanded to. */
const MAX_EXPANDED = 64;

/** Whether the words that the shell expands a pattern to can be analysed. */
export function isAnalysable(pattern: string): boolean {
  if (pattern.length > MAX_LENGTH || pattern.includes('(')) return false;
  return (pattern.match(/[*?[{]/g) ?? []).length <= MAX_WILDCARDS;
}

/** The words that braces with a list expand to; null if there are too many. */
export function expandBraces(pattern: string): readonly string[] | null {
  let current = [pattern];
  for (;;) {
    const expanded = current.flatMap((text) => {
      // Expand the innermost list first.
      const [whole, list] = /\{([^{}]*,[^{}]*)\}/.exec(text) ?? [];
      return whole === undefined || list === undefined
        ? [text]
        : list.split(',').map((part) => text.replace(whole, () => part));
    });
    if (expanded.length > MAX_EXPANDED) return null;
    if (expanded.length === current.length && expanded.every((text, index) => text === current[index]))
      return current;
    current = expanded;
  }
}

/** An example of a name that a pattern matches. */
export function createSampleName(pattern: string): string {
  return pattern
    .replace(/[!@+]\([^)]*\)/g, 'x')
    .replace(/\{([^},]*)[^}]*\}/g, '$1')
    .replace(/[*?[\]{}]+/g, 'x');
}

/**
 * Whether a pattern on a line and a glob of a policy could match the same file. With `isAimed`, a pattern must
 * match by more than its suffix: `.gi*` is aimed at `.git`, while `*.json` is aimed at none of the files it
 * matches.
 */
export function mayMatchSameFile(
  written: string,
  glob: string,
  { recursive, isAimed }: { readonly recursive: boolean; readonly isAimed: boolean },
): boolean {
  const parts = written.split('/');
  const [first, ...rest] = stripDotSlash(glob).replace(/\/+$/, '').split('/');
  const isAligned = (from: readonly string[], to: readonly string[]): boolean =>
    alignParts(from, to, recursive, isAimed);
  if (first !== '**') return isAligned(parts, [first ?? '', ...rest]);
  return rest.length === 0 || parts.some((_part, index) => isAligned(parts.slice(index), rest));
}

function alignParts(
  written: readonly string[],
  glob: readonly string[],
  recursive: boolean,
  isAimed: boolean,
): boolean {
  for (const [index, wanted] of glob.entries()) {
    const part = written[index];
    if (wanted === '**') return true;
    if (part === undefined) return recursive && index > 0;
    if (!mayMatchPart(part, wanted, isAimed)) return false;
  }
  return true;
}

/** A bare `*` doesn't count: it would match everything that is forbidden by name. */
function mayMatchPart(part: string, wanted: string, isAimed: boolean): boolean {
  if (/^\*+$/.test(part)) return false;
  if (matchesGlob(wanted, part) || matchesGlob(wanted, createSampleName(part))) return true;
  const isVague = isAimed && part.startsWith('*') && wanted !== '.git';
  return !isVague && matchesGlob(part, createSampleName(wanted));
}
