import { type DenyEntry, startsWithPrefix } from './command-lists.ts';
import { plainWord } from './grammar/shell-word.ts';

/** Number of characters after a denied program's name that are compared with the rest of the entry. */
const MAX_CALL = 200;
/** Maximum number of occurrences that are checked. */
const MAX_PLACES = 1_000;

/**
 * The first entry of `commands.deny` that occurs in code of another language: as a program name, in a list of words
 * or in a shell line. A method of the same name doesn't count.
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
