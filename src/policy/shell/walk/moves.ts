import { resolveFrom } from '../../../text/paths.ts';
import { isFixed, programOf, startsAtHome, type Word } from '../grammar/shell-word.ts';
import { parseOptions } from '../programs/options.ts';
import type { CommandPlace } from '../write-rules.ts';
import { joinFolders, type ShellState } from './shell-state.ts';

/** The state after a command that changes the folder; unchanged for other commands. */
export function moveFolder(state: ShellState, words: readonly Word[], place: CommandPlace): ShellState {
  const skipped = words.findIndex((word) => !['command', 'builtin'].includes(word.text));
  const [first, ...rest] = words.slice(Math.max(skipped, 0));
  const { operands } = parseOptions(rest);
  const [target] = operands;
  switch (programOf(first)) {
    case 'cd':
    case 'chdir':
      return enterFolders(
        state,
        target?.text === '-' ? state.previous : resolveDestinations(state, target, place),
      );
    case 'pushd': {
      const moved = enterFolders(
        state,
        target === undefined ? null : resolveDestinations(state, target, place),
      );
      return { ...moved, stack: [...state.stack, state.folders] };
    }
    case 'popd':
      return { ...enterFolders(state, state.stack.at(-1) ?? null), stack: state.stack.slice(0, -1) };
    default:
      return state;
  }
}

function enterFolders(state: ShellState, folders: readonly string[] | null): ShellState {
  return { ...state, folders, previous: state.folders };
}

/** The targets of a path from each folder that the line may be in; null if unknown. */
export function resolveDestinations(
  { folders }: Pick<ShellState, 'folders'>,
  target: Word | undefined,
  { home }: CommandPlace,
): readonly string[] | null {
  if (target === undefined) return home === null ? null : [home];
  if (!isFixed(target) || target.below !== null || /^\+\d/.test(target.text)) return null;
  if (startsAtHome(target)) return resolveHome(target.text, home);
  if (target.text.startsWith('/')) return [resolveFrom('/', target.text)];
  return folders === null
    ? null
    : joinFolders(
        folders.map((folder) => resolveFrom(folder, target.text)),
        [],
      );
}

/** The home of another user is some folder outside; its exact path doesn't matter. */
function resolveHome(text: string, home: string | null): readonly string[] | null {
  if (!/^~(?:\/|$)/.test(text)) return [resolveFrom('/', `/${text}`)];
  return home === null ? null : [resolveFrom('/', text.replace(/^~/, home))];
}
