import { maskSecrets } from '../../policy/secrets.ts';
import { decodeLine, LINE_LIMIT_BYTES } from './line-tracker.ts';

/** A line and as much before it, so that a secret that begins before the line is known as one. */
const WINDOW_BYTES = 2 * LINE_LIMIT_BYTES;

export interface OverflowLines {
  readonly push: (chunk: Buffer) => void;
  /** The newest line that is not blank, finished or not. */
  readonly lastLine: () => string | null;
}

/**
 * The newest line of output that nobody keeps. Only the end of it is looked at, in a buffer of fixed size: a flood costs
 * neither memory nor much time.
 */
export function createOverflowLines(
  secrets: readonly string[],
  onLine: ((line: string) => void) | null,
): OverflowLines {
  let window = '';

  // The whole piece becomes a string, although only its end is wanted: what lies on the heap makes the collector come
  // soon, and it takes the pieces back with it. Pieces alone are taken back when there are tens of megabytes of them.
  const push = (chunk: Buffer): void => {
    const fresh = chunk.toString('latin1');
    window = (fresh.length < WINDOW_BYTES ? window + fresh : fresh).slice(-WINDOW_BYTES);
  };
  const lines = (): string[] => maskSecrets(window, secrets).split('\n');

  return {
    push: (chunk) => {
      push(chunk);
      const whole = onLine === null ? undefined : lines().at(-2);
      if (whole !== undefined) onLine?.(readable(whole));
    },
    lastLine: () => {
      const last = lines().findLast((line) => line.trim() !== '');
      return last === undefined ? null : readable(last);
    },
  };
}

function readable(line: string): string {
  return decodeLine(Buffer.from(line.slice(-LINE_LIMIT_BYTES), 'latin1'), false);
}
