/** The comparison takes quadratic time, and longer words are not typos. */
const MAX_WORD_LENGTH = 200;

/**
 * Finds the most similar candidate, or null if none is close. Ignores case and treats `-` and `_` as equal, so `stop`
 * finds `STOP`. The first of equally close candidates wins.
 */
export function didYouMean(word: string, candidates: Iterable<string>): string | null {
  if (word.length > MAX_WORD_LENGTH) return null;
  let best: string | null = null;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    if (candidate === word) continue;
    const distance = candidateDistance(word, candidate, bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Infinity if the candidate is too different, or not better than the best so far. */
function candidateDistance(word: string, candidate: string, best: number): number {
  const limit = Math.min(best - 1, allowedDistance(word, candidate));
  if (limit < 0 || Math.abs(word.length - candidate.length) > limit) return Number.POSITIVE_INFINITY;
  const a = foldWord(word);
  const b = foldWord(candidate);
  if (a === b) return 0;
  const distance = editDistance(a, b, limit);
  return distance <= limit ? distance : Number.POSITIVE_INFINITY;
}

/** The allowed edit distance: a third of the longer word. */
function allowedDistance(word: string, candidate: string): number {
  return Math.max(1, Math.floor(Math.max(word.length, candidate.length) / 3));
}

function foldWord(word: string): string {
  return word.toLowerCase().replaceAll('-', '_');
}

/**
 * Counts insertions, removals, replacements and swaps of two neighbours. Stops beyond the limit: once two consecutive
 * rows exceed it, the result does too.
 */
function editDistance(a: string, b: string, limit: number): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  let lastLeast = 0;
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j += 1) {
      const cost = a.charCodeAt(i - 1) === b.charCodeAt(j - 1) ? 0 : 1;
      let value = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + cost);
      if (isSwap(a, i, b, j)) value = Math.min(value, at(beforeLast, j - 2) + 1);
      row.push(value);
      least = Math.min(least, value);
    }
    if (Math.min(least, lastLeast) > limit) return Number.POSITIVE_INFINITY;
    beforeLast = last;
    last = row;
    lastLeast = least;
  }
  return at(last, b.length);
}

function isSwap(a: string, i: number, b: string, j: number): boolean {
  if (i < 2 || j < 2) return false;
  return a.charCodeAt(i - 1) === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === b.charCodeAt(j - 1);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
