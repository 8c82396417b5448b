import { matchesGlob } from '../globs.ts';

/** Wildcards of a word that are followed; more of them make a riddle. */
const MAX_WILDCARDS = 8;
const MAX_LENGTH = 512;

/** Words that braces are expanded to; more of them are not followed. */
const MAX_EXPANDED = 64;

/** Whether it can be told where the words lead that the shell makes of a pattern. */
export function isFollowable(pattern: string): boolean {
  if (pattern.length > MAX_LENGTH || pattern.includes('(')) return false;
  return (pattern.match(/[*?[{]/g) ?? []).length <= MAX_WILDCARDS;
}

/** The words that braces with a list stand for; null where there are too many. */
export function expandBraces(pattern: string): readonly string[] | null {
  let open = [pattern];
  for (;;) {
    const expanded = open.flatMap((text) => {
      // The innermost list first.
      const [whole, list] = /\{([^{}]*,[^{}]*)\}/.exec(text) ?? [];
      return whole === undefined || list === undefined
        ? [text]
        : list.split(',').map((part) => text.replace(whole, () => part));
    });
    if (expanded.length > MAX_EXPANDED) return null;
    if (expanded.length === open.length && expanded.every((text, index) => text === open[index])) return open;
    open = expanded;
  }
}

/** A name that a pattern could become. */
export function sampleOf(pattern: string): string {
  return pattern
    .replace(/[!@+]\([^)]*\)/g, 'x')
    .replace(/\{([^},]*)[^}]*\}/g, '$1')
    .replace(/[*?[\]{}]+/g, 'x');
}

/**
 * Whether a pattern of a line and a glob of a policy could name the same file. An aimed pattern does so by more than its
 * ending: `.gi*` aims at `.git`, and `*.json` at none of the files that it covers.
 */
export function mayMeet(
  written: string,
  glob: string,
  { recursive, isAimed }: { readonly recursive: boolean; readonly isAimed: boolean },
): boolean {
  const parts = written.split('/');
  const [first, ...rest] = glob
    .replace(/^(?:\.\/)+/, '')
    .replace(/\/+$/, '')
    .split('/');
  const isAligned = (from: readonly string[], to: readonly string[]): boolean =>
    aligned(from, to, recursive, isAimed);
  if (first !== '**') return isAligned(parts, [first ?? '', ...rest]);
  return rest.length === 0 || parts.some((_part, index) => isAligned(parts.slice(index), rest));
}

function aligned(
  written: readonly string[],
  glob: readonly string[],
  recursive: boolean,
  isAimed: boolean,
): boolean {
  for (const [index, wanted] of glob.entries()) {
    const part = written[index];
    if (wanted === '**') return true;
    if (part === undefined) return recursive && index > 0;
    if (!meets(part, wanted, isAimed)) return false;
  }
  return true;
}

/** Stars alone say nothing about a name; they would otherwise meet everything that is forbidden by name. */
function meets(part: string, wanted: string, isAimed: boolean): boolean {
  if (/^\*+$/.test(part)) return false;
  if (matchesGlob(wanted, part) || matchesGlob(wanted, sampleOf(part))) return true;
  const isVague = isAimed && part.startsWith('*') && wanted !== '.git';
  return !isVague && matchesGlob(part, sampleOf(wanted));
}
