import { neutralise } from '../text/outside-text.ts';

/** Characters of one block; the rest is only counted. */
const MAX_BLOCK = 49_152;

/**
 * Marks text from outside as data in a question to a model. The marks carry a nonce that is made for this question, so no text
 * that was written before can close its block.
 */
export interface Fence {
  readonly open: string;
  readonly close: string;
  /** Texts as they are, other values as JSON; neutralised and bounded. */
  readonly wrap: (value: unknown) => string;
}

export function createFence(nonce: string): Fence {
  const open = `<data-${nonce}>`;
  const close = `</data-${nonce}>`;
  return {
    open,
    close,
    wrap: (value) => {
      const written = typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
      // A text can only hold the nonce if it leaked; then it must not help either.
      const text = neutralise(bounded(written)).replaceAll(nonce, '[nonce]');
      return text.includes('\n') ? `${open}\n${text}\n${close}` : `${open}${text}${close}`;
    },
  };
}

function bounded(text: string): string {
  const cut = text.length - MAX_BLOCK;
  return cut <= 0 ? text : `${text.slice(0, MAX_BLOCK)}\n… ${cut} characters more`;
}
