import { type FileHandle, lstat, mkdir, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createSecretStream } from '../../policy/secret-stream.ts';
import type { CapturedStream } from '../../ports/supervisor.ts';
import { createLineTracker } from './line-tracker.ts';
import { createOverflowLines, type OverflowLines } from './overflow-lines.ts';

/** A piece of a pipe and what was held back before it. */
const OUTPUT_BYTES = 128 * 1024;

export interface StreamCapture {
  /** Settles when the stream ends or is destroyed. */
  readonly read: (stream: Readable, onActivity: () => void) => Promise<void>;
  readonly close: () => Promise<CapturedStream>;
}

export interface CaptureOptions {
  readonly limitBytes: number;
  readonly onLine: ((line: string) => void) | null;
  /** Told each piece as it came. */
  readonly onOutput?: ((chunk: Buffer) => void) | undefined;
  /** Values that are masked besides what looks like a secret. */
  readonly secrets: readonly string[];
}

/** Keeps the head of a stream in a file, without its secrets, and counts the rest. */
export async function openStreamCapture(
  path: string,
  { limitBytes, onLine, onOutput, secrets }: CaptureOptions,
): Promise<StreamCapture> {
  await mkdir(dirname(path), { recursive: true });
  // Whatever lies there goes first: a link planted by an agent must not be written through.
  await rm(path, { force: true });
  const file = await open(path, 'wx+');
  const lines = createLineTracker(onLine);
  const values = secrets.map((secret) => Buffer.from(secret).toString('latin1'));
  const mask = createSecretStream(values);
  /** Used again for each piece: a flood of new buffers is taken back late. */
  let output = Buffer.alloc(OUTPUT_BYTES);
  let overflow: OverflowLines | null = null;
  let bytes = 0;
  let maskedBytes = 0;
  let keptBytes = 0;
  let endsWithLineFeed = true;
  let diskIsFull = false;

  const keep = async (masked: Buffer): Promise<void> => {
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
  // One character for each byte: what is not UTF-8 comes out as it went in.
  const take = async (text: string): Promise<void> => {
    if (text.length > output.length) output = Buffer.alloc(text.length);
    const masked = output.subarray(0, output.write(text, 'latin1'));
    maskedBytes += masked.length;
    lines.push(masked);
    await keep(masked);
  };
  /** Nothing more is kept, so that only the newest line is still of interest. */
  const pass = (chunk: Buffer): void => {
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
          if (diskIsFull || keptBytes >= limitBytes) pass(chunk);
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
      await keepInPlace(file, path);
      await file.close();
      return { path, bytes, cutBytes, lastLine: overflow?.lastLine() ?? lines.lastLine() };
    },
  };
}

/**
 * An agent that is not shut in can put something else where its words are kept, such as a pipe that whoever reads them
 * would wait at. They are written there again.
 */
async function keepInPlace(file: FileHandle, path: string): Promise<void> {
  const [own, there] = await Promise.all([file.stat(), lstat(path).catch(() => null)]);
  if (there?.ino === own.ino && there.dev === own.dev) return;
  await mkdir(dirname(path), { recursive: true });
  await rm(path, { recursive: true, force: true });
  const copy = await open(path, 'wx');
  await pipeline(file.createReadStream({ start: 0, autoClose: false }), copy.createWriteStream());
}

function isEndOfPipe(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ECONNRESET' || code === 'EIO' || code === 'EPIPE';
}
