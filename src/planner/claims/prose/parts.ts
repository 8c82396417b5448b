/** A clause of a sentence. */
export interface Part {
  readonly words: string;
  /** How the clause is joined to the preceding text. */
  readonly mark: 'first' | 'and' | 'comma' | 'but' | 'label';
  /** The text that follows the clause in the sentence. */
  readonly rest: string;
}

const JOINT =
  /(:\s+|\s[-–—→]+\s|\s\(|,\s+(?:and\s+|then\s+|but\s+|though\s+|although\s+)?|\s+(?:and(?: then)?|plus|as well as|but|however|though|although|so)\s+)/i;

/** A sentence with more clauses is pasted output, not a report. */
const MAX_PARTS = 60;

/** Splits a sentence at each new clause, list item or text after a label. */
export function partsOf(sentence: string): Part[] {
  const pieces = sentence.split(JOINT);
  if (pieces.length > 2 * MAX_PARTS) return [];
  return pieces.flatMap((piece, index): Part[] => {
    if (index % 2 === 1) return [];
    const words = piece.trim().replace(/[.!;:)]+$/, '');
    const mark = index === 0 ? 'first' : markOf(pieces[index - 1] ?? '');
    return words === '' ? [] : [{ words, mark, rest: pieces.slice(index + 1).join('') }];
  });
}

function markOf(joint: string): Part['mark'] {
  if (/but|however|though/i.test(joint)) return 'but';
  if (/[:(–—→-]/.test(joint)) return 'label';
  return /^\s*(?:and|plus|as well)/i.test(joint) ? 'and' : 'comma';
}
