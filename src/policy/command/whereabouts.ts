import { parseOptions } from './options.ts';
import { resolvePath } from './paths.ts';
import { isFixed, programOf, type Segment, type Word } from './shell-word.ts';

/** More places than this are no place that anybody could name. */
const MAX_FOLDERS = 16;

/** Where a line may stand while its commands run one after another. */
export interface Whereabouts {
  /** Null once nobody can tell any more. */
  readonly folders: () => readonly string[] | null;
  /** Takes in what a command does to the folder of those after it. */
  readonly follow: (segment: Segment) => void;
}

/**
 * `cd` moves those that follow it, if it succeeds. Behind `&&` it did; behind anything else both folders are
 * possible, and a subshell may have kept the move to itself, so the old one stays possible too.
 */
export function createWhereabouts(start: string, home: string | null): Whereabouts {
  let here: readonly string[] | null = [start];
  let left: readonly string[] = [];
  return {
    folders: () => here,
    follow: ({ words, next }) => {
      const moved = here === null ? null : destinations(words, here, home);
      if (moved !== null && here !== null) left = [...left, ...here];
      if (moved === 'unknown') here = null;
      else if (moved !== null) here = moved;
      if (here === null || next === '&&') return;
      here = [...new Set([...here, ...left])];
      left = [];
      if (here.length > MAX_FOLDERS) here = null;
    },
  };
}

/** Null where the command does not go anywhere. */
function destinations(
  words: readonly Word[],
  here: readonly string[],
  home: string | null,
): readonly string[] | 'unknown' | null {
  const skipped = words.findIndex((word) => !['command', 'builtin'].includes(word.text));
  const [first, ...rest] = words.slice(Math.max(skipped, 0));
  const program = programOf(first);
  if (program === 'popd') return 'unknown';
  if (program !== 'cd' && program !== 'pushd' && program !== 'chdir') return null;
  const [target] = parseOptions(rest).operands;
  if (target === undefined) return home === null || program === 'pushd' ? 'unknown' : [home];
  if (!isFixed(target) || target.text === '-' || /^\+\d/.test(target.text)) return 'unknown';
  if (target.raw.startsWith('~'))
    return home === null ? 'unknown' : [resolvePath('/', target.text.replace(/^~/, home))];
  return here.map((folder) => resolvePath(folder, target.text));
}
