import {
  findSecrets,
  KEY_BEGINS,
  LONGEST_KEY,
  longestFirst,
  MASK,
  replaceSpans,
  type Span,
} from './secrets.ts';

/** A secret that has begun and not ended is looked for this far back; all but private keys are shorter. */
const LOOK_BACK = 8_192;
/** What is kept of the text before, because a shape may ask what stands in front of it. */
const CONTEXT = 512;

const LONGEST_HEADER = 96;
/** The first line of a key, or as much of it as has come. */
const OPEN_KEY = /^-----BEGIN [A-Z0-9 ]{0,64}(?:-{0,4}$|PRIVATE KEY(?: BLOCK)?-----)/;

export interface SecretStream {
  /** What can be let go of after this piece: a secret may still be on its way in the rest. */
  readonly push: (piece: string) => string;
  /** What was held back. */
  readonly end: () => string;
}

/** Masks secrets in a text that comes in pieces, wherever it is cut, in memory that does not depend on its length. */
export function createSecretStream(secretValues: readonly string[]): SecretStream {
  const values = longestFirst(secretValues);
  let context = '';
  let held = '';

  const release = (text: string, cut: number, spans: readonly Span[]): string => {
    const from = context.length;
    const shifted = spans
      .filter(({ start }) => start >= from && start < cut)
      .map(({ start, end }) => ({ start: start - from, end: end - from }));
    const out = replaceSpans(text.slice(from, cut), shifted);
    context = text.slice(Math.max(0, cut - CONTEXT), cut);
    held = text.slice(cut);
    return out;
  };

  return {
    push: (piece) => {
      const text = context + held + piece;
      const spans = findSecrets(text, values);
      const out = release(text, Math.max(context.length, safeCut(text, spans, values)), spans);
      if (held.length <= LONGEST_KEY) return out;
      // A key without an end, or one secret after the other without a break: it must not be kept in memory.
      held = '';
      return out + MASK;
    },
    end: () => {
      const text = context + held;
      return maskOpenKey(release(text, text.length, findSecrets(text, values)));
    },
  };
}

/** The end of what can be judged: no secret lies across it, and none that begins before it can still grow. */
function safeCut(text: string, spans: readonly Span[], values: readonly string[]): number {
  let cut = Math.min(lineCut(text), openKeyAt(text, spans), openValueAt(text, values));
  for (const { start, end } of spans.toReversed()) if (start < cut && end >= cut) cut = start;
  return cut;
}

/** No shape but a key goes over the end of a line. A line without end is cut where nothing can reach back. */
function lineCut(text: string): number {
  const feed = text.lastIndexOf('\n') + 1;
  return Math.max(feed, text.length - LOOK_BACK, 0);
}

/** Where a key begins whose end has not come; else where the text ends with what may become the beginning of one. */
function openKeyAt(text: string, spans: readonly Span[]): number {
  for (let at = text.indexOf(KEY_BEGINS); at >= 0; at = text.indexOf(KEY_BEGINS, at + 1)) {
    // A value with a key in it ends for other shapes at the first space.
    const isKnown = spans.some(({ start, end }) => start <= at && end > at + KEY_BEGINS.length);
    if (!isKnown && OPEN_KEY.test(text.slice(at, at + LONGEST_HEADER))) return at;
  }
  return partOf(text, KEY_BEGINS);
}

/** Only a value that goes over lines can be cut by the end of one. */
function openValueAt(text: string, values: readonly string[]): number {
  return Math.min(text.length, ...values.map((value) => partOf(text, value)));
}

/** Where the text ends with the beginning of the wanted one; its length when it does not. */
function partOf(text: string, wanted: string): number {
  const first = wanted.charAt(0);
  const from = Math.max(0, text.length - wanted.length + 1);
  for (let at = text.indexOf(first, from); at >= 0; at = text.indexOf(first, at + 1))
    if (wanted.startsWith(text.slice(at))) return at;
  return text.length;
}

/** A key whose end was cut off is still a key. */
function maskOpenKey(text: string): string {
  return text.replace(/-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*$/, MASK);
}
