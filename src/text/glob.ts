import picomatch from 'picomatch/posix.js';

/**
 * Globs come from policies, configurations, work items and command lines of agents, and paths come from agents.
 * picomatch compiles globs to regular expressions, and JavaScript backtracks over every way to divide a path among the
 * stars: with many stars that takes hours. So globs with many stars are matched here, in time proportional to glob and
 * path, and globs that only a regular expression could match are refused.
 */
export type GlobMatcher = (path: string) => boolean;

export interface GlobOptions {
  readonly dot?: boolean;
  readonly nonegate?: boolean;
  readonly nocase?: boolean;
}

const MAX_GLOB_LENGTH = 1_000;
const MAX_STARS = 2;
const MAX_ALTERNATIVES = 256;

/** Why a glob can't be matched in a bounded time; null if it can. */
export function findGlobProblem(glob: string): string | null {
  if (glob.length > MAX_GLOB_LENGTH) return `it is longer than ${MAX_GLOB_LENGTH} characters`;
  if (/[+*]\(|[)\]}]\+|\([^)]*[^(@!?*]\+/.test(glob)) return 'it repeats a group';
  if (hasFewStars(glob)) return null;
  if (/[()]/.test(glob)) return `it has a group and more than ${MAX_STARS} stars in one part of the path`;
  return expandBraces(glob) === null ? `it has more than ${MAX_ALTERNATIVES} alternatives` : null;
}

/** A glob that `globProblem` rejects matches only its literal text. */
export function compileGlob(glob: string, options: GlobOptions = {}): GlobMatcher {
  if (findGlobProblem(glob) !== null) return (path) => path === glob;
  if (hasFewStars(glob)) return picomatch(glob, options);
  const isNegated = options.nonegate !== true && /^!(?!\()/.test(glob);
  const body = fold(isNegated ? glob.slice(1) : glob, options);
  const parts = (expandBraces(body) ?? []).map(parseGlob);
  return (path) => {
    const names = fold(path, options).split('/');
    const isHidden = options.dot !== true && names.some((name) => name.startsWith('.'));
    return (!isHidden && parts.some((pattern) => matchParts(pattern, names))) !== isNegated;
  };
}

function fold(text: string, { nocase }: GlobOptions): string {
  return nocase === true ? text.toLowerCase() : text;
}

/** Whether the glob has so few stars that backtracking is cheap for any path. */
function hasFewStars(glob: string): boolean {
  const parts = glob.split('/');
  const deep = parts.filter((part) => part.includes('**')).length;
  const isFew = parts.every((part) => (part.match(/\*+/g) ?? []).length <= MAX_STARS);
  return deep <= MAX_STARS && isFew && (glob.match(/[{|]/g) ?? []).length <= MAX_STARS;
}

/** Expands the braces of a glob; null if there are too many alternatives. */
function expandBraces(glob: string): readonly string[] | null {
  let waiting = [glob];
  const done: string[] = [];
  while (waiting.length > 0) {
    const next: string[] = [];
    for (const one of waiting) {
      // The innermost group first: it contains no braces.
      const found = /\{([^{}]*,[^{}]*)\}/.exec(one);
      if (found === null) done.push(one);
      else
        for (const choice of found[1]?.split(',') ?? [])
          next.push(`${one.slice(0, found.index)}${choice}${one.slice(found.index + found[0].length)}`);
    }
    if (done.length + next.length > MAX_ALTERNATIVES) return null;
    waiting = next;
  }
  return done;
}

type Token = 'star' | 'any' | { readonly chars: (char: string) => boolean };
/** `deep` matches any number of folders. */
type Part = 'deep' | readonly Token[];

/** Like picomatch: `a/**` also matches `a` itself, but with a star in `a` it matches only paths below. */
function parseGlob(glob: string): readonly Part[] {
  const parts = glob.split('/').map(parsePart);
  const before = parts.at(-2);
  const isBelow = parts.at(-1) === 'deep' && before !== undefined && before !== 'deep';
  return isBelow && before.includes('star') ? [...parts, ['star']] : parts;
}

function parsePart(text: string): Part {
  if (text === '**') return 'deep';
  const tokens: Token[] = [];
  for (const [token] of text.matchAll(/\\.|\[\^?\]?[^\]]*\]|\*+|\?|./gs)) {
    if (token.startsWith('*')) tokens.push('star');
    else if (token === '?') tokens.push('any');
    else if (token.length > 1 && token.startsWith('[')) tokens.push({ chars: parseSet(token) });
    else {
      const char = token.length > 1 ? token.slice(1) : token;
      tokens.push({ chars: (other) => other === char });
    }
  }
  return tokens;
}

function parseSet(token: string): (char: string) => boolean {
  const isNegated = token.startsWith('[^');
  const body = token.slice(isNegated ? 2 : 1, -1);
  const ranges = [...body.matchAll(/(.)-(.)|(.)/gs)].map(([, low, high, single = '']): [string, string] =>
    low === undefined || high === undefined ? [single, single] : [low, high],
  );
  return (char) => ranges.some(([low, high]) => low <= char && char <= high) !== isNegated;
}

function matchParts(pattern: readonly Part[], names: readonly string[]): boolean {
  return matchGreedily(
    pattern,
    names,
    (part) => part === 'deep',
    (part, name) => part !== 'deep' && matchPart(part, name),
  );
}

function matchPart(tokens: readonly Token[], name: string): boolean {
  return matchGreedily(
    tokens,
    [...name],
    (token) => token === 'star',
    (token, char) => token === 'any' || (token !== 'star' && token.chars(char)),
  );
}

/**
 * After a mismatch, only the last wildcard takes one more item: extending an earlier one would leave fewer items for
 * the rest. So each wildcard is tried once per position.
 */
function matchGreedily<Want, Item>(
  wants: readonly Want[],
  items: readonly Item[],
  isWild: (want: Want) => boolean,
  fits: (want: Want, item: Item) => boolean,
): boolean {
  let want = 0;
  let item = 0;
  let wild = -1;
  let taken = 0;
  while (item < items.length) {
    const wanted = wants[want];
    if (wanted !== undefined && isWild(wanted)) {
      wild = want;
      taken = item;
      want += 1;
    } else if (wanted !== undefined && fits(wanted, items[item] as Item)) {
      want += 1;
      item += 1;
    } else if (wild >= 0) {
      taken += 1;
      item = taken;
      want = wild + 1;
    } else return false;
  }
  return wants.slice(want).every(isWild);
}
