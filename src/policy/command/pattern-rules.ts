import { matchesGlob } from '../globs.ts';

/** Wildcards of a word that are followed; more of them make a riddle. */
const MAX_WILDCARDS = 8;
const MAX_LENGTH = 512;

/** Whether it can be told where the words lead that the shell makes of a pattern. */
export function isFollowable(pattern: string): boolean {
  if (pattern.length > MAX_LENGTH || pattern.includes('(')) return false;
  if ((pattern.match(/[*?[{]/g) ?? []).length > MAX_WILDCARDS) return false;
  // Braces can hold whole paths, and with them ways up, out and home.
  return !/\{[^}]*[/~]|(?:^|[/{,])\.\.(?:$|[/},])/.test(pattern);
}

/** A name that a pattern could become. */
export function sampleOf(pattern: string): string {
  return pattern
    .replace(/[!@+]\([^)]*\)/g, 'x')
    .replace(/\{([^},]*)[^}]*\}/g, '$1')
    .replace(/[*?[\]{}]+/g, 'x');
}

/** Whether a pattern that somebody wrote and a glob of a policy could name the same file. */
export function mayMeet(written: string, glob: string, recursive: boolean): boolean {
  const parts = written.split('/');
  const [first, ...rest] = glob
    .replace(/^(?:\.\/)+/, '')
    .replace(/\/+$/, '')
    .split('/');
  if (first !== '**') return aligned(parts, [first ?? '', ...rest], recursive);
  return rest.length === 0 || parts.some((_part, index) => aligned(parts.slice(index), rest, recursive));
}

function aligned(written: readonly string[], glob: readonly string[], recursive: boolean): boolean {
  for (const [index, wanted] of glob.entries()) {
    const part = written[index];
    if (wanted === '**') return true;
    if (part === undefined) return recursive && index > 0;
    if (!meets(part, wanted)) return false;
  }
  return true;
}

/** A star alone says nothing about a name; it would otherwise meet everything that is forbidden by name. */
function meets(part: string, wanted: string): boolean {
  if (part === '*') return false;
  if (matchesGlob(wanted, part)) return true;
  return matchesGlob(part, sampleOf(wanted)) || matchesGlob(wanted, sampleOf(part));
}
