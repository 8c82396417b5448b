import { type DenyEntry, startsWithPrefix } from './command-lists.ts';
import { plainWord } from './shell/shell-word.ts';

/** How much of a program behind the name of a denied one is compared with the rest of the entry. */
const MAX_CALL = 200;
/** Places in a program that are looked at. */
const MAX_PLACES = 1_000;

/**
 * The first entry of `commands.deny` that occurs in a program of another language: as the name of a program, in a list of
 * words or in a line for a shell. A method of the same name is none.
 */
export function deniedInCode(text: string, deny: readonly DenyEntry[]): DenyEntry | null {
  return deny.find((entry) => occursIn(text, entry)) ?? null;
}

function occursIn(text: string, entry: DenyEntry): boolean {
  if (entry.kind === 'broken') return true;
  if (entry.kind === 'expression') return entry.expression.test(text);
  const [name = ''] = entry.words;
  const places = [...text.matchAll(namePattern(name))].slice(0, MAX_PLACES);
  return places.some(({ index }) => {
    const words = text.slice(index, index + MAX_CALL).split(/[\s'"`,;()[\]{}]+/);
    return startsWithPrefix(words.filter((word) => word !== '').map(plainWord), entry.words);
  });
}

function namePattern(name: string): RegExp {
  return new RegExp(`(?<![\\w.$-])${name.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')}(?![\\w-])`, 'gi');
}
