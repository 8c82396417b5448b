import {
  findSecrets,
  KEY_BEGINS,
  LONGEST_KEY,
  longestFirst,
  MASK,
  replaceSpans,
  type Span,
} from './secrets.ts';

/** How far back an unfinished secret is searched for; all secrets except private keys are shorter. */
const LOOK_BACK = 8_192;
/** Number of preceding characters that are kept, because a pattern may look at the text before the secret. */
const CONTEXT = 512;

const LONGEST_HEADER = 96;
/** The first line of a key, or the part of it received so far. */
const OPEN_KEY = /^-----BEGIN [A-Z0-9 ]{0,64}(?:-{0,4}$|PRIVATE KEY(?: BLOCK)?-----)/;

export interface SecretStream {
  /** Returns the text that can be released after this piece; the rest may still contain the start of a secret. */
  readonly push: (piece: string) => string;
  /** Returns the text that was held back. */
  readonly end: () => string;
}

/** Masks secrets in text that arrives in pieces, wherever it is split, with constant memory. */
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
      // A key without an end, or an unbroken sequence of secrets, must not be kept in memory.
      held = '';
      return out + MASK;
    },
    end: () => {
      const text = context + held;
      return maskOpenKey(release(text, text.length, findSecrets(text, values)));
    },
  };
}

/** The end of the text that can be released: no secret spans it, and none that starts before it can still grow. */
function safeCut(text: string, spans: readonly Span[], values: readonly string[]): number {
  let cut = Math.min(lineCut(text), openKeyAt(text, spans), openValueAt(text, values));
  for (const { start, end } of spans.toReversed()) if (start < cut && end >= cut) cut = start;
  return cut;
}

/** Only a key can span lines. A line without an end is cut where nothing can reach back. */
function lineCut(text: string): number {
  const feed = text.lastIndexOf('\n') + 1;
  return Math.max(feed, text.length - LOOK_BACK, 0);
}

/**
 * The start of a key whose end has not arrived; else the start of a suffix that may become the beginning of a key.
 */
function openKeyAt(text: string, spans: readonly Span[]): number {
  for (let at = text.indexOf(KEY_BEGINS); at >= 0; at = text.indexOf(KEY_BEGINS, at + 1)) {
    // Other patterns end a value that contains a key at the first space.
    const isKnown = spans.some(({ start, end }) => start <= at && end > at + KEY_BEGINS.length);
    if (!isKnown && OPEN_KEY.test(text.slice(at, at + LONGEST_HEADER))) return at;
  }
  return findPartial(text, KEY_BEGINS);
}

/** Only a value that spans lines can be split at the end of a line. */
function openValueAt(text: string, values: readonly string[]): number {
  return Math.min(text.length, ...values.map((value) => findPartial(text, value)));
}

/** The start of the longest suffix of the text that is a prefix of `wanted`; the text's length if there is none. */
function findPartial(text: string, wanted: string): number {
  const first = wanted.charAt(0);
  const from = Math.max(0, text.length - wanted.length + 1);
  for (let at = text.indexOf(first, from); at >= 0; at = text.indexOf(first, at + 1))
    if (wanted.startsWith(text.slice(at))) return at;
  return text.length;
}

/** Masks a key whose end was cut off. */
function maskOpenKey(text: string): string {
  return text.replace(/-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*$/, MASK);
}
