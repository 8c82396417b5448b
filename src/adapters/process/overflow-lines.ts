import { maskSecrets } from '../../policy/secrets.ts';
import { decodeLine, LINE_LIMIT_BYTES } from './line-tracker.ts';

/** Twice the length of a line, so that a secret that begins before the line is still recognized. */
const WINDOW_BYTES = 2 * LINE_LIMIT_BYTES;

export interface OverflowLines {
  readonly push: (chunk: Buffer) => void;
  /** The newest line that is not blank, finished or not. */
  readonly lastLine: () => string | null;
}

/**
 * Tracks the newest line of output that is no longer captured. Only the end of the output is kept, in a buffer of fixed
 * size, so that a flood costs neither memory nor much time.
 */
export function createOverflowLines(
  secrets: readonly string[],
  onLine: ((line: string) => void) | null,
): OverflowLines {
  let window = '';

  // Convert the whole chunk to a string, although only its end is needed: strings on the heap trigger garbage
  // collection early, which also frees the chunks. Chunks alone are freed only after tens of megabytes of them.
  const push = (chunk: Buffer): void => {
    const fresh = chunk.toString('latin1');
    window = (fresh.length < WINDOW_BYTES ? window + fresh : fresh).slice(-WINDOW_BYTES);
  };
  const lines = (): string[] => maskSecrets(window, secrets).split('\n');

  return {
    push: (chunk) => {
      push(chunk);
      const whole = onLine === null ? undefined : lines().at(-2);
      if (whole !== undefined) onLine?.(decodeWindowLine(whole));
    },
    lastLine: () => {
      const last = lines().findLast((line) => line.trim() !== '');
      return last === undefined ? null : decodeWindowLine(last);
    },
  };
}

function decodeWindowLine(line: string): string {
  return decodeLine(Buffer.from(line.slice(-LINE_LIMIT_BYTES), 'latin1'), false);
}
