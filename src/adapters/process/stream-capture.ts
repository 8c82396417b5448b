import { type FileHandle, lstat, mkdir, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createSecretStream } from '../../policy/secrets/secret-stream.ts';
import { maskSecrets } from '../../policy/secrets/secrets.ts';
import type { CapturedStream } from '../../ports/supervisor.ts';
import { createLineTracker, decodeLine, MAX_LINE_BYTES } from './line-tracker.ts';

/** Twice the length of a line, so that a secret that begins before the line is still recognized. */
const WINDOW_BYTES = 2 * MAX_LINE_BYTES;

interface OverflowLines {
  readonly push: (chunk: Buffer) => void;
  /** The newest line that is not blank, finished or not. */
  readonly lastLine: () => string | null;
}

/**
 * Tracks the newest line of output that is no longer captured. Only the end of the output is kept, in a buffer of fixed
 * size, so that a flood costs neither memory nor much time.
 */
function createOverflowLines(
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
  return decodeLine(Buffer.from(line.slice(-MAX_LINE_BYTES), 'latin1'), false);
}

/** Enough for one chunk of a pipe and the text that the masking held back before it. */
const OUTPUT_BYTES = 128 * 1024;

export interface StreamCapture {
  /** Resolves when the stream ends or is destroyed. */
  readonly read: (stream: Readable, onActivity: () => void) => Promise<void>;
  readonly close: () => Promise<CapturedStream>;
}

export interface CaptureOptions {
  readonly limitBytes: number;
  readonly onLine: ((line: string) => void) | null;
  /** Called with each chunk as it arrives, before masking. */
  readonly onOutput?: ((chunk: Buffer) => void) | undefined;
  /** Values to mask, in addition to text that looks like a secret. */
  readonly secrets: readonly string[];
}

/** Writes the head of a stream to a file, with secrets masked, and counts the rest. */
export async function openStreamCapture(
  path: string,
  { limitBytes, onLine, onOutput, secrets }: CaptureOptions,
): Promise<StreamCapture> {
  await mkdir(dirname(path), { recursive: true });
  // Remove an existing file first: conductor must not write through a link that an agent planted.
  await rm(path, { force: true });
  const file = await open(path, 'wx+');
  const lines = createLineTracker(onLine);
  const values = secrets.map((secret) => Buffer.from(secret).toString('latin1'));
  const mask = createSecretStream(values);
  /** Reused for each chunk, because garbage collection frees a flood of new buffers late. */
  let output = Buffer.alloc(OUTPUT_BYTES);
  let overflow: OverflowLines | null = null;
  let bytes = 0;
  let maskedBytes = 0;
  let keptBytes = 0;
  let endsWithLineFeed = true;
  let diskIsFull = false;

  const writeKept = async (masked: Buffer): Promise<void> => {
    const kept = masked.subarray(0, Math.max(0, limitBytes - keptBytes));
    if (diskIsFull || kept.length === 0) return;
    try {
      await file.writeFile(kept);
      keptBytes += kept.length;
      endsWithLineFeed = kept.at(-1) === 0x0a;
    } catch {
      // A full disk must not stop the child's output from being read: it is counted as cut instead.
      diskIsFull = true;
    }
  };
  // Latin1 has one character per byte, so bytes that are not UTF-8 stay unchanged.
  const take = async (text: string): Promise<void> => {
    if (text.length > output.length) output = Buffer.alloc(text.length);
    const masked = output.subarray(0, output.write(text, 'latin1'));
    maskedBytes += masked.length;
    lines.push(masked);
    await writeKept(masked);
  };
  /** Handles output past the limit: nothing more is kept, and only the newest line is tracked. */
  const trackOverflow = (chunk: Buffer): void => {
    if (overflow === null) {
      overflow = createOverflowLines(values, onLine);
      const held = Buffer.from(mask.end(), 'latin1');
      maskedBytes += held.length;
      overflow.push(held);
    }
    maskedBytes += chunk.length;
    overflow.push(chunk);
  };

  return {
    read: async (stream, onActivity) => {
      try {
        for await (const chunk of stream as AsyncIterable<Buffer>) {
          onActivity();
          bytes += chunk.length;
          onOutput?.(chunk);
          if (diskIsFull || keptBytes >= limitBytes) trackOverflow(chunk);
          else await take(mask.push(chunk.toString('latin1')));
        }
      } catch (error) {
        if (!isEndOfPipe(error)) throw error;
      }
    },
    close: async () => {
      await take(mask.end());
      lines.end();
      const cutBytes = maskedBytes - keptBytes;
      const cutLine = `${endsWithLineFeed ? '' : '\n'}[conductor: ${cutBytes} bytes cut]\n`;
      if (cutBytes > 0) await file.writeFile(cutLine).catch(() => undefined);
      await restoreIfReplaced(file, path);
      await file.close();
      return { path, bytes, cutBytes, lastLine: overflow?.lastLine() ?? lines.lastLine() };
    },
  };
}

/**
 * An agent without a sandbox can replace the file with its output, for example by a pipe on which a reader would block.
 * In that case this writes the output to the path again.
 */
async function restoreIfReplaced(file: FileHandle, path: string): Promise<void> {
  const [own, current] = await Promise.all([file.stat(), lstat(path).catch(() => null)]);
  if (current?.ino === own.ino && current.dev === own.dev) return;
  await mkdir(dirname(path), { recursive: true });
  await rm(path, { recursive: true, force: true });
  const copy = await open(path, 'wx');
  await pipeline(file.createReadStream({ start: 0, autoClose: false }), copy.createWriteStream());
}

function isEndOfPipe(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ECONNRESET' || code === 'EIO' || code === 'EPIPE';
}
