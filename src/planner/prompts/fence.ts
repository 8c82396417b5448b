import { escapeUnsafe } from '../../text/outside-text.ts';

/** Maximum characters in one block; of the rest only the count is given. */
const MAX_BLOCK = 49_152;

/**
 * Marks untrusted text as data in a question to a model. The markers carry a nonce generated for this question, so
 * text written earlier can't close its block.
 */
export interface Fence {
  readonly open: string;
  readonly close: string;
  /** Wraps strings as they are and other values as JSON; neutralised and truncated. */
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
      // Text can only contain the nonce if it leaked. Remove it so that it still can't close the block.
      const text = escapeUnsafe(truncate(written)).replaceAll(nonce, '[nonce]');
      return text.includes('\n') ? `${open}\n${text}\n${close}` : `${open}${text}${close}`;
    },
  };
}

function truncate(text: string): string {
  const cut = text.length - MAX_BLOCK;
  return cut <= 0 ? text : `${text.slice(0, MAX_BLOCK)}\n… ${cut} characters more`;
}
