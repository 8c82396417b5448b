import { parseOptions } from './options.ts';
import { resolvePath } from './paths.ts';
import { type Connector, isFixed, programOf, type Segment, startsAtHome, type Word } from './shell-word.ts';

/** More places than this are no place that anybody could name. */
const MAX_FOLDERS = 16;

/** Where a line may stand while its commands run one after another. */
export interface Whereabouts {
  /** Null once nobody can tell any more. */
  readonly folders: () => readonly string[] | null;
  /** Leaves the subshells that ended before a command, and enters those that it stands in. */
  readonly enter: (segment: Segment) => void;
  /** Takes in what a command does to the folder of those after it. */
  readonly follow: (segment: Segment) => void;
}

interface Start {
  readonly cwd: string;
  readonly home: string | null;
  /** Loops and functions go up more often than it is written. */
  readonly repeats: boolean;
}

interface State {
  readonly here: readonly string[] | null;
  /** Where the line stands again once a command of its list has failed. */
  readonly left: readonly string[];
  readonly before: Connector;
}

/**
 * `cd` moves those that follow it, if it succeeds. Behind `&&` it did; behind anything else both folders are
 * possible. A subshell keeps its moves to itself.
 */
export function createWhereabouts(start: Start): Whereabouts {
  let state: State = { here: [start.cwd], left: [], before: ';' };
  const outside: { readonly shell: number; readonly state: State }[] = [];
  return {
    folders: () => state.here,
    enter: ({ shells }) => {
      const differs = outside.findIndex(({ shell }, index) => shell !== shells[index]);
      for (const saved of outside.splice(differs < 0 ? outside.length : differs).reverse())
        state = settle(saved.state, state.before);
      for (const shell of shells.slice(outside.length)) outside.push({ shell, state });
    },
    follow: (segment) => {
      state = settle(move(state, segment, start), segment.next);
    },
  };
}

function move(state: State, { words, negated }: Segment, start: Start): State {
  const { here, left, before } = state;
  const moved = here === null ? null : destinations(words, here, start);
  if (here === null || moved === null) return state;
  if (moved === 'unknown') return { ...state, here: null };
  // It may have been skipped, have failed, or have run in the shell of a pipe.
  if (negated || before === '||' || before === '|') return { ...state, here: [...moved, ...here] };
  return { ...state, here: moved, left: [...left, ...here] };
}

function settle({ here, left }: State, next: Connector): State {
  if (here === null || next === '&&') return { here, left, before: next };
  const folders = [...new Set([...here, ...left])];
  return { here: folders.length > MAX_FOLDERS ? null : folders, left: [], before: next };
}

/** Null where the command does not go anywhere. */
function destinations(
  words: readonly Word[],
  here: readonly string[],
  { home, repeats }: Start,
): readonly string[] | 'unknown' | null {
  const skipped = words.findIndex((word) => !['command', 'builtin'].includes(word.text));
  const [first, ...rest] = words.slice(Math.max(skipped, 0));
  const program = programOf(first);
  if (program === 'popd') return 'unknown';
  if (program !== 'cd' && program !== 'pushd' && program !== 'chdir') return null;
  const [target] = parseOptions(rest).operands;
  if (target === undefined) return home === null || program === 'pushd' ? 'unknown' : [home];
  if (!isFixed(target) || target.text === '-' || /^\+\d/.test(target.text)) return 'unknown';
  if (startsAtHome(target))
    return home === null || !/^~(?:\/|$)/.test(target.text)
      ? 'unknown'
      : [resolvePath('/', target.text.replace(/^~/, home))];
  if (repeats && target.text.split('/').includes('..')) return 'unknown';
  return here.map((folder) => resolvePath(folder, target.text));
}
